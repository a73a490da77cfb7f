/** One joined session of the router: its user, its announced features, and its calls in flight. */

import { messageOf } from '#component/errors.ts'
import { InFlight } from '#component/in-flight.ts'
import { isMap } from '#component/syntax/values.ts'
import type { Match } from '#component/syntax/wamp-uri.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import { code } from '#component/wamp/messages.ts'
import type { Options } from './messages.ts'
import type { Peer, Welcome } from './ports.ts'

/** A way to reach a peer. */
export interface Transport {
  readonly peer: Peer
  /** @throws when the message cannot be encoded for this peer */
  send(message: WampMessage): void
  /** Bytes that the peer has not read yet. */
  readonly waiting: number
  /** Calls back once, when the peer has read them; never where the connection ends. */
  whenRead(tell: () => void): void
  /** Closes after everything sent before has gone out. */
  close(code: number, reason: string): void
  /** Closes at once. */
  terminate(): void
}

/** A registration or subscription without its peers. */
export interface Pattern {
  readonly id: number
  readonly uri: string
  readonly match: Match
  /** ISO 8601. */
  readonly created: string
}

/** A procedure, or a pattern of procedures, and its callees. */
export interface Registration extends Pattern {
  readonly invoke: string
  /** In the order of registration. */
  readonly callees: Session[]
  /** Those callees that time calls themselves: they have registered with `forward_timeout`. */
  readonly timing: Set<Session>
  /** Round-robin: how many calls so far. */
  turn: number
}

/** A topic, or a pattern of topics, and its subscribers. */
export interface Subscription extends Pattern {
  readonly subscribers: Set<Session>
}

/** A call under way. */
export interface Invocation {
  readonly caller: Session
  readonly callRequest: number
  readonly callee: Session
  readonly request: number
  readonly procedure: string
  readonly receivesProgress: boolean
  readonly registration: Pick<Registration, 'id'>
  /** Whether the caller has more to send (WAMP: Progressive Call Invocations). */
  hasMore: boolean
  /** The timeout of the call where the router times it, else 0; milliseconds. */
  readonly timeoutMs: number
  /** Until when the callee may work on it without a sign of life; milliseconds since the epoch. */
  readonly silentUntil: number
  /** Takes the timer of the call's timeout back. */
  stopTimer: (() => void) | undefined
}

/** The features that the peer announces for the role. */
function featuresOf(roles: unknown, role: string): Readonly<Record<string, unknown>> {
  const announced = isMap(roles) ? roles[role] : undefined
  const features = isMap(announced) ? announced.features : undefined
  return isMap(features) ? features : {}
}

/**
 * Whether a callee is asked for progressive results: one that announces them, or announces features and does not tell of this one.
 * wampy yields them and does not announce them; a callee that does not know the option ignores it.
 */
function canProgress(features: Readonly<Record<string, unknown>>): boolean {
  const { progressive_call_results = Object.keys(features).length > 0 } = features
  return progressive_call_results === true
}

/** Calls of one session that are over, and whose caller may not know it. */
const mostEnded = 1000

/** Options of a session. */
export interface SessionOptions {
  readonly id: number
  readonly realm: string
  readonly authmethod: string
  readonly welcome: Welcome
  /** HELLO.Details.roles. */
  readonly roles: unknown
  readonly transport: Transport
  /** Ends the session: GOODBYE with a reason. */
  readonly end: (reason: string, message?: string) => void
}

/** A peer that has joined a realm. */
export class Session {
  readonly id: number
  readonly realm: string
  readonly authid: string
  readonly authroles: readonly string[]
  readonly authmethod: string
  /** Whether the ticket or token of the session is revoked. */
  readonly isRevoked: (() => boolean) | undefined
  /** Only these may be sent INTERRUPT: clients close on an unannounced one. */
  readonly canBeInterrupted: boolean
  /** Only these are asked for progressive results. */
  readonly canProgress: boolean
  /** Whether it sends calls in pieces, and takes invocations in pieces: such may be interrupted, too. */
  readonly streams: { readonly caller: boolean; readonly callee: boolean }
  /** Only these are told of the end of a subscription or registration by the router. */
  readonly hearsRevocations: { readonly subscriber: boolean; readonly callee: boolean }
  readonly transport: Transport
  readonly end: (reason: string, message?: string) => void
  /** False once it has said or heard GOODBYE, or is gone: nothing is sent any more. */
  isOpen = true
  /** Calls of this session under way, by the request id of CALL. */
  readonly calls = new InFlight<number, Invocation>()
  /** Invocations of this session under way, by the request id of INVOCATION. */
  readonly invocations = new InFlight<number, Invocation>()
  /** Calls in pieces that were over before their last piece: what comes yet is dropped. The oldest are forgotten. */
  readonly #ended = new Set<number>()
  readonly registrations = new Map<number, Registration>()
  readonly subscriptions = new Map<number, Subscription>()
  #invocationCount = 0

  constructor(options: SessionOptions) {
    this.id = options.id
    this.realm = options.realm
    this.authid = options.welcome.authid
    this.authroles = options.welcome.authroles
    this.authmethod = options.authmethod
    this.isRevoked = options.welcome.isRevoked
    const features = featuresOf(options.roles, 'callee')
    this.canBeInterrupted = features.call_canceling === true
    this.canProgress = canProgress(features)
    // some spell it so
    const isInterrupted = this.canBeInterrupted || features.call_cancelling === true
    this.streams = {
      caller: featuresOf(options.roles, 'caller').progressive_call_invocations === true,
      callee: isInterrupted && features.progressive_call_invocations === true,
    }
    const { subscription_revocation } = featuresOf(options.roles, 'subscriber')
    this.hearsRevocations = {
      subscriber: subscription_revocation === true,
      callee: features.registration_revocation === true,
    }
    this.transport = options.transport
    this.end = options.end
  }

  /** The first role, for fields that hold one role only. */
  get authrole(): string {
    return this.authroles[0] ?? ''
  }

  /** The id of the next INVOCATION: sequential, in the scope of the session. */
  nextInvocation(): number {
    this.#invocationCount += 1
    return this.#invocationCount
  }

  /** A call in pieces is over, and its caller has not sent the last one. */
  noteEnded(request: number): void {
    this.#ended.add(request)
    if (this.#ended.size <= mostEnded) return
    const [oldest] = this.#ended
    if (oldest !== undefined) this.#ended.delete(oldest)
  }

  forgetEnded(request: number): void {
    this.#ended.delete(request)
  }

  /** Whether a call is over that its caller sends pieces of. */
  isEnded(request: number, { hasMore }: { readonly hasMore: boolean }): boolean {
    return hasMore ? this.#ended.has(request) : this.#ended.delete(request)
  }

  /**
   * A callee may be too busy with an invocation to answer a ping: a synchronous procedure holds its event loop. Invocations that come later do
   * not count, else a callee that is dead would never be found out under load.
   * @returns whether an invocation of now is still under way, and its call not over time
   */
  excuse(): (now: number) => boolean {
    const last = this.#invocationCount
    return (now) =>
      this.invocations
        .values()
        .some(({ request, silentUntil }) => request <= last && now < silentUntil)
  }

  /** @returns why the message cannot be encoded for this peer: the dealer then fails the call, the broker leaves out this subscriber */
  send(message: WampMessage): string | undefined {
    try {
      if (this.isOpen) this.transport.send(message)
      return undefined
    } catch (error) {
      return messageOf(error)
    }
  }

  /** ERROR to a request of this session. */
  refuse(type: number, request: number, uri: string, message: string): void {
    this.send([code.error, type, request, {}, uri, [message]])
  }

  /** The details of the session in the session meta API. */
  describe(): Options {
    const { peer } = this.transport
    return {
      session: this.id,
      authid: this.authid,
      authrole: this.authrole,
      authmethod: this.authmethod,
      authprovider: 'realm',
      transport: {
        type: peer.isInProcess ? 'function' : (peer.transport ?? 'websocket'),
        peer: peer.address,
      },
    }
  }
}
