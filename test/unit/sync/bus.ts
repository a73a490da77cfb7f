/** A router that the test rules: it loses, repeats and delays what it is told to, and cuts sessions off. */
import { ServiceError } from '#component/errors.ts'
import {
  type Call,
  type CallResult,
  type EventHandler,
  type InvocationHandler,
  type Payload,
  WampError,
} from '#component/wamp/session.ts'
import type { SimulatedTime } from './time.ts'

type Options = Readonly<Record<string, unknown>>

interface Registration {
  readonly id: number
  readonly uri: string
  readonly callees: { readonly session: BusSession; readonly handler: InvocationHandler }[]
}

/** An event or call on its way. */
export interface Passing {
  readonly kind: 'event' | 'call'
  readonly uri: string
  readonly payload: Payload
  readonly from: BusSession
  readonly to: BusSession
}

const netFailure = () => new WampError('wamp.error.net_failure', { args: ['no session'] })

const errorOf = (error: unknown): WampError => {
  if (error instanceof WampError) return error
  if (error instanceof ServiceError) return new WampError(error.uri, { args: [error.message] })
  throw error
}

export class Bus {
  readonly time: SimulatedTime
  /** Are there `wamp.registration.*`? */
  hasMeta = true
  /** Milliseconds from one session to another. */
  delay: (passing: Passing) => number = () => 1
  /** How often an event arrives: 0 is a loss. */
  copies: (passing: Passing) => number = () => 1
  /** Whether {@link calls}, {@link events} and {@link traffic} are kept. */
  isWatched = true
  /** Sees each call before it is delivered. */
  onCall: (passing: Passing) => void = () => undefined
  /** Sees each answer before it is delivered. */
  onAnswer: (passing: Passing, answer: Payload) => void = () => undefined
  /** Every call of a procedure that a session has registered, and every question about registrations. */
  readonly calls: string[] = []
  readonly events: Passing[] = []
  /** Characters of all payloads, as JSON. */
  traffic = 0
  readonly sessions = new Set<BusSession>()
  readonly registrations = new Map<string, Registration>()
  /** Of the registrations, by their ids. */
  readonly #uris = new Map<number, string>()
  #count = 0

  constructor(time: SimulatedTime) {
    this.time = time
  }

  nextId(): number {
    this.#count++
    return this.#count
  }

  connect(): BusSession {
    const session = new BusSession(this)
    session.join()
    return session
  }

  /** Calls whose URI ends so. */
  countCalls(end: string): number {
    return this.calls.filter((uri) => uri.endsWith(end)).length
  }

  publish(from: BusSession, topic: string, payload: Payload): void {
    const size = this.#sizeOf(payload)
    const origin = { details: { publisher: from.id }, uri: topic }
    for (const to of this.sessions) {
      if (to === from || to.part !== from.part) continue
      for (const handler of to.topics.get(topic) ?? []) {
        const passing: Passing = { kind: 'event', uri: topic, payload, from, to }
        if (this.isWatched) this.events.push(passing)
        for (let copy = this.copies(passing); copy > 0; copy--) {
          this.traffic += size
          this.#deliver(passing, () => handler(payload, origin))
        }
      }
    }
  }

  /** The one or the other of `resolve` and `reject` is called, or none if the answer is lost. */
  call(
    from: BusSession,
    uri: string,
    payload: Payload,
    resolve: (answer: Payload) => void,
    reject: (error: WampError) => void,
  ): void {
    if (this.isWatched) this.calls.push(uri)
    if (uri.startsWith('wamp.')) {
      this.time.after(1, () => {
        const told = this.#meta(uri, payload.args[0])
        if (told instanceof WampError) reject(told)
        else resolve({ args: [told], kwargs: {} })
      })
      return
    }
    const callee = this.registrations.get(uri)?.callees.at(-1)
    if (!callee) {
      reject(new WampError('wamp.error.no_such_procedure'))
      return
    }
    const to = callee.session
    const passing: Passing = { kind: 'call', uri, payload, from, to }
    this.onCall(passing)
    this.traffic += this.#sizeOf(payload)
    const lose = () =>
      reject(new WampError('wamp.error.canceled', { args: ['the callee has gone'] }))
    if (!to.isOpen) {
      lose()
      return
    }
    const serve = async () => {
      const origin = { details: { caller: from.id }, uri }
      const answer = await callee.handler(payload, origin)
      to.lost.delete(lose)
      this.traffic += this.#sizeOf(answer)
      this.onAnswer(passing, answer)
      this.#deliver({ ...passing, from: to, to: from }, () => resolve(answer))
    }
    to.lost.add(lose)
    // the router of the one part hears nothing of the other
    if (to.part !== from.part) return
    this.#deliver(passing, () => {
      serve().catch((error: unknown) => reject(errorOf(error)))
    })
  }

  /** The last one that has registered a procedure is called. */
  register(session: BusSession, uri: string, handler: InvocationHandler): void {
    const known = this.registrations.get(uri)
    const registration = known ?? { id: this.nextId(), uri, callees: [] }
    registration.callees.push({ session, handler })
    this.registrations.set(uri, registration)
    this.#uris.set(registration.id, uri)
  }

  /** Everything of a session that has ended. */
  unregister(session: BusSession): void {
    for (const [uri, { callees, id }] of this.registrations) {
      const index = callees.findIndex((callee) => callee.session === session)
      if (index >= 0) callees.splice(index, 1)
      if (callees.length > 0) continue
      this.registrations.delete(uri)
      this.#uris.delete(id)
    }
  }

  #sizeOf(payload: Payload): number {
    return this.isWatched ? JSON.stringify(payload).length : 0
  }

  #meta(uri: string, id: unknown): unknown {
    if (!this.hasMeta) return new WampError('wamp.error.not_authorized')
    if (uri === 'wamp.registration.list') {
      return { exact: [...this.#uris.keys()], prefix: [], wildcard: [] }
    }
    const found = this.#uris.get(Number(id))
    if (found === undefined) return new WampError('wamp.error.no_such_registration')
    return { id, uri: found, match: 'exact', invoke: 'last' }
  }

  /** What is under way to or from a session that is held waits for it; a session that has ended gets nothing. */
  #deliver(passing: Passing, arrive: () => void): void {
    const { from, to } = passing
    const { life } = to
    const tryToArrive = () => {
      if (from.isHeld) from.waiting.push(tryToArrive)
      else if (to.isHeld) to.waiting.push(tryToArrive)
      else if (to.life === life && to.isOpen) arrive()
    }
    this.time.after(this.delay(passing), tryToArrive)
  }
}

/** The session of one node, or of a stranger. */
export class BusSession {
  isOpen = false
  /** A process that is stopped: what it should send or get waits. */
  isHeld = false
  id = 0
  /** Of a network that is partitioned. */
  part = 0
  /** Changes with each join. */
  life = 0
  readonly waiting: (() => void)[] = []
  /** Told when it ends. */
  readonly lost = new Set<() => void>()
  readonly topics = new Map<string, EventHandler[]>()
  onJoin: () => unknown = () => undefined
  readonly #bus: Bus
  readonly #standing: (() => void)[] = []

  constructor(bus: Bus) {
    this.#bus = bus
  }

  /** Joins, with everything registered and subscribed again. */
  join(): void {
    this.isOpen = true
    this.id = this.#bus.nextId()
    this.life++
    this.#bus.sessions.add(this)
    for (const stand of this.#standing) stand()
    this.onJoin()
  }

  /** The connection is gone, and both sides know. */
  cut(): void {
    this.isOpen = false
    this.topics.clear()
    this.#bus.sessions.delete(this)
    this.#bus.unregister(this)
    const lost = [...this.lost]
    this.lost.clear()
    for (const tell of lost) tell()
  }

  release(): void {
    this.isHeld = false
    for (const arrive of this.waiting.splice(0)) arrive()
  }

  call(uri: string, payload: Payload, _options: Options, timeoutMs: number): Call {
    const { promise: result, resolve, reject } = Promise.withResolvers<CallResult>()
    result.catch(() => undefined)
    if (!this.isOpen) {
      reject(netFailure())
      return { result, cancel: () => undefined }
    }
    const end = () => {
      stopTimer()
      this.lost.delete(lose)
    }
    const fail = (error: WampError) => {
      end()
      reject(error)
    }
    const lose = () => fail(netFailure())
    const failBy = (uri: string) => () => fail(new WampError(uri))
    const stopTimer = this.#bus.time.after(timeoutMs, failBy('service.error.timeout'))
    this.lost.add(lose)
    const succeed = (answer: Payload) => {
      end()
      resolve({ ...answer, request_id: 1, details: {} })
    }
    this.#bus.call(this, uri, payload, succeed, fail)
    return { result, cancel: failBy('wamp.error.canceled') }
  }

  async publish(topic: string, payload: Payload): Promise<{ publication_id: number }> {
    if (!this.isOpen) throw netFailure()
    this.#bus.publish(this, topic, payload)
    return { publication_id: 1 }
  }

  async register(uri: string, handler: InvocationHandler, options: Options = {}): Promise<void> {
    if (options.invoke !== 'last') throw new TypeError('a predecessor would keep the name')
    this.#keep(() => this.#bus.register(this, uri, handler))
  }

  async subscribe(topic: string, handler: EventHandler): Promise<void> {
    this.#keep(() => {
      this.topics.set(topic, [...(this.topics.get(topic) ?? []), handler])
    })
  }

  #keep(stand: () => void): void {
    this.#standing.push(stand)
    if (this.isOpen) stand()
  }
}
