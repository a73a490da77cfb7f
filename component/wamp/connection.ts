/** One connection to a router and the session on it: stands between a client library and the transport, and keeps both safe. */
import type { Clock } from '#component/clock.ts'
import { LogThrottle, linePerMinute } from '#component/limits/log-throttle.ts'
import type { Log } from '#component/log.ts'
import { traceAnnouncement } from '#component/telemetry/wamp-context.ts'
import { type Channel, ignore, type OpenChannel, silence } from '#component/wamp/channel/channel.ts'
import { Callee } from '#component/wamp/registrations/callee.ts'
import { Subscriptions } from '#component/wamp/watch/subscriptions.ts'
import type { Client, MakeClient } from './client.ts'
import { Endpoints } from './endpoints.ts'
import { failure, invocationError, notJoined, refusedAsTooLarge, rejected } from './failure.ts'
import type { Credentials } from './join-auth.ts'
import type { WampMessage } from './link.ts'
import {
  announcingPieces,
  answers,
  asMap,
  code,
  completeHello,
  emptyError,
  fullInvocation,
  isAnswer,
  takesPieces,
  withoutPassthru,
} from './messages.ts'
import {
  type Draft,
  noSubscription,
  Outbox,
  type RequestDraft,
  type StartRequest,
} from './outbox.ts'
import { type Progress, Requests } from './requests.ts'
import type { CallPieces, EventHandler, InvocationHandler, WampError } from './session.ts'
import { defaultJoinTimeoutMs, registerMs, type SessionOptions } from './session-options.ts'
import { type Ending, endingOf } from './session-record.ts'

/** The failure of a request or invocation whose message cannot be read. */
const unreadable = (problem: string): WampError =>
  failure('wamp.error.invalid_payload', `a message of the router cannot be read: ${problem}`, true)

/** The ERROR in place of an answer, by its first fields; undefined for what is no answer, or does not tell to what. */
function errorInPlaceOf(fields: WampMessage, problem: string): WampMessage | undefined {
  const isError = fields[0] === code.error
  const type = isError ? fields[1] : answers[Number(fields[0])]
  const id = fields[isError ? 2 : 1]
  if (type === undefined || id === undefined) return undefined
  const { error_uri, args, kwargs } = unreadable(problem)
  const uri = isError && typeof fields[4] === 'string' ? fields[4] : error_uri
  return [code.error, type, id, {}, uri, args, kwargs]
}

/** Tells of them: one line a minute about each procedure or topic. */
class UnreadableLog {
  readonly #realm: string
  readonly #throttle: LogThrottle
  readonly #log: Log

  constructor(realm: string, clock: Clock, log: Log) {
    this.#realm = realm
    this.#throttle = new LogThrottle(clock, linePerMinute)
    this.#log = log
  }

  /** @param uri the procedure or topic; undefined where it is not known */
  tell(uri: string | undefined, problem: string): void {
    if (!this.#throttle.admits(uri ?? '')) return
    this.#log.warn({ realm: this.#realm, uri, problem }, 'a message of the router cannot be read')
  }
}

/** The dependencies of a connection. */
export interface ConnectionPorts {
  readonly options: SessionOptions
  readonly credentials: Credentials
  readonly openChannel: OpenChannel
  readonly makeClient: MakeClient
  readonly onJoin: () => void
  /** The router has taken away a registration below the client. @param id of it */
  readonly onRevoked: (id: unknown) => void
  /** Once, whether it ever joined or not. */
  readonly onEnd: (ending: Ending) => void
}

/** Bytes that may wait in the session while pieces of a call are sent. */
const defaultUnsentBytes = 262_144

/** Milliseconds that {@link Connection.withdraw} may take. */
const withdrawTimeoutMs = 2000

/** Milliseconds that a router may take to answer GOODBYE. */
const goodbyeTimeoutMs = 1000

/** Exists from opening to its end; a new one is made for each attempt. */
export class Connection {
  readonly #ports: ConnectionPorts
  readonly #clock: Clock
  readonly #channel: Channel
  readonly #outbox: Outbox
  readonly #client: Client
  readonly #requests: Requests
  #state: 'joining' | 'joined' | 'leaving' | 'over' = 'joining'
  #hasJoined = false
  #stopTimer: () => void = ignore
  /** What the router has said. */
  #ending: Ending | undefined
  #isWithdrawing = false
  /** Whether the router passes the trace context of options on. */
  passesTraceContext = false
  /** Whether the router takes calls in pieces. */
  takesPieces = false
  /** The message that the client is receiving. */
  #incoming: WampMessage = []
  readonly #endpoints: Endpoints
  /** There from the first one on. */
  #subscriptions: Subscriptions | undefined
  /** There from the first registration below the client on. */
  #callee: Callee | undefined
  /** Procedures by the ids that the client knows: it would end the connection over others. */
  readonly #registrations = new Map<unknown, string | undefined>()
  readonly #unreadable: UnreadableLog
  /** Those who wait for room look whether there is some. */
  readonly #looking = new Set<() => void>()

  constructor(ports: ConnectionPorts) {
    const { realm_uri, clock, log, joinTimeoutMs = defaultJoinTimeoutMs } = ports.options
    this.#ports = ports
    this.#clock = clock
    this.#requests = new Requests(clock, (type, id) => this.#giveUp(type, id))
    this.#endpoints = new Endpoints(log)
    this.#unreadable = new UnreadableLog(realm_uri, clock, log)
    this.#channel = ports.openChannel()
    this.#outbox = new Outbox(
      this.#channel,
      (empty) => this.#endpoints.take(empty),
      ports.options.isCallee ? completeHello : (hello) => hello,
    )
    this.#client = ports.makeClient({
      realm_uri,
      credentials: ports.credentials,
      send: (message) => {
        if (this.#state !== 'over') this.#outbox.pass(announcingPieces(message))
      },
      close: () => this.#end('the session was closed', false),
    })
    this.#channel.onOpen = () => this.#client.opened()
    this.#channel.onMessage = (message) => this.#receive(message)
    this.#channel.onUnreadable = (fields, problem) => this.#cannotRead(fields, problem)
    this.#channel.onTooLarge = (fields, bytes) => this.#wasTooLarge(fields, bytes)
    this.#channel.onQuiet = () => this.#askForLife()
    this.#channel.onClose = (reason) => this.#end(reason, true)
    this.#stopTimer = clock.after(joinTimeoutMs, () => {
      this.#end('the router did not send WELCOME in time', true)
    })
  }

  /** Whether it has ever joined. */
  get hasJoined(): boolean {
    return this.#hasJoined
  }

  get isJoined(): boolean {
    return this.#state === 'joined'
  }

  /** Requests in flight. */
  get pending(): number {
    return this.#requests.size
  }

  /** Undefined when it is not joined. */
  get subscriptions(): Subscriptions | undefined {
    if (this.#state !== 'joined') return undefined
    const send = (draft: Draft) => this.#outbox.requestBelow(draft, this.#client)
    this.#subscriptions ??= new Subscriptions({ clock: this.#clock, send })
    return this.#subscriptions
  }

  /** Undefined when it is not joined. */
  get callee(): Callee | undefined {
    if (this.#state !== 'joined') return undefined
    this.#callee ??= new Callee({
      clock: this.#clock,
      send: (draft) => this.#outbox.requestBelow(draft, this.#client),
      answer: (message) => (this.#state === 'over' ? undefined : this.#outbox.answer(message)),
      drained: () => this.#room(this.#ports.options.unsentBytes ?? defaultUnsentBytes),
    })
    return this.#callee
  }

  /**
   * Resolves when little waits, or nobody waits for it any more; undefined: little waits now.
   * @param most bytes that may wait
   * @param request the call whose callee reads them, where the router is in this process
   * @param isOver whether nobody waits for it any more; so it is where the session is over
   */
  #room(
    most: number,
    request?: unknown,
    isOver: () => boolean = () => false,
  ): Promise<void> | undefined {
    const isFree = () =>
      this.#state === 'over' || isOver() || this.#channel.waiting(request) <= most
    if (isFree()) return undefined
    return new Promise((resolve) => {
      const look = (): void => {
        if (!isFree()) {
          this.#channel.whenLess(request, look)
          return
        }
        this.#looking.delete(look)
        resolve()
      }
      this.#looking.add(look)
      this.#channel.whenLess(request, look)
    })
  }

  /** A call, or the session, is over: who waits for room need not wait any more. */
  #lookAgain(): void {
    for (const look of [...this.#looking]) look()
  }

  /**
   * Sends a request through the client.
   * @param timeoutMs undefined when no answer is wanted
   * @param start calls the client's operation
   * @param read makes the result of the promise from the answering message
   * @returns its id, and its answer, whose rejection need not be caught
   */
  request<T>(
    draft: RequestDraft,
    timeoutMs: number | undefined,
    start: StartRequest,
    read: (message: WampMessage) => T,
    progress?: Progress,
  ): { readonly id: unknown; readonly answer: Promise<T> } {
    if (this.#state !== 'joined') return { id: undefined, answer: rejected(notJoined()) }
    const problem = this.#outbox.request(draft, this.#client, start, draft[3])
    const [type, id]: Draft = draft
    if (problem || timeoutMs === undefined) {
      if (id !== undefined) this.#feed(emptyError(type, id))
      return { id, answer: problem ? rejected(problem) : Promise.resolve(read([type])) }
    }
    return { id, answer: this.#requests.wait(id, type, draft[3], timeoutMs, read, progress) }
  }

  /**
   * What follows the first piece of a call.
   * @param timeoutMs how long the answer may take behind the last one
   */
  pieces(id: unknown, procedure: string, timeoutMs: number): CallPieces {
    const isOver = () => this.#requests.nameOf(id) === undefined
    this.#requests.whenOver(id, () => this.#lookAgain())
    return {
      send: (args, isLast) => {
        if (isOver()) return
        const options = isLast ? {} : { progress: true }
        const problem = this.#outbox.piece([code.call, id, options, procedure, args, {}])
        if (problem && this.#requests.abandon(id, problem)) this.#giveUp(code.call, id)
        else if (isLast) this.#requests.time(id, timeoutMs)
      },
      room: (most) => this.#room(most, id, isOver),
    }
  }

  /** Cancels a call: settles it and tells the router. */
  cancel(id: unknown): void {
    const error = failure('wamp.error.canceled', 'the call was canceled', true)
    if (this.#requests.abandon(id, error)) this.#giveUp(code.call, id)
  }

  /** @returns the id of the registration, when the router has it */
  register(
    procedure: string,
    handler: InvocationHandler,
    options: Readonly<Record<string, unknown>>,
  ): Promise<unknown> {
    const endpoint = () => this.#endpoints.serve(handler, procedure, this.#incoming)
    const start = (client: Client) => client.register(procedure, endpoint)
    const draft: RequestDraft = [code.register, undefined, options, procedure]
    return this.request(draft, registerMs, start, idOf).answer
  }

  /** @returns when the router has it */
  async subscribe(
    topic: string,
    handler: EventHandler,
    options: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const onEvent = (message: WampMessage) => this.#endpoints.deliver(handler, topic, message)
    const listener = { onEvent, onMissed: ignore, onSubscribed: ignore, onRevoked: ignore }
    const { subscriptions } = this
    if (!subscriptions) throw notJoined()
    await subscriptions.subscribe(topic, options, registerMs, listener)
  }

  /**
   * Unregisters everything, and waits until all invocations that came before are answered: the router sends none after it has
   * confirmed. At most 2 s; never rejects.
   */
  async withdraw(): Promise<void> {
    if (this.#state !== 'joined') return
    this.#isWithdrawing = true
    const unregistered = Promise.resolve(this.#client.unregister()).then(ignore, ignore)
    const late = Promise.withResolvers<void>()
    const stopTimer = this.#clock.after(withdrawTimeoutMs, late.resolve)
    await Promise.race([unregistered.then(() => this.#endpoints.idle()), late.promise])
    stopTimer()
  }

  /**
   * Takes no more in, and leaves once everything that is under way is answered, in both directions. The deadlines of the calls bound the
   * time. Never rejects.
   */
  async retire(): Promise<void> {
    if (this.#state !== 'joined') return
    this.#subscriptions?.lose()
    await Promise.all([
      this.withdraw().then(() => this.#endpoints.idle()),
      this.#callee?.withdraw(withdrawTimeoutMs),
    ])
    await this.#requests.idle()
    this.leave()
  }

  /** Says GOODBYE and ends; {@link ConnectionPorts.onEnd} follows. @param why for one that has not joined */
  leave(why = 'the session was left'): void {
    if (this.#state !== 'joined') {
      this.#end(why, true)
      return
    }
    this.#state = 'leaving'
    this.#lose()
    this.#stopTimer = this.#clock.after(goodbyeTimeoutMs, () => {
      this.#end('the router did not respond to GOODBYE', true)
    })
    this.#client.leave()
  }

  /** Every router answers that there is no such subscription, whatever the session may do. */
  #askForLife(): void {
    const draft: Draft = [code.unsubscribe, undefined, noSubscription]
    if (this.#state === 'joined') this.#outbox.requestBelow(draft, this.#client)
  }

  /** Abandons a request: the client forgets it, and the router is told. */
  #giveUp(type: number, id: unknown): void {
    if (this.#state !== 'joined') return
    this.#feed(emptyError(type, id))
    if (type === code.call) this.#cancelAtRouter(id)
    // what the client does not know it has registered would end the connection later: begin again
    if (type === code.register) {
      queueMicrotask(() => this.#end('the router does not respond', true))
    }
  }

  #feed(message: WampMessage): void {
    const before = this.#incoming
    this.#incoming = message
    try {
      this.#client.receive(message)
    } catch (error) {
      const { log, realm_uri: realm } = this.#ports.options
      log.error({ err: error, realm }, 'the WAMP client library failed')
    } finally {
      this.#incoming = before
    }
  }

  #receive(message: WampMessage): void {
    const [type] = message
    if (isAnswer(type)) this.#settle(message)
    else if (type === code.event) this.#subscriptions?.deliver(withoutPassthru(message))
    else if (type === code.invocation) {
      if (this.#callee?.invoke(withoutPassthru(message))) return
      if (this.#registrations.has(message[2])) this.#feed(fullInvocation(withoutPassthru(message)))
    } else if (type === code.abort || type === code.goodbye) {
      this.#ending ??= endingOf(message)
      this.#lose()
      if (this.#state === 'joined') this.#state = 'leaving'
      this.#feed(message)
      this.#end(this.#ending.reason, false)
    } else if (this.#state === 'joining' && (type === code.welcome || type === code.challenge)) {
      this.#feed(message)
      if (type === code.welcome) this.#joined(asMap(message[2]))
    } else if (type === code.interrupt) this.#callee?.interrupt(message)
    else if (type === code.unregistered) {
      const revoked = this.#callee?.revoked(message)
      if (revoked !== undefined) this.#ports.onRevoked(revoked)
      const isOfCallee = this.#callee?.settle(message)
      if (this.#isWithdrawing && !isOfCallee) this.#feed(message)
    } else if (type === code.unsubscribed) this.#subscriptions?.revoke(message)
    // anything else was not asked for: both libraries would end the connection over it
  }

  /** One value of a peer that cannot be read is the failure of its message, at once. */
  #cannotRead(fields: WampMessage, problem: string): void {
    const [type, id] = fields
    const error = errorInPlaceOf(fields, problem)
    if (type === code.event) {
      this.#unreadable.tell(this.#subscriptions?.miss(fields), problem)
    } else if (type === code.invocation) {
      const uri = this.#callee?.uriOf(fields[2]) ?? this.#registrations.get(fields[2])
      this.#unreadable.tell(uri, problem)
      this.#outbox.pass(invocationError(id, unreadable(problem)))
    } else if (error) {
      this.#unreadable.tell(this.#requests.nameOf(error[2]), problem)
      this.#settle(error)
      if (asMap(fields[2]).progress === true) this.#cancelAtRouter(id)
    } else {
      this.#unreadable.tell(undefined, problem)
      if (this.#state === 'joining') this.#end(`a message of the router: ${problem}`, true)
    }
  }

  /** The session ends with a message that the router does not take: that is the failure of its request, and of no other. */
  #wasTooLarge([, id]: WampMessage, bytes: number): void {
    const uri = this.#requests.nameOf(id)
    const { log, realm_uri: realm } = this.#ports.options
    log.warn(
      { realm, uri, bytes },
      'the router has closed the session over a message that is too large for it',
    )
    this.#requests.abandon(id, refusedAsTooLarge(bytes))
  }

  #cancelAtRouter(id: unknown): void {
    this.#outbox.pass([code.cancel, id, { mode: 'killnowait' }])
  }

  #settle(message: WampMessage): void {
    const name = this.#requests.nameOf(message[1])
    if (!this.#requests.settle(message)) {
      this.#subscriptions?.settle(message)
      this.#callee?.settle(message)
      return
    }
    if (message[0] === code.registered) this.#registrations.set(message[2], name)
    if (message[0] === code.result) this.#client.forget(message[1])
    else this.#feed(message)
  }

  #joined(details: Readonly<Record<string, unknown>>): void {
    // the client may have refused the welcome
    if (this.#state === 'over') return
    this.passesTraceContext = details[traceAnnouncement] === true
    this.takesPieces = takesPieces(details)
    this.#stopTimer()
    this.#state = 'joined'
    this.#hasJoined = true
    this.#ports.onJoin()
  }

  /** The session is over: nothing that is under way is answered any more. */
  #lose(): void {
    this.#requests.lose()
    this.#subscriptions?.lose()
    this.#callee?.lose()
  }

  #end(reason: string, isLost: boolean): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#stopTimer()
    this.#lose()
    this.#lookAgain()
    Object.assign(this.#channel, silence)
    if (isLost) this.#channel.destroy()
    else this.#channel.close()
    this.#client.closed()
    this.#ports.onEnd(this.#ending ?? { reason })
  }
}

const idOf = (message: WampMessage): unknown => message[2]
