/** The body of an upstream that comes at once, as a whole: its answer has a length, and no stream holds a window for it. */
import type { Readable } from 'node:stream'
import { badGateway } from '#component/action/action.ts'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'

/** Longer bodies are not gathered; bytes. */
export const maxGathered = 262_144

/** How long the head of an answer waits for its body at most; milliseconds. */
const patienceMs = 10

/** The bytes of a body that ends in time; undefined: it goes on, and its stream has all of it. Rejects with a ServiceError where it fails. */
export function gathered(
  body: Readable,
  clock: Pick<Clock, 'after'>,
): Promise<Uint8Array | undefined> {
  return new Promise((resolve, reject) => {
    const pieces: Buffer[] = []
    const leave = (): void => {
      stop()
      body.off('data', take).off('end', end).off('error', fail).off('close', close)
    }
    const take = (piece: Buffer): void => void pieces.push(piece)
    const end = (): void => {
      leave()
      resolve(Buffer.concat(pieces))
    }
    const fail = (error?: unknown): void => {
      leave()
      reject(
        error instanceof ServiceError ? error : badGateway('the response is not complete', error),
      )
    }
    const close = (): void => fail(body.errored)
    const stop = clock.after(patienceMs, () => {
      leave()
      body.pause()
      if (pieces.length > 0) body.unshift(Buffer.concat(pieces))
      resolve(undefined)
    })
    body.on('data', take).on('end', end).on('error', fail).on('close', close)
  })
}
