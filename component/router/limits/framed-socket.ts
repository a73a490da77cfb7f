/** What the router needs of a socket that carries messages: a WebSocket of `ws`, or a RawSocket. */
import type { Buffer } from 'node:buffer'

/** The length of what precedes a payload of this length in a frame; bytes. */
export type HeadOf = (payload: number) => number

/** Of a frame that a client sends by WebSocket (RFC 6455 §5.2). */
export function webSocketHead(payload: number): number {
  if (payload < 126) return 6
  return payload < 65_536 ? 8 : 14
}

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
  /** Asks a peer for a sign of life, where frames of the transport do that. */
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
