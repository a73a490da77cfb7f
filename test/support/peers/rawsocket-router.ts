/** RawSocket as routers speak it (WAMP: RawSocket Transport), in front of the embedded router; knows none of the code that it tests. */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { createServer as createTlsServer } from 'node:tls'
import { routerRules } from '#component/codec/limits.ts'
import { serializers } from '#component/codec/serializers.ts'
import type { Link, OpenLink } from '#component/wamp/link.ts'

/** How a router behaves. */
export interface RawSocketRules {
  /** Path of a Unix socket; absent: a free port of the loopback interface. */
  readonly path?: string
  /** Absent: without TLS. */
  readonly tls?: { readonly cert: string; readonly key: string }
  /** The answer to a handshake of this second byte, or bytes to end the connection with. */
  readonly answer?: (second: number) => Buffer
  /** Whether it reads what follows the handshake. */
  readonly isDeaf?: boolean
}

/** A frame: its type and payload. */
type Frame = readonly [type: number, payload: Buffer]

/** One that listens. */
export interface RawSocketRouter {
  readonly url: string
  /** The second bytes of the handshakes that have come. */
  readonly handshakes: readonly number[]
  /** All frames that have come. */
  readonly frames: readonly Frame[]
  /** Sends bytes to all clients. */
  write(bytes: Buffer): void
  /** Ends all connections. */
  cut(): void
  stop(): Promise<void>
}

const byId = { 1: serializers.json, 2: serializers.msgpack, 3: serializers.cbor } as const

/** A frame as bytes. */
export function frameOf(type: number, payload: Buffer): Buffer {
  const { length } = payload
  return Buffer.concat([
    Buffer.from([type, length >> 16, (length >> 8) & 255, length & 255]),
    payload,
  ])
}

/** Sends bytes in two pieces that are cut within the head of a frame, so that the client has to put it together. */
function writeInPieces(socket: Socket, bytes: Buffer): void {
  socket.write(bytes.subarray(0, 3))
  setImmediate(() => socket.write(bytes.subarray(3)))
}

/** Serves one client. @param openLink of the router that it reaches */
function serve(
  socket: Socket,
  openLink: OpenLink | undefined,
  rules: RawSocketRules,
  seen: { handshakes: number[]; frames: Frame[] },
): void {
  let rest = Buffer.alloc(0)
  let link: Link | undefined
  let serializer: (typeof byId)[1 | 2 | 3] | undefined
  const queue: Buffer[] = []
  const flush = () => {
    const bytes = queue.splice(0)
    if (bytes.length > 0 && !socket.destroyed) writeInPieces(socket, Buffer.concat(bytes))
  }
  socket.on('error', () => undefined).on('close', () => link?.close(1000, ''))
  socket.on('data', (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    if (!serializer) {
      if (rest.length < 4) return
      const second = rest.readUInt8(1)
      seen.handshakes.push(second)
      rest = rest.subarray(4)
      serializer = byId[(second & 15) as 1 | 2 | 3]
      const answer = rules.answer?.(second) ?? Buffer.from([0x7f, 0xf0 | (second & 15), 0, 0])
      if (!rules.answer || ((answer[1] ?? 0) & 15) === (second & 15)) socket.write(answer)
      else {
        socket.end(answer)
        return
      }
      link = openLink?.()
      if (link) {
        link.onMessage = (message) => {
          const bytes = serializer?.encode(message) ?? ''
          queue.push(frameOf(0, Buffer.from(bytes)))
          // pieces of two frames must not mix
          setImmediate(() => setImmediate(flush))
        }
        link.onClose = () => {
          setImmediate(() => setImmediate(() => setImmediate(() => socket.end())))
        }
      }
    }
    while (rest.length >= 4 && rest.length >= 4 + rest.readUIntBE(1, 3)) {
      const length = rest.readUIntBE(1, 3)
      const frame: Frame = [rest.readUInt8(0), rest.subarray(4, 4 + length)]
      rest = rest.subarray(4 + length)
      seen.frames.push(frame)
      if (frame[0] === 0 && link && !rules.isDeaf) {
        link.send(serializer?.decode(frame[1], routerRules) as readonly unknown[])
      }
    }
  })
}

/**
 * Starts to listen.
 * @param openLink into the router behind it; absent: nothing answers
 */
export async function openRawSocketRouter(
  openLink: OpenLink | undefined,
  rules: RawSocketRules = {},
): Promise<RawSocketRouter> {
  const sockets = new Set<Socket>()
  const seen: { handshakes: number[]; frames: Frame[] } = { handshakes: [], frames: [] }
  const take = (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    serve(socket, openLink, rules, seen)
  }
  const server: Server = rules.tls ? createTlsServer(rules.tls, take) : createServer(take)
  if (rules.path === undefined) server.listen(0, '127.0.0.1')
  else server.listen(rules.path)
  await once(server, 'listening')
  const address = server.address()
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url:
      typeof address === 'object' && address !== null
        ? `${rules.tls ? 'rss' : 'rs'}://127.0.0.1:${address.port}`
        : `unix:${rules.path}`,
    ...seen,
    write: (bytes) => {
      for (const socket of sockets) socket.write(bytes)
    },
    cut,
    async stop() {
      cut()
      const closed = once(server, 'close')
      server.close()
      await closed
    },
  }
}
