/** Keeps a session joined: a fresh client for each connection, whatever ended the last one, and everything registered again. */

import { isUri } from '#component/syntax/wamp-uri.ts'
import { type Channel, ignore } from '#component/wamp/channel/channel.ts'
import {
  type Registered,
  StandingRegistration,
  StandingRegistrations,
} from '#component/wamp/registrations/standing-registrations.ts'
import { Attempts } from '#component/wamp/routers/attempts.ts'
import { shownRouterUrl } from '#component/wamp/routers/router-url.ts'
import type { Routers, Stay, Visitor } from '#component/wamp/routers/routers.ts'
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

/** A connection on the way to another router. */
interface Next {
  readonly connection: Connection
  readonly stay: Stay
}

/** Milliseconds until a router that refuses the session, while it is joined elsewhere, is asked again. */
const refusedAgainMs = 30_000

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
  /** Of the connection. */
  #stay: Stay | undefined
  /** On another router, where it takes the place of the connection once everything is registered. */
  #next: Next | undefined
  /** All that have not ended: also those that have left a router and wait there for what is under way. */
  readonly #connections = new Set<Connection>()
  /** There from the first watch on. */
  #watches: Watches | undefined
  readonly #attempts: Attempts
  #isLeft = false
  #stopTimer: () => void = ignore
  #stopReturn: () => void = ignore
  #returned: () => void = ignore
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
      connection: () => this.#serving,
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

  /** The router that it has joined last, of a list of routers: its URL without secrets. Undefined where there is one router. */
  get router(): string | undefined {
    const url = this.#routers.count > 1 ? this.#stay?.url : undefined
    return url === undefined ? undefined : shownRouterUrl(url)
  }

  /** Requests in flight. */
  get pending(): number {
    let pending = 0
    for (const connection of this.#connections) pending += connection.pending
    return pending
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
      callee: () => this.#serving?.callee,
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
    this.#stopReturn()
    this.#watches?.end(why)
    if (this.#connections.size > 0) {
      const ended = new Promise<void>((resolve) => {
        this.#ended = resolve
      })
      for (const connection of [...this.#connections]) connection.leave()
      await ended
    }
    this.#wake()
  }

  /** Where registrations are made: on the way to another router there, before calls follow. */
  get #serving(): Connection | undefined {
    const next = this.#next?.connection
    return next?.isJoined ? next : this.#connection
  }

  async #keep(options: Readonly<Record<string, unknown>>, standing: Standing): Promise<void> {
    if (!isUri(standing.uri, matchOf(options))) throw refuseUri()
    await this.#standings.keep(standing)
  }

  /** @param current the connection of the stay @param at the place of its router; absent: the router in use */
  #enter(current: () => Connection | undefined, at?: number): Stay {
    const visitor: Visitor = {
      onMove: () => current()?.leave('another router is used'),
      // one that has left the router waits there for what is under way
      onReturn: async (first) => {
        if (current() === this.#connection) await this.#return(first)
      },
      isServing: () => this.#options.isCallee === true || !this.#standings.isEmpty,
    }
    return this.#routers.enter(visitor, at)
  }

  #open(stay: Stay, onJoin: (connection: Connection) => void): Connection | undefined {
    const { log, realm_uri } = this.#options
    try {
      const connection: Connection = new Connection({
        options: this.#options,
        credentials: this.#credentials,
        openChannel: () => this.#openChannel(stay.url),
        makeClient: this.#makeClient,
        onJoin: () => onJoin(connection),
        onRevoked: (id) => {
          // routers give the same ids
          if (connection === this.#serving) this.#served?.revoked(id)
        },
        onEnd: (ending) => {
          this.#connections.delete(connection)
          if (connection === this.#connection) this.#onEnd(ending, stay)
          else if (connection === this.#next?.connection) this.#onTurnedBack(ending, stay)
          else stay.ended(false)
          if (this.#connections.size === 0) this.#ended()
        },
      })
      this.#connections.add(connection)
      return connection
    } catch (error) {
      log.error({ err: error, realm: realm_uri }, 'the connection to the router cannot be opened')
      return undefined
    }
  }

  #connect(): void {
    let connection: Connection | undefined
    const stay = this.#enter(() => connection)
    connection = this.#open(stay, (joined) => {
      this.#isOn(joined, stay)
      void this.#served?.joined()
      this.#startCheck(joined)
      this.#afterJoin(joined, this.#standings.restore())
    })
    this.#connection = connection
    if (!connection) this.#onEnd({ reason: 'the connection cannot be opened' }, stay)
  }

  #isOn(connection: Connection, stay: Stay): void {
    const { log } = this.#options
    this.#connection = connection
    this.#stay = stay
    this.#attempts.joined()
    stay.joined()
    this.record.joined()
    log.info({ realm: this.realm_uri, ...routerMember(stay.url) }, 'joined')
    this.#wake()
    this.#watches?.joined()
  }

  #startCheck(connection: Connection): void {
    this.#check.start(() => connection.isJoined && connection === this.#serving)
  }

  #afterJoin(connection: Connection, restored: Promise<unknown>): void {
    const { log } = this.#options
    restored
      .then(() => (connection.isJoined ? this.onJoin() : undefined))
      .catch((error: unknown) => log.error({ err: error }, 'a task after joining failed'))
  }

  /**
   * Joins another router and registers everything there, before it leaves this one.
   * @param at the place of the router; absent: the router in use
   * @returns resolves once it is there, or has failed
   */
  #return(at?: number): Promise<void> {
    this.#stopReturn()
    if (this.#isLeft || this.#next || !this.isOpen) return Promise.resolve()
    let connection: Connection | undefined
    const stay = this.#enter(() => connection, at)
    connection = this.#open(stay, (joined) => void this.#arrive(joined, stay))
    if (!connection) {
      stay.ended(false)
      return Promise.resolve()
    }
    this.#next = { connection, stay }
    return new Promise((resolve) => {
      this.#returned = resolve
    })
  }

  async #arrive(connection: Connection, stay: Stay): Promise<void> {
    stay.joined()
    this.#startCheck(connection)
    await Promise.all([this.#standings.restore(), this.#served?.joined()])
    if (connection === this.#next?.connection && connection.isJoined) this.#moveTo(this.#next)
  }

  /** Calls go to the other router from now on; those under way end where they are. */
  #moveTo({ connection, stay }: Next): void {
    const last = this.#connection
    this.#next = undefined
    this.#connection = connection
    // events between the two subscriptions may be missing
    this.#watches?.lose()
    this.#isOn(connection, stay)
    this.#afterJoin(connection, Promise.resolve())
    this.#returned()
    // a linked router may have refused what the last connection still had
    void last?.retire().then(() => this.#served?.retry())
  }

  /** The other router is not there, or refuses the session, which stays where it is. */
  #onTurnedBack(ending: Ending, stay: Stay): void {
    const { clock, log } = this.#options
    const hasRegistered = this.#next?.connection.hasJoined === true
    const { reason } = ending
    this.#next = undefined
    stay.ended(!this.#isLeft && isRouterLost(ending))
    this.#returned()
    if (this.#isLeft || !this.isOpen) return
    const isNews = this.#attempts.isNews(stay.url, reason)
    const line = lostSession(this.#options, stay.url, reason)
    log[isNews ? 'warn' : 'debug'](line, 'no session with the router; staying on another one')
    // what was registered there is registered anew here, over another connection
    if (!hasRegistered && this.#stay?.url === this.#routers.url) return
    const pause = isRefusal(reason) ? refusedAgainMs : this.#attempts.pause(3)
    this.#stopReturn = clock.after(pause, () => void this.#return())
  }

  #onEnd(ending: Ending, stay: Stay): void {
    const { clock, log } = this.#options
    this.#connection = undefined
    const next = this.#next
    const { reason } = ending
    this.record.ended(ending, clock.now())
    if (next?.connection.isJoined && !this.#isLeft) {
      this.#moveTo(next)
      stay.ended(isRouterLost(ending))
      return
    }
    if (!this.#isLeft) next?.connection.leave('another router is used')
    const hasJoined = this.#attempts.hasJoined
    const { isNews, pause } = this.#attempts.failed(stay.url, reason)
    this.#served?.lost()
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
