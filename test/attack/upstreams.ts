/** The upstreams of a gateway that is attacked, on a thread of their own: posts their {@link UpstreamUrls} once all listen. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTcpServer, type Server as TcpServer } from 'node:net'
import type { Duplex } from 'node:stream'
import { parentPort } from 'node:worker_threads'
import { acceptOf } from '#component/syntax/websocket.ts'

/** Where they listen. */
export interface UpstreamUrls {
  readonly whole: string
  /** One answers nothing, one by bytes that are no HTTP. */
  readonly broken: readonly string[]
}

/** Bytes of the answer that is forwarded from the large path. */
const largeBytes = 8_000_000

/** Answers `/large` with a large body, `/echo` with the body of the request, `/drip` byte by byte, everything else with a small one. */
async function startUpstream(): Promise<Server> {
  const large = Buffer.alloc(largeBytes, 'x')
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/plain')
    if (request.url === '/echo') {
      request.pipe(response)
      return
    }
    if (request.url === '/drip') drip(response)
    else response.end(request.url === '/large' ? large : 'quote')
  })
  server.on('upgrade', (request, socket) => switchTo(request, socket))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

/** A byte in 100 ms, a dozen times, unless the client goes. */
function drip(response: ServerResponse): void {
  let left = 12
  const timer = setInterval(() => {
    left -= 1
    if (left === 0) response.end('the last drop')
    else response.write('.')
  }, 100)
  response.on('close', () => clearInterval(timer))
}

/** Frames of 64 KiB, as fast as they are taken; a wrong answer; or none, as the path says. */
function switchTo({ url, headers }: IncomingMessage, socket: Duplex): void {
  socket.on('error', () => socket.destroy())
  if (url === '/silent') return
  const key = url === '/flood' ? (headers['sec-websocket-key'] ?? '') : ''
  const accept = acceptOf(key)
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`,
  )
  const frame = Buffer.concat([Buffer.from([0x82, 126, 0xff, 0xf0]), Buffer.alloc(0xfff0)])
  const flood = (): void => {
    while (!socket.destroyed && socket.write(frame));
  }
  socket.on('drain', flood)
  flood()
}

/** Takes connections, and answers them by bytes that are no HTTP; or by none. */
async function startBroken(answer: string | undefined): Promise<TcpServer> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', () => {
      if (answer !== undefined) socket.write(answer)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return server
}

const urlOf = (server: TcpServer): string => {
  const address = server.address()
  return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`
}

const [whole, ...broken] = await Promise.all([
  startUpstream(),
  startBroken(undefined),
  startBroken('garbage\r\n\r\n'),
])
const urls: UpstreamUrls = { whole: urlOf(whole), broken: broken.map(urlOf) }
parentPort?.postMessage(urls)
