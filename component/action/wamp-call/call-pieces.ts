/** A call with progressive results: keeps what comes until somebody takes it, and ends once, however it ends. */

import type { CallListener, CallStream, Outcome, Run } from '#component/action/action.ts'
import { failed, ownFailure, withAliases } from '#component/action/wamp-fields.ts'
import type { Clock } from '#component/clock.ts'
import { canceled, ServiceError } from '#component/errors.ts'
import type { Call, CallResult } from '#component/wamp/session.ts'

/** The bounds of a call. */
interface PiecesPorts {
  readonly run: Run
  readonly clock: Clock
  /** When the call has taken too long; milliseconds since the epoch. */
  readonly end: number
}

/** One attempt at a call. */
export class CallPieces implements CallStream {
  readonly kind = 'call'
  readonly call: Call
  /** The call itself as soon as its first piece is there, or its answer where none has come; rejects as the call does. */
  readonly begun: Promise<CallResult | CallPieces>
  readonly #ports: PiecesPorts
  readonly #resolve: (begun: CallResult | CallPieces) => void
  #hasBegun = false
  /** What came before somebody took it. */
  #early: CallResult[] = []
  #listener: CallListener | undefined
  #outcome: Outcome | undefined
  #settled: ((outcome: Outcome) => void)[] = []
  #stopTimer: (() => void) | undefined

  constructor(ports: PiecesPorts, send: (onPiece: (piece: CallResult) => void) => Call) {
    const { promise, resolve, reject } = Promise.withResolvers<CallResult | CallPieces>()
    this.#ports = ports
    this.begun = promise
    this.#resolve = resolve
    this.call = send((piece) => this.#take(piece))
    this.call.result.then(
      (result) => {
        if (this.#hasBegun) this.#settle({ result: withAliases(result) })
        else resolve(result)
      },
      (error: unknown) => {
        if (this.#hasBegun) this.#settle(failed(error, ports.run).outcome)
        else reject(error)
      },
    )
  }

  begin(listener: CallListener): void {
    const early = this.#early
    const outcome = this.#outcome
    this.#early = []
    this.#listener = listener
    for (const piece of early) {
      listener.onPiece(piece)
      if (this.#listener !== listener) return
    }
    if (outcome) listener.onOutcome(outcome)
  }

  cancel(): void {
    this.#listener = undefined
    this.#giveUp(canceled())
  }

  onSettled(callback: (outcome: Outcome) => void): void {
    if (this.#outcome) callback(this.#outcome)
    else this.#settled.push(callback)
  }

  #take(piece: CallResult): void {
    if (this.#outcome) return
    if (this.#listener) this.#listener.onPiece(withAliases(piece))
    else this.#early.push(withAliases(piece))
    if (!this.#hasBegun) this.#begin()
  }

  #begin(): void {
    const { clock, end, run } = this.#ports
    this.#hasBegun = true
    if (end < Number.POSITIVE_INFINITY) {
      const late = 'the call took longer than its max_duration'
      const giveUp = () => this.#giveUp(new ServiceError('service.error.timeout', late))
      this.#stopTimer = clock.after(end - clock.now(), giveUp)
    }
    run.onCancel((reason) => {
      // a client that went away hears nothing more
      if (reason) this.#giveUp(reason)
      else this.cancel()
    })
    this.#resolve(this)
  }

  #giveUp(reason: ServiceError): void {
    if (this.#outcome) return
    this.#settle(ownFailure(reason))
    this.call.cancel()
  }

  #settle(outcome: Outcome): void {
    if (this.#outcome) return
    this.#outcome = outcome
    this.#stopTimer?.()
    const settled = this.#settled
    this.#settled = []
    for (const callback of settled) callback(outcome)
    this.#listener?.onOutcome(outcome)
  }
}
