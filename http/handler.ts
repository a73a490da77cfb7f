/** Requests of a server that is the host process's own: those for routes are served, the others are left to it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Exchange } from '#component/gateway/exchange.ts'
import { createListener, type ListenerPorts, type Router, refuseAll } from './gateway.ts'
import { Refusal } from './preflight.ts'
import { HttpExchange } from './read-request.ts'
import { Http1 } from './transport/http1.ts'

/** A {@link Router} that also says which requests it serves. */
export interface KnowingRouter extends Router {
  /** Whether a host and path of a specification match. */
  serves(exchange: Exchange): boolean
}

/** Serves a request of a server that is the host process's own; `next` takes it when no route serves it. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  next?: () => void,
) => void

/** Makes the handler of requests for routes alone: no management. Without a `next` other requests get 404. */
export function createHandler(ports: ListenerPorts, router: KnowingRouter): Handler {
  const listener = createListener(ports, router, refuseAll(ports))
  const isServed = (transport: Http1): boolean => {
    const target = transport.read(router.keepsSlashes !== undefined)
    if (target instanceof Refusal) return false
    const exchange = new HttpExchange('', target, transport, ports, false)
    return router.serves(exchange) && (!target.hasEscapedSlash || !!router.keepsSlashes?.(exchange))
  }
  return (request, response, next) => {
    const transport = new Http1(request, response)
    if (next && !isServed(transport)) next()
    else listener(transport)
  }
}
