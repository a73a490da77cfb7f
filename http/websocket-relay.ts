/** `/ws` in front of a router in another process: the handshake goes on to it, and then bytes pass both ways. */
import type { IncomingMessage } from 'node:http'
import { connect as connectPlain, isIP, type Socket } from 'node:net'
import { connect as connectTls } from 'node:tls'
import { rawError } from './errors.ts'

/** Where the other router is. */
export interface RelayTarget {
  /** A `ws:` or `wss:` URL. */
  readonly url: string
  /** Path of the Unix socket that the router is reached at, whatever host the URL names. */
  readonly socketPath?: string
}

/** How long the router behind a relay may take to answer; milliseconds. */
const relayTimeout = 10_000

function connect(url: URL, path: string | undefined): Socket {
  if (path !== undefined) return connectPlain({ path })
  const host = url.hostname.startsWith('[') ? url.hostname.slice(1, -1) : url.hostname
  const isSecure = url.protocol === 'wss:'
  const port = Number(url.port) || (isSecure ? 443 : 80)
  if (!isSecure) return connectPlain({ host, port })
  return connectTls({ host, port, ...(isIP(host) === 0 && { servername: host }) })
}

/** Bytes pass both ways as they are, so that subprotocol, extensions and close codes stay what they were. */
export function relay(
  target: RelayTarget,
  request: IncomingMessage,
  socket: Socket,
  head: Buffer,
  peer: string,
  cookie: string | undefined,
) {
  const url = new URL(target.url)
  const isSecure = url.protocol === 'wss:'
  const upstream = connect(url, target.socketPath)
  let hasAnswered = false
  const fail = () => {
    upstream.destroy()
    if (hasAnswered) socket.destroy()
    else socket.end(rawError('wamp.error.net_failure', 'the WAMP router cannot be reached'))
  }
  upstream.setTimeout(relayTimeout, fail)
  upstream.setNoDelay(true)
  upstream.on('error', fail)
  upstream.on('close', () => {
    if (hasAnswered) socket.end()
    else fail()
  })
  socket.on('close', () => upstream.destroy())
  upstream.once(isSecure ? 'secureConnect' : 'connect', () => {
    upstream.write(handshake(url, request, peer, cookie))
    if (head.length > 0) upstream.write(head)
    upstream.once('data', (first: Buffer) => {
      hasAnswered = true
      upstream.setTimeout(0)
      socket.write(first)
      upstream.pipe(socket)
      socket.pipe(upstream)
    })
  })
}

/** Fields that belong to this connection or that we tell ourselves. */
const ownFields = new Set([
  'host',
  'connection',
  'cookie',
  'upgrade',
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
])

/** The opening handshake (RFC 6455 §4.1), sent on to the router. */
function handshake(
  url: URL,
  request: IncomingMessage,
  peer: string,
  cookie: string | undefined,
): string {
  const lines = [`GET ${url.pathname}${url.search} HTTP/1.1`, `Host: ${url.host}`]
  lines.push('Connection: Upgrade', 'Upgrade: websocket', `X-Forwarded-For: ${peer}`)
  if (cookie) lines.push(`Cookie: ${cookie}`)
  const { rawHeaders } = request
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ''
    if (!ownFields.has(name.toLowerCase())) lines.push(`${name}: ${rawHeaders[at + 1]}`)
  }
  return `${lines.join('\r\n')}\r\n\r\n`
}
