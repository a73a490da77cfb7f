/** One transport from HELLO to GOODBYE: authentication, then messages, then the end. Sessions may follow one another on it. */
import { type Clock, callAt } from '#component/clock.ts'
import { traceAnnouncement } from '#component/telemetry/wamp-context.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import { code, randomId } from '#component/wamp/messages.ts'
import { offeredMethods } from './message-options.ts'
import {
  type ClientMessage,
  describePayload,
  describeViolation,
  type Options,
  ProtocolViolation,
  requestOf,
  withoutNulls,
} from './messages.ts'
import type { Authentication, Challenge, RealmPolicy, RefusedPeer, Welcome } from './ports.ts'
import type { Realm } from './realm.ts'
import { Session, type Transport } from './session.ts'

/** The HELLO that is being answered. */
interface Attempt {
  readonly realm: string
  readonly authid: string | undefined
  readonly session: number
  readonly authmethod: string
  readonly roles: unknown
  challenge: Challenge | undefined
}

/** The state of a connection. */
type ConnectionState =
  | { readonly kind: 'new' }
  | { readonly kind: 'joining'; readonly attempt: Attempt }
  | { readonly kind: 'joined'; readonly session: Session; readonly realm: Realm }
  /** GOODBYE is sent, and not yet answered. */
  | { readonly kind: 'leaving' }
  | { readonly kind: 'closed' }

const roles = {
  broker: {
    features: {
      event_retention: true,
      pattern_based_subscription: true,
      publisher_exclusion: true,
      publisher_identification: true,
      session_meta_api: true,
      subscriber_blackwhite_listing: true,
      subscription_meta_api: true,
      subscription_revocation: true,
    },
  },
  dealer: {
    features: {
      call_canceling: true,
      call_timeout: true,
      caller_identification: true,
      pattern_based_registration: true,
      progressive_call_invocations: true,
      progressive_call_results: true,
      registration_meta_api: true,
      registration_revocation: true,
      session_meta_api: true,
      shared_registration: true,
    },
  },
} as const

/** Of WELCOME.Details. */
const announced = { roles, [traceAnnouncement]: true }

/** The parts of the router that a connection uses. */
export interface ConnectionPorts {
  readonly policy: RealmPolicy
  readonly clock: Clock
  /** Milliseconds from opening, or from GOODBYE, to WELCOME. */
  readonly handshakeTimeoutMs: number
  /** Undefined when the realm is not served. */
  readonly realm: (uri: string) => Realm | undefined
  /** Called with failures that no peer has caused. */
  readonly onError: (error: unknown) => void
}

/** How long a peer may take to answer GOODBYE, in milliseconds. */
const goodbyeTimeoutMs = 1_000

/** WebSocket close codes (RFC 6455 §7.4.1). */
const closeNormal = 1000
const closeProtocolError = 1002
const closeTooLarge = 1009

/** The router's end of one transport. */
export class Connection {
  readonly #transport: Transport
  readonly #ports: ConnectionPorts
  #state: ConnectionState = { kind: 'new' }
  #stopTimer: () => void = () => {}

  constructor(transport: Transport, ports: ConnectionPorts) {
    this.#transport = transport
    this.#ports = ports
    this.#awaitWelcome()
  }

  /** The realm that is joined, or being joined. */
  get realm(): string | undefined {
    if (this.#state.kind === 'joined') return this.#state.realm.uri
    return this.#state.kind === 'joining' ? this.#state.attempt.realm : undefined
  }

  /** As {@link Session.excuse}. */
  excuse(): (now: number) => boolean {
    return this.#state.kind === 'joined' ? this.#state.session.excuse() : () => false
  }

  /** Bytes that the callee of a call has not read yet. */
  unreadOf(request: number): number {
    if (this.#state.kind !== 'joined') return 0
    return this.#state.session.calls.get(request)?.callee.transport.waiting ?? 0
  }

  /** Calls back once, when that callee has read them. */
  whenRead(request: number, tell: () => void): void {
    if (this.#state.kind !== 'joined') return
    this.#state.session.calls.get(request)?.callee.transport.whenRead(tell)
  }

  /** Whether the peer has received WELCOME and has not left since. */
  get isJoined(): boolean {
    return this.#state.kind === 'joined' || this.#state.kind === 'leaving'
  }

  /**
   * A message has arrived. Never throws: what goes wrong ends this session only.
   * @param problem why the message is only its first fields
   */
  receive(message: unknown, problem?: string): void {
    try {
      const violation = problem === undefined ? describeViolation(message) : undefined
      if (violation !== undefined) throw new ProtocolViolation(violation)
      const found = problem ?? describePayload(message as WampMessage)
      if (found === undefined) this.#dispatch(withoutNulls(message as WampMessage))
      else this.#cannotRead(message, found)
    } catch (error) {
      if (error instanceof ProtocolViolation) {
        this.abort('wamp.error.protocol_violation', error.message, closeProtocolError)
      } else {
        this.#ports.onError(error)
        this.abort('wamp.error.system_failure', 'an internal error occurred')
      }
    }
  }

  #cannotRead(fields: unknown, problem: string): void {
    const state = this.#state
    const request = state.kind === 'joined' ? requestOf(fields) : undefined
    if (state.kind !== 'joined' || request === undefined) throw new ProtocolViolation(problem)
    state.realm.cannotRead(state.session, fields as WampMessage, request, problem)
  }

  #dispatch(message: WampMessage): void {
    const state = this.#state
    const [type] = message
    if (state.kind === 'closed') return
    if (state.kind === 'leaving') {
      if (type === code.goodbye) this.#finish(closeNormal, 'goodbye')
    } else if (type === code.abort) this.#finish(closeNormal, 'aborted by the peer')
    else if (state.kind === 'joined') {
      if (type === code.goodbye) this.#answerGoodbye(state)
      else state.realm.handle(state.session, message as ClientMessage)
    } else if (state.kind === 'new') {
      if (type !== code.hello) throw new ProtocolViolation('expected HELLO')
      this.#hello(String(message[1]), message[2] as Options)
    } else {
      const { challenge } = state.attempt
      if (type !== code.authenticate || challenge === undefined) {
        throw new ProtocolViolation('expected AUTHENTICATE in response to CHALLENGE')
      }
      state.attempt.challenge = undefined // one try
      this.#settle(state.attempt, challenge.check(String(message[1])))
    }
  }

  #awaitWelcome(): void {
    this.#stopTimer()
    this.#stopTimer = this.#ports.clock.after(this.#ports.handshakeTimeoutMs, () => {
      this.abort('wamp.error.authentication_failed', 'the session was not joined in time')
    })
  }

  #hello(realm: string, details: Options): void {
    const { authextra, roles } = details
    const authid = typeof details.authid === 'string' ? details.authid : undefined
    if (typeof roles !== 'object' || roles === null) {
      throw new ProtocolViolation('HELLO: roles is not a map')
    }
    const offered = offeredMethods(details)
    const claims = { realm, authid, authmethods: offered }
    if (this.#ports.realm(realm) === undefined) {
      this.#refuse(claims, 'wamp.error.no_such_realm', 'the realm does not exist')
      return
    }
    const served = this.#ports.policy.authmethods(realm, this.#transport.peer)
    const authmethod = offered.find((method) => served.includes(method))
    if (authmethod === undefined) {
      const text = 'the realm does not accept the authentication methods offered'
      this.#refuse(claims, 'wamp.error.no_matching_auth_method', text)
      return
    }
    const session = randomId(this.#ports.clock)
    const attempt = { realm, authid, session, authmethod, roles, challenge: undefined }
    this.#state = { kind: 'joining', attempt }
    const answer = this.#ports.policy.authenticate({
      ...{ realm, session, authid, authmethod },
      authextra: typeof authextra === 'object' && authextra !== null ? { ...authextra } : {},
      peer: this.#transport.peer,
    })
    this.#settle(attempt, answer)
  }

  /** Goes on when the policy has answered, unless the attempt is over by then. */
  #settle(attempt: Attempt, answer: Promise<Authentication | undefined>): void {
    answer
      .then((authentication) => {
        if (this.#isCurrent(attempt)) this.#proceed(attempt, authentication)
      })
      .catch((error: unknown) => {
        this.#ports.onError(error)
        if (!this.#isCurrent(attempt)) return
        this.abort('wamp.error.authentication_failed', 'the authentication itself failed')
      })
  }

  #isCurrent(attempt: Attempt): boolean {
    return this.#state.kind === 'joining' && this.#state.attempt === attempt
  }

  #proceed(attempt: Attempt, authentication: Authentication | undefined): void {
    const claims = { ...attempt, authmethods: [attempt.authmethod] }
    if (authentication === undefined) {
      this.#refuse(claims, 'wamp.error.authentication_failed', 'the authentication has failed')
    } else if (authentication.kind === 'refuse') {
      this.#refuse(claims, authentication.reason, authentication.message)
    } else if (authentication.kind === 'welcome') this.#welcome(attempt, authentication)
    else {
      attempt.challenge = authentication
      this.#trySend([code.challenge, authentication.challenge, authentication.extra])
    }
  }

  #welcome(attempt: Attempt, welcome: Welcome): void {
    const realm = this.#ports.realm(attempt.realm)
    if (realm === undefined) {
      this.abort('wamp.error.no_such_realm', 'the realm was closed')
      return
    }
    const { session: id } = attempt
    const authmethod = welcome.authmethod ?? attempt.authmethod
    const session = new Session({
      ...{ id, realm: realm.uri, authmethod, welcome, roles: attempt.roles },
      transport: this.#transport,
      end: (reason, message) => this.goodbye(reason, message),
    })
    if (!this.#ports.policy.isWelcome(session)) {
      const text = 'the user may not use the realm any longer'
      const claims = { ...attempt, authid: session.authid, authmethods: [authmethod] }
      this.#refuse(claims, 'wamp.error.authentication_failed', text, text)
      return
    }
    this.#stopTimer()
    this.#state = { kind: 'joined', session, realm }
    if (welcome.expiresAt !== undefined) {
      this.#stopTimer = callAt(this.#ports.clock, welcome.expiresAt, () =>
        this.goodbye('wamp.close.killed', 'the ticket of the session has expired'),
      )
    }
    const details = {
      ...{ realm: realm.uri, authid: session.authid, authrole: session.authrole, authmethod },
      ...{ authprovider: 'realm', authextra: welcome.authextra ?? {}, ...announced },
    }
    this.#trySend([code.welcome, id, details])
    realm.join(session)
  }

  /** The peer leaves; it may say HELLO again. */
  #answerGoodbye({ realm, session }: Extract<ConnectionState, { kind: 'joined' }>): void {
    this.#state = { kind: 'new' }
    realm.leave(session)
    this.#trySend([code.goodbye, {}, 'wamp.close.goodbye_and_out'])
    this.#awaitWelcome()
  }

  /** Ends the session from here, then the transport. */
  goodbye(reason: string, message = 'the session is closed by the router'): void {
    const state = this.#state
    if (state.kind !== 'joined') {
      if (state.kind === 'new' || state.kind === 'joining') this.abort(reason, message)
      return
    }
    this.#state = { kind: 'leaving' }
    this.#stopTimer()
    this.#stopTimer = this.#ports.clock.after(goodbyeTimeoutMs, () => {
      this.#finish(closeNormal, 'goodbye')
    })
    this.#trySend([code.goodbye, { message }, reason])
    state.realm.leave(state.session)
  }

  /**
   * Does not let the peer join.
   * @param why for the log, where the policy cannot find it out
   */
  #refuse(
    { realm, authid, authmethods }: Omit<RefusedPeer, 'peer'>,
    reason: string,
    message: string,
    why?: string,
  ): void {
    this.#ports.policy.refused?.({ realm, authid, authmethods, peer: this.#transport.peer }, why)
    this.abort(reason, message)
  }

  /** Refuses or ends the session at once, with ABORT, and closes the transport. */
  abort(reason: string, message: string, closeCode = closeNormal): void {
    if (this.#state.kind === 'closed') return
    if (this.#state.kind !== 'leaving') this.#trySend([code.abort, { message }, reason])
    this.#finish(closeCode, reason)
  }

  /** The peer sends more than it may. */
  tooLong(problem: string): void {
    this.abort('wamp.error.payload_size_exceeded', problem, closeTooLarge)
  }

  #finish(closeCode: number, reason: string): void {
    this.lost()
    this.#transport.close(closeCode, reason)
  }

  /** Cuts a peer off that does not go. */
  terminate(): void {
    this.lost()
    this.#transport.terminate()
  }

  /** The transport is gone. */
  lost(): void {
    const state = this.#state
    this.#state = { kind: 'closed' }
    this.#stopTimer()
    if (state.kind === 'joined') state.realm.leave(state.session)
  }

  /** Only an authextra of the policy can make a message of the router itself impossible to encode. */
  #trySend(message: WampMessage): void {
    try {
      this.#transport.send(message)
    } catch (error) {
      this.#ports.onError(error)
    }
  }
}
