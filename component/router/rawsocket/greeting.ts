/** The handshake of a RawSocket, as a router answers it. */
import { Buffer } from 'node:buffer'
import type { Duplex } from 'node:stream'
import type { Clock } from '#component/clock.ts'
import { type Asked, acceptance, readHandshake } from '#component/wamp/channel/rawsocket-frames.ts'

/** What {@link greet} needs. */
export interface Greeting {
  readonly socket: Duplex
  readonly clock: Pick<Clock, 'after'>
  /** Milliseconds until the handshake must have come. */
  readonly timeoutMs: number
  /** The longest message that the router takes; bytes. */
  readonly longest: number
  /** @param rest what has come behind the handshake */
  readonly onAccepted: (asked: Asked, rest: Buffer) => void
}

/** Bytes of a handshake. */
const length = 4

/** Waits for the handshake of a client, and answers it; one that is refused ends the connection. */
export function greet({ socket, clock, timeoutMs, longest, onAccepted }: Greeting): void {
  let come: Buffer = Buffer.alloc(0)
  const stop = clock.after(timeoutMs, () => socket.destroy())
  const destroy = () => socket.destroy()
  const read = (bytes: Buffer): void => {
    come = come.length === 0 ? bytes : Buffer.concat([come, bytes])
    if (come.length < length) return
    stop()
    socket.off('data', read)
    const asked = readHandshake(come.subarray(0, length))
    if ('refusal' in asked) {
      // what else has come is not read: the other end is no client of RawSocket, or knows why
      socket.resume()
      socket.end(asked.refusal, destroy)
      return
    }
    socket.off('error', destroy).off('close', stop)
    socket.write(acceptance(asked.serializer, longest))
    onAccepted(asked, come.subarray(length))
  }
  socket.on('data', read).on('error', destroy).once('close', stop)
}
