/** Stands for the session of a user: calls and publications go over the session of the gateway, in the name of the user. */
import type { Identity } from '#component/identity.ts'
import { ignore } from '#component/wamp/channel/channel.ts'
import { failure, notJoined, rejected } from '#component/wamp/failure.ts'
import {
  type Call,
  type Payload,
  type ProgressListener,
  type Publication,
  type Session,
  WampError,
} from '#component/wamp/session.ts'
import { type Forwarded, forwardedAs, type Principal } from './forwarded.ts'

/** Decides by the grants of the realm as they are now. @returns whom the message is sent for; undefined: the user may not */
export type Judge = (
  identity: Identity,
  action: 'call' | 'publish',
  uri: string,
) => Principal | undefined

/** What the sessions of all users share. */
export interface ForwardedPorts {
  /** The session of the gateway. */
  readonly session: Session
  readonly judge: Judge
  /** Whether the router shows users, on the connection of now. */
  readonly isProven: () => boolean
  /** Takes each call, and each publication, that was sent. */
  readonly onSent: (sent: Sent) => void
}

/** A message that was sent for a user. */
export interface Sent {
  readonly identity: Identity
  readonly result: Promise<unknown>
  /** Of a call. */
  readonly call?: Call
}

type Options = Readonly<Record<string, unknown>>

const notPermitted = () =>
  failure('wamp.error.not_authorized', 'the realm does not grant this to the user', false)

/** Subscriptions and registrations cannot name a user: the router would take the gateway for it. */
const onlySends = () =>
  rejected(failure('wamp.error.not_authorized', 'the session calls and publishes only', false))

export class ForwardedSession implements Session {
  readonly realm_uri: string
  readonly #ports: ForwardedPorts
  readonly #identity: Identity
  readonly #id: number

  /** @param id the session id that callees see; of no session */
  constructor(ports: ForwardedPorts, identity: Identity, id: number) {
    this.realm_uri = ports.session.realm_uri
    this.#ports = ports
    this.#identity = identity
    this.#id = id
  }

  /** Whether it forwards over this session. */
  isOver(session: Session): boolean {
    return this.#ports.session === session
  }

  get isOpen(): boolean {
    return this.#ports.isProven()
  }

  get passesTraceContext(): boolean {
    return this.#ports.session.passesTraceContext
  }

  call(
    procedure: string,
    payload: Payload,
    options: Options,
    timeoutMs: number,
    onProgress?: ProgressListener,
    progressTimeoutMs?: number,
  ): Call {
    const { session, onSent } = this.#ports
    const forward_for = this.#forwardFor('call', procedure)
    if (forward_for instanceof WampError) return { result: rejected(forward_for), cancel: ignore }
    const asked = { ...options, forward_for }
    const call = session.call(procedure, payload, asked, timeoutMs, onProgress, progressTimeoutMs)
    onSent({ identity: this.#identity, result: call.result, call })
    return call
  }

  async publish(
    topic: string,
    payload: Payload,
    options: Options,
    timeoutMs: number,
  ): Promise<Publication> {
    const { session, onSent } = this.#ports
    const forward_for = this.#forwardFor('publish', topic)
    if (forward_for instanceof WampError) throw forward_for
    const result = session.publish(topic, payload, { ...options, forward_for }, timeoutMs)
    onSent({ identity: this.#identity, result })
    return await result
  }

  #forwardFor(action: 'call' | 'publish', uri: string): readonly [Forwarded] | WampError {
    const { isProven, judge } = this.#ports
    const principal = judge(this.#identity, action, uri)
    if (!principal) return notPermitted()
    return isProven() ? [forwardedAs(this.#id, principal)] : notJoined()
  }

  register = onlySends
  subscribe = onlySends
  watch = onlySends

  /** There is nothing to withdraw. */
  async withdraw(): Promise<void> {}

  /** Others use the session of the gateway. */
  async leave(): Promise<void> {}
}
