/** One connection to a router and the session on it: stands between a client library and the transport, and keeps both safe. */
import type { Clock } from '#component/clock.ts'
import { type Channel, ignore, type OpenChannel, silence } from './channel.ts'
import type { Client, MakeClient } from './client.ts'
import { Endpoints } from './endpoints.ts'
import { failure, handled, invocationError, notJoined, rejected } from './failure.ts'
import type { Credentials } from './join-auth.ts'
import type { WampMessage } from './link.ts'
import { code, emptyError, isAnswer, withoutPassthru } from './messages.ts'
import { type Progress, Requests } from './requests.ts'
import { type EventHandler, type InvocationHandler, type Payload, WampError } from './session.ts'
import { defaultJoinTimeoutMs, type SessionOptions } from './session-options.ts'
import { type Ending, endingOf } from './session-record.ts'

/** The dependencies of a connection. */
export interface ConnectionPorts {
  readonly options: SessionOptions
  readonly credentials: Credentials
  readonly openChannel: OpenChannel
  readonly makeClient: MakeClient
  readonly onJoin: () => void
  /** Once, whether it ever joined or not. */
  readonly onEnd: (ending: Ending) => void
}

/** The content of a request beside its target's name: no client library passes all of it on unchanged. */
interface Draft {
  readonly uri: string
  readonly options: Readonly<Record<string, unknown>>
  readonly payload: Payload | undefined
  /** The request's id once it is sent. */
  id: unknown
  problem: WampError | undefined
}

/** Milliseconds that a router may take to register or subscribe. */
const registerMs = 10_000

/** Milliseconds that {@link Connection.withdraw} may take. */
const withdrawTimeoutMs = 2000

/** Milliseconds that a router may take to answer GOODBYE. */
const goodbyeTimeoutMs = 1000

/** Exists from opening to its end; a new one is made for each attempt. */
export class Connection {
  readonly #ports: ConnectionPorts
  readonly #clock: Clock
  readonly #channel: Channel
  readonly #client: Client
  readonly #requests: Requests
  #state: 'joining' | 'joined' | 'leaving' | 'over' = 'joining'
  #stopTimer: () => void = ignore
  /** What the router has said. */
  #ending: Ending | undefined
  /** The request that the client is about to send. */
  #draft: Draft | undefined
  #isWithdrawing = false
  /** The message that the client is receiving. */
  #incoming: WampMessage = []
  readonly #endpoints: Endpoints
  /** Ids that the client knows: it would end the connection over others. */
  readonly #subscriptions = new Set<unknown>()
  readonly #registrations = new Set<unknown>()

  constructor(ports: ConnectionPorts) {
    const { realm_uri, clock, log, joinTimeoutMs = defaultJoinTimeoutMs } = ports.options
    this.#ports = ports
    this.#clock = clock
    this.#requests = new Requests(clock, (type, id) => this.#giveUp(type, id))
    this.#endpoints = new Endpoints(log)
    this.#channel = ports.openChannel()
    this.#client = ports.makeClient({
      realm_uri,
      credentials: ports.credentials,
      send: (message) => this.#transmit(message),
      close: () => this.#end('the session was closed', false),
    })
    this.#channel.onOpen = () => this.#client.opened()
    this.#channel.onMessage = (message) => this.#receive(message)
    this.#channel.onClose = (reason) => this.#end(reason, true)
    this.#stopTimer = clock.after(joinTimeoutMs, () => {
      this.#end('the router did not send WELCOME in time', true)
    })
  }

  get isJoined(): boolean {
    return this.#state === 'joined'
  }

  /** Requests in flight. */
  get pending(): number {
    return this.#requests.size
  }

  /**
   * Sends a request through the client.
   * @param timeoutMs undefined when no answer is wanted
   * @param start calls the client's operation
   * @param read makes the result of the promise from the answering message
   * @returns its id, and its answer, whose rejection need not be caught
   */
  request<T>(
    type: number,
    uri: string,
    options: Readonly<Record<string, unknown>>,
    payload: Payload | undefined,
    timeoutMs: number | undefined,
    start: (client: Client, uri: string) => Promise<unknown>,
    read: (message: WampMessage) => T,
    progress?: Progress,
  ): { readonly id: unknown; readonly answer: Promise<T> } {
    if (this.#state !== 'joined') return { id: undefined, answer: rejected(notJoined()) }
    const draft: Draft = { uri, options, payload, id: undefined, problem: undefined }
    this.#draft = draft
    let started: Promise<unknown>
    try {
      started = start(this.#client, uri)
    } finally {
      this.#draft = undefined
    }
    started.catch(ignore)
    const { id, problem } = draft
    if (id === undefined) return { id, answer: handled(unsent(type, started).then(read)) }
    if (problem || timeoutMs === undefined) {
      this.#feed(emptyError(type, id))
      return { id, answer: problem ? rejected(problem) : Promise.resolve(read([type])) }
    }
    return { id, answer: this.#requests.wait(id, type, timeoutMs, read, progress) }
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
    return this.request(code.register, procedure, options, undefined, registerMs, start, idOf)
      .answer
  }

  /** @returns when the router has it */
  async subscribe(
    topic: string,
    handler: EventHandler,
    options: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    const match = typeof options.match === 'string' ? options.match : undefined
    const onEvent = () => this.#endpoints.deliver(handler, topic, this.#incoming)
    const start = (client: Client) => client.subscribe(topic, onEvent, match)
    await this.request(code.subscribe, topic, options, undefined, registerMs, start, ignore).answer
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

  /** Says GOODBYE and ends; {@link ConnectionPorts.onEnd} follows. */
  leave(): void {
    if (this.#state !== 'joined') {
      this.#end('the session was left', true)
      return
    }
    this.#state = 'leaving'
    this.#requests.lose()
    this.#stopTimer = this.#clock.after(goodbyeTimeoutMs, () => {
      this.#end('the router did not answer GOODBYE', true)
    })
    this.#client.leave()
  }

  /** Abandons a request: the client forgets it, and the router is told. */
  #giveUp(type: number, id: unknown): void {
    if (this.#state !== 'joined') return
    this.#feed(emptyError(type, id))
    if (type === code.call) this.#transmit([code.cancel, id, { mode: 'killnowait' }])
    // what the client does not know it has registered would end the connection later: begin again
    if (type === code.register || type === code.subscribe) {
      queueMicrotask(() => this.#end('the router does not answer', true))
    }
  }

  #transmit(message: WampMessage): void {
    if (this.#state === 'over') return
    const draft = this.#draft
    let complete = message
    if (draft) {
      draft.id = message[1]
      const { options, uri, payload } = draft
      const target = [message[0], message[1], options, uri]
      complete = payload ? [...target, payload.args, payload.kwargs] : target
    } else if (message[0] === code.yield) complete = this.#endpoints.take(message)
    const problem = this.#trySend(complete)
    if (problem && draft) draft.problem = problem
    else if (problem && message[0] === code.yield)
      this.#trySend(invocationError(message[1], problem))
  }

  #trySend(message: WampMessage): WampError | undefined {
    try {
      this.#channel.send(message)
      return undefined
    } catch (error) {
      if (error instanceof WampError) return error
      return failure('wamp.error.invalid_argument', 'the payload cannot be serialized', false)
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
    else if (type === code.event) {
      if (this.#subscriptions.has(message[1])) this.#feed(withoutPassthru(message))
    } else if (type === code.invocation) {
      if (this.#registrations.has(message[2])) this.#feed(withoutPassthru(message))
    } else if (type === code.abort || type === code.goodbye) {
      this.#ending ??= endingOf(message)
      this.#requests.lose()
      if (this.#state === 'joined') this.#state = 'leaving'
      this.#feed(message)
      this.#end(this.#ending.reason, false)
    } else if (this.#state === 'joining' && (type === code.welcome || type === code.challenge)) {
      this.#feed(message)
      if (type === code.welcome) this.#joined()
    } else if (type === code.unregistered && this.#isWithdrawing) this.#feed(message)
    // anything else was not asked for: both libraries would end the connection over it
  }

  #settle(message: WampMessage): void {
    if (!this.#requests.settle(message)) return
    if (message[0] === code.subscribed) this.#subscriptions.add(message[2])
    if (message[0] === code.registered) this.#registrations.add(message[2])
    if (message[0] === code.result) this.#client.forget(message[1])
    else this.#feed(message)
  }

  #joined(): void {
    // the client may have refused the welcome
    if (this.#state === 'over') return
    this.#stopTimer()
    this.#state = 'joined'
    this.#ports.onJoin()
  }

  #end(reason: string, isLost: boolean): void {
    if (this.#state === 'over') return
    this.#state = 'over'
    this.#stopTimer()
    this.#requests.lose()
    Object.assign(this.#channel, silence)
    if (isLost) this.#channel.destroy()
    else this.#channel.close()
    this.#client.closed()
    this.#ports.onEnd(this.#ending ?? { reason })
  }
}

const idOf = (message: WampMessage): unknown => message[2]

/** The client did not send: it refuses, or has nothing to ask the router for (a second handler of one topic). */
async function unsent(type: number, started: Promise<unknown>): Promise<WampMessage> {
  const refusal = failure('wamp.error.invalid_uri', 'the client library refuses the URI', false)
  // no other request may be deferred: it would be sent after its caller has given up
  if (type !== code.subscribe) throw refusal
  await started.catch(() => {
    throw refusal
  })
  return [type]
}
