/** Sends the body of a request as the further pieces of a call, as fast as the callee takes them. */
import type { Readable } from 'node:stream'
import type { RawBody } from '#component/action/action.ts'
import type { Call, CallResult } from '#component/wamp/session.ts'

/** The body is not read while the session has more to send than this; bytes. */
const mostWaiting = 1_048_576

/** How a body is sent. */
export interface SentBody {
  /** Of each piece but the last; bytes. */
  readonly chunkBytes: number
  /** How many pieces may be ahead of the last progressive result, the end of the body included; Infinity: any number. */
  readonly window: number
}

/** Counts the progressive results of the callee, each of which takes one piece. */
export class TakenPieces {
  count = 0
  #wake: (() => void) | undefined

  readonly add = (): void => {
    this.count += 1
    this.wake()
  }

  wake(): void {
    const wake = this.#wake
    this.#wake = undefined
    wake?.()
  }

  /** Resolves with the next one, or by {@link wake}. */
  next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

/**
 * Sends a body, up to its end or that of the call: a callee may answer before it has all.
 * @param open the body; undefined: the request has none. ServiceError 413, 503
 * @returns the answer of the callee; rejects as the call does
 * @throws ServiceError of the body, when the call is cancelled: 413, 408, 400
 */
export async function sendBody(
  call: Call,
  open: () => RawBody | undefined,
  taken: TakenPieces,
  { chunkBytes, window }: SentBody,
): Promise<CallResult> {
  const { pieces, result } = call
  if (pieces === undefined) return result
  let isOver = false
  let stream: Readable | undefined
  const end = () => {
    isOver = true
    taken.wake()
    stream?.destroy()
  }
  result.then(end, end)
  try {
    stream = open()?.stream
    let sent = 0
    const send = async (args: readonly unknown[], isLast: boolean): Promise<void> => {
      while (!isOver && sent - taken.count >= window) await taken.next()
      await pieces.room(mostWaiting)
      sent += 1
      if (!isOver) pieces.send(args, isLast)
    }
    if (stream) for await (const piece of chunksOf(stream, chunkBytes)) await send([piece], false)
    if (!isOver) await send([], true)
  } catch (error) {
    if (!isOver) {
      call.cancel()
      // the failure is that of the body
      result.catch(() => undefined)
      throw error
    }
  }
  return result
}

/** The bytes of a stream in chunks of one size; the last may be smaller. */
async function* chunksOf(stream: Readable, size: number): AsyncGenerator<Uint8Array> {
  let chunk = new Uint8Array(size)
  let filled = 0
  for await (const piece of stream as AsyncIterable<Buffer>) {
    for (let at = 0; at < piece.length; ) {
      const taken = Math.min(size - filled, piece.length - at)
      chunk.set(piece.subarray(at, at + taken), filled)
      filled += taken
      at += taken
      if (filled < size) continue
      yield chunk
      // what was sent may still wait in the session
      chunk = new Uint8Array(size)
      filled = 0
    }
  }
  if (filled > 0) yield chunk.subarray(0, filled)
}
