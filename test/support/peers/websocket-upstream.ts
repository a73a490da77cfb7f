/** Upstreams that open WebSockets: one that sends every message back, and one that answers as it is told. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** One that is well-behaved. */
export interface SocketUpstream {
  /** `host:port` */
  readonly host: string
  /** The handshakes, the last one behind. */
  readonly handshakes: readonly IncomingMessage[]
  /** Those that are open. */
  readonly open: ReadonlySet<WebSocket>
  close(): void
}

/** Echoes messages, and answers requests without Upgrade with 200. @param tls key and certificate: it speaks TLS */
export async function echoingUpstream(
  tls?: { readonly key: string; readonly cert: string },
  options: { readonly perMessageDeflate?: boolean } = {},
): Promise<SocketUpstream> {
  const answer = (_request: unknown, response: { end(text: string): void }) => response.end('plain')
  const server: Server = tls ? createTlsServer(tls, answer) : createServer(answer)
  const sockets = new WebSocketServer({
    ...{ server, perMessageDeflate: options.perMessageDeflate ?? false },
    maxPayload: 16 * 1024 * 1024,
    handleProtocols: (offered: Set<string>) => (offered.has('echo') ? 'echo' : false),
  })
  const handshakes: IncomingMessage[] = []
  const open = new Set<WebSocket>()
  sockets.on('headers', (headers) => {
    headers.push('Set-Cookie: seen=1', 'X-Upstream: yes', 'Content-Type: text/plain')
  })
  sockets.on('connection', (socket, request) => {
    handshakes.push(request)
    open.add(socket)
    socket.on('close', () => open.delete(socket))
    socket.on('error', () => undefined)
    socket.on('message', (data, isBinary) => socket.send(data, { binary: isBinary }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    handshakes,
    open,
    close() {
      for (const socket of open) socket.terminate()
      sockets.close()
      server.close()
      server.closeAllConnections()
    },
  }
}

/** One that answers the first bytes of each connection as it is told, and keeps what follows. */
export interface ScriptedUpstream {
  readonly host: string
  /** What each connection has sent, as Latin-1. */
  readonly received: string[]
  readonly sockets: readonly Socket[]
  close(): void
}

/** @param answer is given the head of the request */
export async function scriptedUpstream(
  answer: (head: string, socket: Socket) => string | Buffer | undefined,
): Promise<ScriptedUpstream> {
  const received: string[] = []
  const sockets: Socket[] = []
  const server = createTcpServer((socket) => {
    const at = received.push('') - 1
    sockets.push(socket)
    socket.on('error', () => undefined)
    let isAnswered = false
    socket.on('data', (bytes) => {
      received[at] += bytes.toString('latin1')
      if (isAnswered || !received[at]?.includes('\r\n\r\n')) return
      isAnswered = true
      const told = answer(received[at] ?? '', socket)
      if (told !== undefined) socket.write(told)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    ...{ received, sockets },
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
