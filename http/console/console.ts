/** The console on the admin listener: its page at `/console/`, its events at `/events`; browsers that ask for `/` are led to it. */
import type { Reply } from '#component/gateway/exchange.ts'
import { prefersPage } from '#component/gateway/html-page.ts'
import { ownPath } from '#component/metrics/place.ts'
import { preferredCoding } from '#component/syntax/content-coding.ts'
import { parseAuthority } from '#component/syntax/request-target.ts'
import { type Fallback, fail, type ListenerPorts, noteBegin, notServed } from '#http/gateway.ts'
import { tagged } from '#http/management/conditional.ts'
import { consolePaths } from '#http/management/own-paths.ts'
import type { HttpExchange } from '#http/read-request.ts'
import { sendReply } from '#http/reply.ts'
import { type EventPorts, eventsReply } from './events.ts'
import { openPageFiles, type PageFile, pageCodings } from './page-files.ts'

/** Dependencies of the console. */
export interface ConsolePorts extends EventPorts {
  /**
   * Where browsers reach the gateway listener.
   * @param host of the admin listener, as the browser names it
   */
  gatewayOrigin(host: string): string | undefined
}

/** Where the browser reaches the gateway. */
const gatewayOf = (exchange: HttpExchange, ports: ConsolePorts): string | undefined => {
  const host = parseAuthority(exchange.header('host') ?? '')?.host
  return host === undefined ? undefined : ports.gatewayOrigin(host)
}

type Serve = (exchange: HttpExchange) => Reply | Promise<Reply>

/** Serves the console, and everything else by `next`. */
export function withConsole(
  ports: ConsolePorts,
  listener: ListenerPorts,
  next: Fallback,
): Fallback {
  const file = openPageFiles()
  const page: Serve = (exchange) => pageReply(exchange, ports, file)
  const events: Serve = (exchange) =>
    eventsReply(exchange, ports, { gateway: gatewayOf(exchange, ports) })
  const { page: root, events: stream } = consolePaths
  const serverOf = (exchange: HttpExchange): readonly [path: string, serve: Serve] | undefined => {
    const { path, method } = exchange
    if (method !== 'get' && method !== 'head') return undefined
    if (path.startsWith(root)) return [root, page]
    if (path === stream) return [stream, events]
    if (path === root.slice(0, -1)) return [root, () => leadTo('console/')]
    return path === '/' && prefersPage(exchange) ? ['/', () => leadTo('console/')] : undefined
  }
  return (exchange) => {
    const found = serverOf(exchange)
    if (!found) {
      next(exchange)
      return
    }
    const [path, serve] = found
    exchange.served = ownPath(path)
    answer(exchange, serve, listener).catch((error: unknown) => fail(exchange, error, listener))
  }
}

async function answer(
  exchange: HttpExchange,
  serve: Serve,
  listener: ListenerPorts,
): Promise<void> {
  const start = performance.now()
  sendReply(exchange, await serve(exchange), listener.isClosing())
  if (exchange.stream) noteBegin(exchange, exchange.stream, listener, start)
}

/** Relative, so that it holds behind a proxy that takes a prefix away. */
const leadTo = (location: string): Reply => ({
  status: 302,
  headers: { location, 'cache-control': 'no-store', vary: 'Accept' },
  body: { kind: 'none' },
})

async function pageReply(
  exchange: HttpExchange,
  ports: ConsolePorts,
  file: (name: string) => Promise<PageFile | undefined>,
): Promise<Reply> {
  const found = await file(exchange.path.slice(consolePaths.page.length) || 'index.html')
  if (!found) throw notServed
  const coding = preferredCoding(exchange.header('accept-encoding') ?? '', pageCodings)
  const { bytes, etag } = found[coding ?? 'plain']
  const headers = {
    'content-type': found.type,
    ...(coding && { 'content-encoding': coding }),
    vary: 'Accept-Encoding',
    'cache-control': 'no-cache',
    'content-security-policy': policyFor(exchange, ports),
    'referrer-policy': 'no-referrer',
  }
  return tagged(exchange, etag, { status: 200, headers, body: { kind: 'bytes', bytes } })
}

/** Scripts, styles and calls of this origin alone; calls of the gateway, too, so that a request can really be sent. */
function policyFor(exchange: HttpExchange, ports: ConsolePorts): string {
  const gateway = gatewayOf(exchange, ports)
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src 'self'${gateway === undefined ? '' : ` ${gateway}`}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}
