/** One run of an action for all requests that wait for its answer. */
import { ServiceError } from '#component/errors.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { FillingExchange } from './filling-exchange.ts'
import type { Fill, Kept } from './response-cache.ts'

/** How a run has ended. */
export type Landed =
  /** The answer, and whether it is stored. */
  | { readonly kept: Kept; readonly isStored: boolean }
  /** An answer for one request only, and why. */
  | { readonly reply: Reply; readonly reason: string }
  | { readonly error: unknown }

/** Runs once; when nothing waits for it any more, its action is cancelled. */
export class Flight {
  /** Never rejects. */
  readonly landed: Promise<Landed>
  readonly fill: Fill
  readonly #exchange: FillingExchange
  #waiting = 0

  constructor(exchange: FillingExchange, fill: Fill, landed: Promise<Landed>) {
    this.#exchange = exchange
    this.fill = fill
    this.landed = landed
  }

  /** A request that waits for it. @returns called when the request waits no longer */
  join(exchange: Pick<Exchange, 'onAbort'>, onGone: () => void = () => undefined): () => void {
    let isJoined = true
    this.#waiting += 1
    const leave = (reason?: ServiceError): void => {
      if (!isJoined) return
      isJoined = false
      this.#waiting -= 1
      if (this.#waiting === 0) this.#exchange.abort(reason)
    }
    exchange.onAbort((reason) => {
      leave(reason)
      onGone()
    })
    return leave
  }
}

/** Whether a stale answer may stand in (RFC 5861 §4). */
export function isFailure(landed: Landed): boolean {
  if ('kept' in landed) return false
  if ('reply' in landed) return landed.reply.status >= 500
  return landed.error instanceof ServiceError && landed.error.status >= 500
}

/** Ends the body of an answer that is not sent. */
export function discard(landed: Landed): void {
  if ('reply' in landed && landed.reply.body.kind === 'stream') landed.reply.body.stream.destroy()
}
