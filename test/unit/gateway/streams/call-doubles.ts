/** Doubles for streams of calls: a call whose pieces come when the test says so, and a client that keeps what it is sent. */
import type { CallListener, CallStream, Outcome } from '#component/action/action.ts'
import { CallStreams } from '#component/gateway/streams/call-streams.ts'
import type { Validators } from '#component/schema/validators.ts'
import type { Sink } from '#component/stream/sink.ts'
import { callResult, ManualClock } from '#test/unit/action/doubles.ts'
import { type Ask, documentOf, serve } from '#test/unit/gateway/fake-exchange.ts'

/** A call that gives what the test gives. */
export class CallDouble implements CallStream {
  readonly kind = 'call'
  isCancelled = false
  readonly #early: unknown[][]
  #listener: CallListener | undefined

  /** @param early the arguments of pieces that come before anybody takes them */
  constructor(...early: unknown[][]) {
    this.#early = early
  }

  begin(listener: CallListener): void {
    this.#listener = listener
    for (const args of this.#early) listener.onPiece(callResult({ args }))
  }

  cancel(): void {
    this.isCancelled = true
  }

  onSettled(): void {}

  piece(...args: unknown[]): void {
    this.#listener?.onPiece(callResult({ args }))
  }

  end(outcome: Outcome): void {
    this.#listener?.onOutcome(outcome)
  }
}

/** A client whose connection takes nothing as long as {@link isStuck}. */
class SinkDouble implements Sink {
  readonly writes: (string | Uint8Array)[] = []
  isStuck = false
  /** How many bytes may wait, and how many are counted. */
  room = Number.POSITIVE_INFINITY
  held = 0
  waiting = 0
  handed = 0
  /** `whole`, `cut`, or open. */
  ended: 'whole' | 'cut' | undefined
  readonly #closes: (() => void)[] = []

  write(bytes: string | Uint8Array): void {
    this.writes.push(bytes)
    if (this.isStuck) this.waiting += bytes.length
    else this.handed += bytes.length
  }

  end(): void {
    this.ended ??= 'whole'
  }

  destroy(): void {
    this.ended ??= 'cut'
  }

  onClose(callback: () => void): void {
    this.#closes.push(callback)
  }

  onDrain(): void {}

  hold(bytes: number): boolean {
    const fits = bytes <= this.room
    if (fits) this.held = bytes
    return fits
  }

  /** The client goes away. */
  leave(): void {
    for (const callback of this.#closes) callback()
  }

  get text(): string {
    return this.writes.map((bytes) => Buffer.from(bytes).toString()).join('')
  }
}

/** The result of a call. */
export const resultOf = (...args: unknown[]): Outcome => ({ result: { ...callResult({ args }) } })

/** The failure of a call. */
export const failureOf = (error_uri: string, ...args: unknown[]): Outcome => ({
  error: { error_uri, args, kwargs: {}, details: {} },
})

/** How an operation answers a call with progressive results. */
export interface Asked {
  readonly action?: object
  /** Further keys of the operation. */
  readonly keys?: object
  readonly response?: object
  /** With its question mark. */
  readonly query?: string
  readonly method?: string
  readonly bufferBytes?: number
  readonly ask?: Ask
  readonly validators?: Validators
}

/**
 * Asks an operation with `on_progress` whose call has the outcome.
 * @param outcome a call that goes on, or an outcome
 */
export async function askForPieces(
  outcome: CallDouble | Outcome,
  {
    action,
    keys,
    response,
    method = 'get',
    query = '',
    bufferBytes,
    ask = {},
    validators,
  }: Asked = {},
) {
  const clock = new ManualClock()
  const turns: (() => void)[] = []
  const callStreams = new CallStreams({
    clock,
    ...(bufferBytes !== undefined && { bufferBytes }),
    nextTurn: (task) => turns.push(task),
  })
  const operation = {
    action: { type: 'wamp_call', procedure: 'com.example.p', ...action },
    ...keys,
    response: { on_progress: {}, on_result: {}, on_error: {}, ...response },
  }
  const served = serve(
    documentOf({ '/x': { [method === 'head' ? 'get' : method]: operation } }),
    () => (outcome instanceof CallDouble ? { result: {}, stream: outcome } : outcome),
    undefined,
    undefined,
    undefined,
    callStreams,
    undefined,
    validators,
  )
  const headers = { accept: 'text/event-stream', ...ask.headers }
  const reply = await served.ask(`${method.toUpperCase()} /v1/x${query}`, { ...ask, headers })
  const sink = new SinkDouble()
  const { body } = reply
  if (body.kind === 'events') body.begin(sink)
  return {
    ...{ reply, sink, clock, callStreams },
    performed: served.performed,
    record: body.kind === 'events' ? body.record : undefined,
    /** The turn ends. */
    turn: (): void => {
      for (const task of turns.splice(0)) task()
    },
  }
}
