/** Tells whoever watches of a request that is over: subscribers of `wamp-gateway:request`, and operators. */
import { requests } from '#component/telemetry/channels.ts'
import type { HttpExchange } from '#http/read-request.ts'
import { accessLine } from './access-line.ts'

/** The operators who watch requests. */
export interface WatchedRequests {
  /** Whether a request is told, before its message is made; undefined while nobody watches. */
  readonly admits:
    | ((api_spec: string, method: string, route: string, status: number) => boolean)
    | undefined
  /** Takes the members of the access line, and the document that has answered. */
  tell(message: Readonly<Record<string, unknown>>): void
}

/** The numbers are those of the access line. */
export function tellRequest(
  watched: WatchedRequests | undefined,
  exchange: HttpExchange,
  ...numbers: [status: number, duration: number, bytes: number]
): void {
  const { method, route, served } = exchange
  const { api, label } = served.version
  const isTold = watched?.admits?.(api, method, route, numbers[0]) ?? false
  if (!isTold && !requests.hasSubscribers) return
  const message = { ...accessLine(exchange, ...numbers), api_spec: api, version: label }
  requests.publish(message)
  if (isTold) watched?.tell(message)
}
