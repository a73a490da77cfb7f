/** Several outboxes on one store, with a router, an endpoint and a time of the test's own. */
import type { Clock } from '#component/clock.ts'
import { ProcessOutbox } from '#component/delivery/outbox.ts'
import type { OutboxPorts, RealmLock } from '#component/delivery/outbox-ports.ts'
import type {
  AttemptEnd,
  Delivery,
  DeliveryAttempt,
  DeliveryGap,
  DeliveryLimits,
} from '#component/delivery/types.ts'
import { SecretBox } from '#component/secret-box.ts'
import { openStore, type Store } from '#component/store/database.ts'
import type { WatchHandlers } from '#component/wamp/session.ts'

/** After everything that happens by itself: the store answers in some turns. */
async function settled(): Promise<void> {
  for (let turns = 0; turns < 12; turns += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
}

/** A time that the test moves. */
class BenchClock implements Clock {
  #now = 1_790_000_000_000
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>()

  now = (): number => this.#now
  random = (): number => 0.5

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + ms, callback }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Moves on at once: what is due meanwhile happens once, at the next {@link advance}. */
  jump(ms: number): void {
    this.#now += ms
  }

  /** Moves on, and lets everything happen that is due. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms
    await settled()
    for (;;) {
      const [next] = [...this.#timers]
        .filter(({ at }) => at <= end)
        .sort((one, other) => one.at - other.at)
      if (!next) break
      this.#timers.delete(next)
      this.#now = Math.max(next.at, this.#now)
      next.callback()
      await settled()
    }
    this.#now = end
  }
}

/** An attempt that has come to the endpoint. */
export interface Attempted extends DeliveryAttempt {
  /** `id` of the kwargs. */
  readonly id: unknown
  readonly by: string
  readonly gap?: DeliveryGap
}

/** One process. */
export class BenchProcess {
  readonly name: string
  readonly outbox: ProcessOutbox
  readonly #watchers = new Set<WatchHandlers>()
  readonly #waiting: (() => void)[] = []
  #isFrozen = false
  #isConnected = true

  constructor(name: string, bench: Bench, more: Partial<OutboxPorts>, store: Store) {
    this.name = name
    const { clock } = bench
    this.outbox = new ProcessOutbox({
      ...{ store, node: name, holder: name, log: bench.log, lock: undefined },
      clock: {
        ...{ now: clock.now, random: clock.random },
        after: (ms, callback) => clock.after(ms, () => this.#whenAwake(callback)),
      },
      monotonic: clock.now,
      session: () => ({
        isOpen: true,
        watch: async (_topic, _options, _ms, handlers) => {
          if (!this.#isConnected) throw new Error('not joined')
          this.#watchers.add(handlers)
          return {
            again: async () => undefined,
            end: () => void this.#watchers.delete(handlers),
          }
        },
      }),
      box: new SecretBox('a secret of enough entropy'),
      yieldTurn: () => undefined,
      beginInTurn: queueMicrotask,
      hasEndpoint: (endpoint) => bench.endpoints.has(endpoint),
      ...{ bufferBytes: 1 << 20, maxBytes: 1 << 24, drainMs: 5_000 },
      ...more,
    })
  }

  /** Its timers and its socket wait until it thaws; `kill`: for ever. */
  freeze(): void {
    this.#isFrozen = true
  }

  thaw(): void {
    this.#isFrozen = false
    for (const callback of this.#waiting.splice(0)) callback()
  }

  #whenAwake(callback: () => void): void {
    if (this.#isFrozen) this.#waiting.push(callback)
    else callback()
  }

  deliver(event: Parameters<WatchHandlers['onEvent']>[0]): void {
    if (!this.#isConnected) return
    this.#whenAwake(() => {
      for (const { onEvent } of [...this.#watchers]) onEvent(event)
    })
  }

  disconnect(): void {
    this.#isConnected = false
    for (const { onLost } of [...this.#watchers]) onLost()
  }

  reconnect(): void {
    this.#isConnected = true
    for (const { onBack } of [...this.#watchers]) onBack()
  }
}

const limits: DeliveryLimits = {
  ...{ delays: [5, 300], jitter: 0, disableAfter: 432_000, concurrency: 4, rate: undefined },
  ...{ maxPending: 1_000, maxAge: 604_800, onFull: 'refuse', timeoutMs: 15_000 },
}

/** What names the delivery of a bench. */
export const ref = { realm_uri: 'com.example', api_spec: 'hooks', name: 'orders' }

/** All of them. */
export class Bench {
  readonly clock = new BenchClock()
  readonly attempts: Attempted[] = []
  /** What may end each of them. */
  readonly signals = new Set<AbortSignal>()
  /** The ids that had two attempts at once. */
  readonly doubled: unknown[] = []
  readonly lines: string[] = []
  /** The endpoints of users that are there. */
  readonly endpoints = new Set<string>()
  readonly log: OutboxPorts['log']
  /** The process that the router has given the lock; undefined: none, or one that has ended. */
  holder: string | undefined = 'a'
  /** Processes that do not say that they have it. */
  readonly silent = new Set<string>()
  /** What the endpoint answers; a promise: when it does. */
  answer: (attempt: Attempted) => AttemptEnd | Promise<AttemptEnd> = () => ({ status: 200 })
  readonly #stores: Store[] = []
  readonly #processes: BenchProcess[] = []
  readonly #open = new Set<unknown>()
  #publications = 0

  constructor() {
    const write = (_fields: object, message: string) => void this.lines.push(message)
    this.log = { info: write, warn: write, error: write } as never
  }

  async openStore(): Promise<Store> {
    const store = await openStore('sqlite::memory:', this.clock)
    this.#stores.push(store)
    return store
  }

  /** Starts a process that declares the delivery. */
  async start(
    name: string,
    store: Store,
    more: Partial<OutboxPorts> = {},
    changes: Partial<Delivery> = {},
  ): Promise<BenchProcess> {
    const process = new BenchProcess(name, this, more, store)
    this.#processes.push(process)
    process.outbox.use([this.delivery(process, changes)])
    await this.clock.advance(1)
    return process
  }

  /** The lock of the realm, as a process sees it. */
  lockOf(name: string): () => RealmLock {
    const isHeld = () => this.holder === name
    return () => ({
      get isHeld() {
        return isHeld()
      },
      isElsewhere: async () =>
        this.holder !== undefined && !isHeld() && !this.silent.has(this.holder),
      end: async () => {
        if (isHeld()) this.holder = undefined
      },
    })
  }

  /** The delivery as a process has it. */
  delivery(by: BenchProcess, changes: Partial<Delivery> = {}): Delivery {
    const send =
      (attempted: Attempted) =>
      async (signal: AbortSignal): Promise<AttemptEnd> => {
        if (this.#open.has(attempted.webhook_id)) this.doubled.push(attempted.id)
        this.#open.add(attempted.webhook_id)
        this.attempts.push(attempted)
        this.signals.add(signal)
        const aborted = new Promise<AttemptEnd>((resolve) =>
          signal.addEventListener('abort', () => resolve({ error: 'aborted' })),
        )
        const end = await Promise.race([this.answer(attempted), aborted])
        this.#open.delete(attempted.webhook_id)
        return end
      }
    return {
      ...ref,
      ...{ topic: 'com.example.order', match: 'exact', isActive: true },
      admit({ kwargs: { key, bad } }) {
        if (bad) return { failed: 'order: expected a text' }
        return { isWanted: true, ...(typeof key === 'string' && { order: key }) }
      },
      request: ({ kwargs: { id } }, attempt) => ({
        send: send({ ...attempt, id, by: by.name }),
      }),
      gapRequest: (gap, attempt) => ({
        send: send({ ...attempt, id: gap.reason, by: by.name, gap }),
      }),
      ...changes,
      limits: { ...limits, ...changes.limits },
    }
  }

  /** Publishes to all processes. */
  publish(...all: readonly Readonly<Record<string, unknown>>[]): void {
    for (const kwargs of all) {
      this.#publications += 1
      const publication_id = this.#publications
      const payload = { args: [], kwargs }
      const event = { topic: 'com.example.order', payload, details: {}, isRetained: false }
      for (const process of this.#processes) process.deliver({ publication_id, ...event })
    }
  }

  /** The ids of the events that have come, in their order. */
  get ids(): readonly unknown[] {
    return this.attempts.filter(({ gap }) => !gap).map(({ id }) => id)
  }

  async close(): Promise<void> {
    for (const process of this.#processes) process.freeze()
    await settled()
    for (const store of this.#stores) await store.close()
  }
}

/** Limits that differ from those of the bench. */
export const limited = (changes: Partial<DeliveryLimits>): Partial<Delivery> => ({
  limits: changes as DeliveryLimits,
})
