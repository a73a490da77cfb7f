/** What the router needs of a socket that carries messages: a WebSocket of `ws`, or a RawSocket. */
import type { Buffer } from 'node:buffer'

/** A socket whose bytes are cut into messages. Its names are those of `ws`. */
export interface FramedSocket {
  readonly OPEN: number
  readonly readyState: number
  /** Bytes that wait to be sent. */
  readonly bufferedAmount: number
  readonly isPaused: boolean
  pause(): void
  resume(): void
  /** @throws when the peer takes no message of this length */
  send(
    data: string | Uint8Array,
    options: { readonly binary: boolean; readonly compress: false },
    sent?: () => void,
  ): void
  ping(): void
  /** Closes after everything sent before has gone out. */
  close(code: number, reason: string): void
  /** Closes at once. */
  terminate(): void
  on(event: 'message', listener: (data: Buffer, isBinary: boolean) => void): unknown
  on(event: 'ping' | 'pong', listener: (data: Buffer) => void): unknown
  on(event: 'error', listener: () => void): unknown
  once(event: 'close', listener: () => void): unknown
}
