/** Keeps a session joined: a fresh client for each connection, whatever ended the last one, and everything registered again. */

import { isUri } from '#component/syntax/wamp-uri.ts'
import { type Channel, ignore } from '#component/wamp/channel/channel.ts'
import {
  type Registered,
  StandingRegistration,
  StandingRegistrations,
} from '#component/wamp/registrations/standing-registrations.ts'
import { Attempts } from '#component/wamp/routers/attempts.ts'
import type { Routers, Stay } from '#component/wamp/routers/routers.ts'
import { matchOf } from '#component/wamp/watch/subscriptions.ts'
import { Watches } from '#component/wamp/watch/watches.ts'
import type { MakeClient } from './client.ts'
import { Connection } from './connection.ts'
import { isRefusal, noPieces, notJoined, refuseUri, rejected, sessionLeft } from './failure.ts'
import { type Credentials, credentials } from './join-auth.ts'
import { code } from './messages.ts'
import type { StartRequest } from './outbox.ts'
import { RegistrationCheck } from './registration-check.ts'
import { readPublication, readResult } from './requests.ts'
import type {
  Call,
  EventHandler,
  InvocationHandler,
  Payload,
  ProgressListener,
  Publication,
  Session,
  WampError,
  Watch,
  WatchHandlers,
} from './session.ts'
import { openChannels, routersOf, type SessionOptions } from './session-options.ts'
import {
  type Ending,
  isRouterLost,
  lostSession,
  routerMember,
  SessionRecord,
} from './session-record.ts'
import { type Standing, Standings } from './standings.ts'

const startCall: StartRequest = (client, procedure) => client.call(procedure)
const startPublish: StartRequest = (client, topic) => client.publish(topic)

export class SupervisedSession implements Session {
  readonly realm_uri: string
  /** Its joins and ends. */
  readonly record = new SessionRecord()
  /** See {@link SessionOptions.onJoin}. */
  onJoin: () => unknown
  readonly #options: SessionOptions
  readonly #openChannel: (url: string | undefined) => Channel
  readonly #routers: Routers
  readonly #makeClient: MakeClient
  readonly #credentials: Credentials
  readonly #standings: Standings
  readonly #check: RegistrationCheck<Standing | StandingRegistration>
  /** There from the first one on. */
  #served: StandingRegistrations | undefined
  /** Callbacks that wait for the session to join or end. */
  readonly #waiting = new Set<() => void>()
  #connection: Connection | undefined
  /** There from the first watch on. */
  #watches: Watches | undefined
  readonly #attempts: Attempts
  #isLeft = false
  #stopTimer: () => void = ignore
  #ended: () => void = ignore

  constructor(options: SessionOptions, makeClient: MakeClient) {
    this.realm_uri = options.realm_uri
    this.onJoin = options.onJoin ?? ignore
    this.#options = options
    this.#openChannel = openChannels(options)
    this.#routers = routersOf(options)
    this.#attempts = new Attempts(options.clock, this.#routers.count)
    this.#makeClient = makeClient
    this.#credentials = credentials(options.auth)
    this.#standings = new Standings({
      ...{ realm_uri: this.realm_uri, clock: options.clock, log: options.log },
      connection: () => this.#connection,
      pause: () => this.#attempts.pause(3),
    })
    this.#check = new RegistrationCheck({
      ...{ session: this, clock: options.clock, log: options.log },
      everyMs: options.registrationCheckMs,
      restore: async (lost) => {
        const served = lost.filter((one) => one instanceof StandingRegistration)
        await this.#standings.restore(lost.filter((one) => 'tell' in one))
        await this.#served?.restore(served)
      },
    })
    this.#connect()
  }

  get isOpen(): boolean {
    return this.#connection?.isJoined ?? false
  }

  get passesTraceContext(): boolean {
    return this.#connection?.passesTraceContext ?? false
  }

  /** Requests in flight. */
  get pending(): number {
    return this.#connection?.pending ?? 0
  }

  /** The reason of the last connection's end: a URI of the router, or a sentence. */
  get lastReason(): string {
    return this.record.lastReason
  }

  /**
   * Waits for the session to be joined.
   * @param isFinal says whether a failed attempt, by its reason, ends the waiting, once each router has been tried
   * @returns whether it is joined
   */
  async joined(timeoutMs: number, isFinal = (_reason: string) => false): Promise<boolean> {
    let isLate = false
    const stopTimer = this.#options.clock.after(timeoutMs, () => {
      isLate = true
      this.#wake()
    })
    const hasFailed = () => {
      const { lastReason } = this
      return isFinal(lastReason) && (this.#attempts.haveTriedAll || isRefusal(lastReason))
    }
    while (!this.isOpen && !this.#isLeft && !isLate && !hasFailed()) {
      await new Promise<void>((resolve) => this.#waiting.add(resolve))
    }
    stopTimer()
    return this.isOpen
  }

  call(
    procedure: string,
    payload: Payload,
    options: Readonly<Record<string, unknown>>,
    timeoutMs: number,
    onProgress?: ProgressListener,
    progressTimeoutMs?: number,
  ): Call {
    const connection = this.#connection
    if (!connection?.isJoined) return failedCall(notJoined())
    if (!isUri(procedure)) return failedCall(refuseUri())
    const hasMore = options.progress === true
    if (hasMore && !connection.takesPieces) return failedCall(noPieces())
    const asked = onProgress ? { ...options, receive_progress: true } : options
    const { id, answer: result } = connection.request(
      [code.call, undefined, asked, procedure, payload.args, payload.kwargs],
      hasMore ? Infinity : timeoutMs,
      startCall,
      readResult,
      onProgress && { listener: onProgress, timeoutMs: progressTimeoutMs ?? timeoutMs },
    )
    const call: Call = { result, cancel: () => connection.cancel(id) }
    return hasMore ? { ...call, pieces: connection.pieces(id, procedure, timeoutMs) } : call
  }

  async publish(
    topic: string,
    payload: Payload,
    options: Readonly<Record<string, unknown>>,
    timeoutMs: number,
  ): Promise<Publication> {
    const connection = this.#connection
    if (!connection?.isJoined) throw notJoined()
    if (!isUri(topic)) throw refuseUri()
    const isAcknowledged = options.acknowledge !== false
    // clients whose streams share the session are no publishers to each other: the router would leave them out
    const reaching = this.#watches?.isEmpty === false ? { exclude_me: false, ...options } : options
    const asked = isAcknowledged ? { ...reaching, acknowledge: true } : reaching
    return await connection.request(
      [code.publish, undefined, asked, topic, payload.args, payload.kwargs],
      isAcknowledged ? timeoutMs : undefined,
      startPublish,
      readPublication,
    ).answer
  }

  register(
    procedure: string,
    handler: InvocationHandler,
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const tell = async (connection: Connection) => {
      const id = await connection.register(procedure, handler, options)
      this.#check.add(standing, id)
    }
    const standing = { uri: procedure, tell }
    return this.#keep(options, standing)
  }

  subscribe(
    topic: string,
    handler: EventHandler,
    options: Readonly<Record<string, unknown>> = {},
  ): Promise<void> {
    const tell = (connection: Connection) => connection.subscribe(topic, handler, options)
    return this.#keep(options, { uri: topic, tell })
  }

  watch(
    topic: string,
    options: Readonly<Record<string, unknown>>,
    timeoutMs: number,
    handlers: WatchHandlers,
  ): Promise<Watch> {
    this.#watches ??= new Watches({
      clock: this.#options.clock,
      log: this.#options.log,
      subscriptions: () => this.#connection?.subscriptions,
      pause: () => this.#attempts.pause(3),
    })
    return this.#watches.watch(topic, options, timeoutMs, handlers)
  }

  /** Serves a procedure of a document, from now on and after each join. `tried` resolves after the first answer of the router. */
  serve(what: Registered): ReturnType<StandingRegistrations['add']> {
    this.#served ??= new StandingRegistrations({
      ...{ realm_uri: this.realm_uri, clock: this.#options.clock, log: this.#options.log },
      callee: () => this.#connection?.callee,
      onRegistered: (one, id) => this.#check.add(one, id),
    })
    return this.#served.add(what)
  }

  async withdraw(): Promise<void> {
    this.#standings.forget()
    this.#check.forget()
    await this.#connection?.withdraw()
  }

  async leave(why = sessionLeft()): Promise<void> {
    if (this.#isLeft) return
    this.#isLeft = true
    this.#stopTimer()
    this.#watches?.end(why)
    const connection = this.#connection
    if (connection) {
      const ended = new Promise<void>((resolve) => {
        this.#ended = resolve
      })
      connection.leave()
      await ended
    }
    this.#wake()
  }

  async #keep(options: Readonly<Record<string, unknown>>, standing: Standing): Promise<void> {
    if (!isUri(standing.uri, matchOf(options))) throw refuseUri()
    await this.#standings.keep(standing)
  }

  #connect(): void {
    const { realm_uri, log } = this.#options
    const stay = this.#routers.enter(() => this.#connection?.leave('another router is used'))
    try {
      const connection = new Connection({
        options: this.#options,
        credentials: this.#credentials,
        openChannel: () => this.#openChannel(stay.url),
        makeClient: this.#makeClient,
        onJoin: () => this.#onJoin(connection, stay),
        onRevoked: (id) => this.#served?.revoked(id),
        onEnd: (ending) => this.#onEnd(ending, stay),
      })
      this.#connection = connection
    } catch (error) {
      log.error({ err: error, realm: realm_uri }, 'the connection to the router cannot be opened')
      this.#onEnd({ reason: 'the connection cannot be opened' }, stay)
    }
  }

  #onJoin(connection: Connection, stay: Stay): void {
    const { log } = this.#options
    this.#attempts.joined()
    stay.joined()
    this.record.joined()
    log.info({ realm: this.realm_uri, ...routerMember(stay.url) }, 'joined')
    this.#wake()
    this.#watches?.joined()
    void this.#served?.joined()
    this.#check.start(() => connection.isJoined)
    this.#standings
      .restore()
      .then(() => (connection.isJoined ? this.onJoin() : undefined))
      .catch((error: unknown) => log.error({ err: error }, 'a task after joining failed'))
  }

  #onEnd(ending: Ending, stay: Stay): void {
    const { clock, log } = this.#options
    this.#connection = undefined
    const { reason } = ending
    const hasJoined = this.#attempts.hasJoined
    const { isNews, pause } = this.#attempts.failed(stay.url, reason)
    this.record.ended(ending, clock.now())
    this.#served?.lost()
    this.#ended()
    stay.ended(!this.#isLeft && isRouterLost(ending))
    if (this.#isLeft) return
    if (hasJoined) this.#watches?.lose()
    else if (isRefusal(reason)) this.#watches?.refuse(reason)
    const line = { ...lostSession(this.#options, stay.url, reason), pause }
    log[isNews ? 'warn' : 'debug'](line, 'no session with the router; trying again')
    this.#stopTimer = clock.after(pause, () => this.#connect())
    this.#wake()
  }

  #wake(): void {
    const waiting = [...this.#waiting]
    this.#waiting.clear()
    for (const resolve of waiting) resolve()
  }
}

const failedCall = (error: WampError): Call => ({ result: rejected(error), cancel: ignore })
