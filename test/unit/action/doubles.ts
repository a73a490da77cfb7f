/** Doubles for the tests of actions: a clock that stands still, a run, and a session that does as told. */
import type { ActionFields, Run } from '#component/action/action.ts'
import { noTarget } from '#component/action/watching/action-target.ts'
import type { Clock } from '#component/clock.ts'
import type { ServiceError } from '#component/errors.ts'
import { anonymous } from '#component/identity.ts'
import type {
  Call,
  CallResult,
  Payload,
  ProgressListener,
  Publication,
  Session,
  Watch,
} from '#component/wamp/session.ts'
import { WampError } from '#component/wamp/session.ts'

/** A clock that moves only when told; randomness is always a half. */
export class ManualClock implements Clock {
  #now = 1_000
  readonly #timers = new Set<{ at: number; callback: () => void }>()

  now(): number {
    return this.#now
  }

  random(): number {
    return 0.5
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Timers that wait. */
  get pending(): number {
    return this.#timers.size
  }

  /** Moves on and lets everything happen that is due, promises included. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    await settled()
    for (;;) {
      const [next] = [...this.#timers].filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)
      if (!next) break
      this.#timers.delete(next)
      this.#now = next.at
      next.callback()
      await settled()
    }
    this.#now = end
  }
}

/** After all promises that could settle by themselves. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** A run of an anonymous GET; `cancel` is the client going away. */
export function runOf(changes: Partial<Run> = {}) {
  const callbacks: ((reason?: ServiceError) => void)[] = []
  const run: Run = {
    target: noTarget,
    realm_uri: 'com.example.test',
    identity: anonymous('com.example.test'),
    method: 'get',
    client: '198.51.100.7',
    attempts: { timeout: 1000, connect_timeout: 500, retries: 0, retry_timeout: 5000 },
    computed: new Set<string>(),
    rawBody: undefined,
    readsBody: false,
    request: {
      host: 'api.example.com',
      scheme: 'http',
      headers: {},
      path: '/things',
      query_params: {},
      query_string: '',
    },
    onCancel: (callback) => callbacks.push(callback),
    ...changes,
  }
  const cancel = (reason?: ServiceError): void => {
    for (const callback of callbacks.splice(0)) callback(reason)
  }
  return { run, cancel }
}

/** What a session was asked. */
export interface Asked extends Payload {
  readonly uri: string
  readonly options: ActionFields
  readonly timeoutMs: number
  /** Of a call that wants progressive results. */
  readonly progressTimeoutMs?: number
}

/** A call that waits for what the test says. */
interface Waiting {
  readonly onProgress: ProgressListener | undefined
  readonly settle: (answer: CallResult | Error) => void
}

/** A result as a router gives it. */
export const callResult = (payload: Partial<CallResult> = {}): CallResult => ({
  request_id: 7,
  details: {},
  args: [],
  kwargs: {},
  ...payload,
})

/** A session whose answers are given beforehand: an error is thrown, `undefined` never comes. */
export class SessionDouble implements Session {
  readonly realm_uri = 'com.example.test'
  readonly isOpen = true
  passesTraceContext = false
  readonly asked: Asked[] = []
  /** The calls, in order. */
  readonly calls: Waiting[] = []
  readonly #answers: (CallResult | Publication | Error | undefined)[]
  cancels = 0

  constructor(...answers: (CallResult | Publication | Error | undefined)[]) {
    this.#answers = answers
  }

  call(
    uri: string,
    payload: Payload,
    options: ActionFields,
    timeoutMs: number,
    onProgress?: ProgressListener,
    progressTimeoutMs?: number,
  ): Call {
    const times = { timeoutMs, ...(progressTimeoutMs !== undefined && { progressTimeoutMs }) }
    this.asked.push({ uri, ...payload, options, ...times })
    const { promise, resolve, reject } = Promise.withResolvers<CallResult>()
    const settle = (answer: CallResult | Error): void =>
      answer instanceof Error ? reject(answer) : resolve(answer)
    this.calls.push({ onProgress, settle })
    const answer = this.#answers.shift()
    if (answer) settle(answer as CallResult | Error)
    return {
      result: promise,
      cancel: () => {
        this.cancels += 1
        reject(new WampError('wamp.error.canceled'))
      },
    }
  }

  async publish(
    uri: string,
    payload: Payload,
    options: ActionFields,
    timeoutMs: number,
  ): Promise<Publication> {
    this.asked.push({ uri, ...payload, options, timeoutMs })
    const answer = this.#answers.shift()
    if (answer instanceof Error) throw answer
    if (!answer) return new Promise(() => {})
    return answer as Publication
  }

  async register(): Promise<void> {}
  async subscribe(): Promise<void> {}
  async watch(..._all: Parameters<Session['watch']>): Promise<Watch> {
    throw new WampError('wamp.error.not_authorized')
  }
  async withdraw(): Promise<void> {}
  async leave(): Promise<void> {}
}
