/** The port to a WAMP session: the operations on a router that the rest of the component uses, independent of the client library. */
import type { Identity } from '#component/identity.ts'
import { isReservedUri } from '#component/syntax/wamp-uri.ts'

/** The arguments of a call, publication, result or event. */
export interface Payload {
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
}

/** The result of a call: a RESULT. */
export interface CallResult extends Payload {
  readonly request_id: number
  readonly details: Readonly<Record<string, unknown>>
}

/** The result of a publication: its id, if the router has acknowledged it. */
export interface Publication {
  readonly publication_id?: number
}

/** A call in flight. */
export interface Call {
  /** Rejects with {@link WampError}; always settles, at the latest at the call's deadline. */
  readonly result: Promise<CallResult>
  /** Gives up: settles the result with `wamp.error.canceled` at once and sends CANCEL. */
  cancel(): void
  /** Of a call that was begun with the option `progress`: what follows it. Absent: it was not sent. */
  readonly pieces?: CallPieces
}

/** The further pieces of a call (WAMP: Progressive Call Invocations). */
export interface CallPieces {
  /** Sends one; nothing where the call is over. One that cannot be sent is the failure of the call. The time of the answer begins with the last. */
  send(args: readonly unknown[], isLast: boolean): void
  /**
   * Resolves when the router, or the callee where the router is in this process, has read what was sent up to so many bytes, or the call is
   * over; undefined: it has.
   */
  room(mostBytes: number): Promise<void> | undefined
}

/** A failed WAMP operation, refused by the callee, the router or this side. */
export class WampError extends Error {
  readonly error_uri: string
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
  readonly details: Readonly<Record<string, unknown>>
  /** False only when the message certainly never left this process. */
  readonly wasSent: boolean
  /** The sentence of the gateway, where it made the error itself; undefined for an ERROR of a peer, which may hold data. */
  readonly reason: string | undefined

  constructor(
    error_uri: string,
    payload?: Partial<Payload> & {
      details?: Readonly<Record<string, unknown>>
      wasSent?: boolean
      reason?: string
    },
    options?: ErrorOptions,
  ) {
    super(`${error_uri}: ${String(payload?.args?.[0] ?? '')}`, options)
    this.name = 'WampError'
    this.error_uri = error_uri
    this.args = payload?.args ?? []
    this.kwargs = payload?.kwargs ?? {}
    this.details = payload?.details ?? {}
    this.wasSent = payload?.wasSent ?? true
    this.reason = payload?.reason
  }
}

/** The origin of an invocation or event, as far as the router discloses it, and its URI. */
interface Origin {
  readonly details: Readonly<Record<string, unknown>>
  /** The procedure or topic of the message. */
  readonly uri: string
}

/** An endpoint: throws {@link WampError} or a ServiceError to answer with an ERROR. */
export type InvocationHandler = (payload: Payload, origin: Origin) => Promise<Payload> | Payload
/** Handles an event. An error that it throws or rejects with is logged; its result is ignored. */
export type EventHandler = (payload: Payload, origin: Origin) => unknown

/** An event that a {@link Watch} gives: an EVENT, as the router has sent it. */
export interface WatchedEvent {
  /** The router's; Crossbar.io gives a retained event another one each time. */
  readonly publication_id: number
  /** The topic of the publication; where the router does not name it, the subscribed one. */
  readonly topic: string
  readonly payload: Payload
  /** What the router discloses, without the trace context of the publication: events are shown to clients. */
  readonly details: Readonly<Record<string, unknown>>
  /** Whether it is kept by the router and sent because of `get_retained`. */
  readonly isRetained: boolean
}

/** What a watch tells, synchronously and in order. An error that one of them throws is logged. */
export interface WatchHandlers {
  /** May be called before the promise of {@link Session.watch} is settled: right behind SUBSCRIBED. */
  onEvent(event: WatchedEvent): void
  /** An event has come that cannot be read, which the log tells of. @param publication_id 0 where it could not be read, either */
  onMissed(publication_id: number): void
  /** No event comes until {@link onBack} or {@link onRefused}: the session is lost, or the router has revoked the subscription. */
  onLost(): void
  /** The session has joined and subscribed again. Events between {@link onLost} and this did not come. */
  onBack(): void
  /**
   * The watch is over for good: the router refuses the session or the subscription, or the session was left.
   * @param error `service.error.unauthorized` where the user has gone
   */
  onRefused(error: WampError): void
}

/** A subscription that stands across rejoins. */
export interface Watch {
  /**
   * Sends SUBSCRIBE again: the router judges the grants anew and sends retained events if `options` ask for them; these go to every
   * watch of the session on this topic and match. A refusal changes nothing: events go on until {@link end}.
   * @throws WampError the refusal; `wamp.error.net_failure` and `service.error.timeout` are none
   */
  again(options: Readonly<Record<string, unknown>>, timeoutMs?: number): Promise<void>
  /** No handler is called any more. The last watch of a topic and match sends UNSUBSCRIBE. */
  end(): void
}

/** The pieces of a call that a caller wants to see. */
export type ProgressListener = (piece: CallResult) => void

/** One joined session. After its end every operation fails at once with `wamp.error.net_failure`. */
export interface Session {
  readonly realm_uri: string
  /** Whether it is joined. */
  readonly isOpen: boolean
  /** Whether the router passes the trace context of options on: known once the session has joined. */
  readonly passesTraceContext: boolean
  /**
   * Sends CALL.
   * @param timeoutMs local deadline: the call settles with `service.error.timeout` and is cancelled.
   * @param onProgress called synchronously with each progressive result, in order and before the result settles; the call asks for them
   *   if it is given. An error that it throws cancels the call, which settles with `service.error.internal`.
   * @param options with `progress`: the first piece of several, which {@link Call.pieces} sends; the deadline begins behind the last. A router
   *   without Progressive Call Invocations is not asked: `wamp.error.feature_not_supported`
   * @param progressTimeoutMs the deadline from one piece to the next or to the result; `timeoutMs` unless given
   */
  call(
    procedure: string,
    payload: Payload,
    options: Readonly<Record<string, unknown>>,
    timeoutMs: number,
    onProgress?: ProgressListener,
    progressTimeoutMs?: number,
  ): Call
  /**
   * Sends PUBLISH. Acknowledged unless `options.acknowledge` is false; then there is no publication_id. Watches of this session get the event,
   * too, unless `options.exclude_me` says otherwise.
   */
  publish(
    topic: string,
    payload: Payload,
    options: Readonly<Record<string, unknown>>,
    timeoutMs: number,
  ): Promise<Publication>
  /** Registers again after each rejoin. */
  register(
    procedure: string,
    handler: InvocationHandler,
    options?: Readonly<Record<string, unknown>>,
  ): Promise<void>
  /** Subscribes again after each rejoin. */
  subscribe(
    topic: string,
    handler: EventHandler,
    options?: Readonly<Record<string, unknown>>,
  ): Promise<void>
  /**
   * Subscribes for good: the subscription is made again after each rejoin. Several watches of one topic may exist, whatever their `match`.
   * @param options SUBSCRIBE.Options; after a rejoin they are sent without `get_retained`
   * @param timeoutMs how long the router may take
   * @throws WampError at once when the session is not joined; the refusal of the router
   */
  watch(
    topic: string,
    options: Readonly<Record<string, unknown>>,
    timeoutMs: number,
    handlers: WatchHandlers,
  ): Promise<Watch>
  /**
   * Unregisters everything permanently, and waits until earlier invocations are answered; at most some seconds. Never rejects.
   */
  withdraw(): Promise<void>
  /**
   * GOODBYE; settles what is in flight.
   * @param why told to the watches, which are over
   */
  leave(why?: WampError): Promise<void>
}

/** Gives the sessions that requests run on: one per realm and identity. */
export interface SessionSource {
  /**
   * The session of an identity. The gateway's own (anonymous) session of a realm is never waited for:
   * a closed one is returned and fails at once.
   * @param connectTimeoutMs how long a user's session may take to join
   * @param uri what is called, or published to; absent: the session subscribes. With `wamp.identity: forwarded` the session of a user
   *   that is got by it calls and publishes only
   */
  session(
    realm_uri: string,
    identity: Identity,
    connectTimeoutMs: number,
    uri?: string,
  ): Session | Promise<Session>
}

/**
 * `wamp.identity`: with `service` the gateway's own sessions serve users, too; with `forwarded` a session of the gateway sends what they
 * call and publish, in their names.
 */
export type IdentitySetting = 'session' | 'service' | 'forwarded'

/** Whether the requests of an identity run on the gateway's own session. */
export const isOfGateway = (
  { authmethod }: Pick<Identity, 'authmethod'>,
  setting: IdentitySetting | undefined,
): boolean => authmethod === 'anonymous' || setting === 'service'

/**
 * Whether a call or publication of a user is forwarded. Reserved URIs are not: the router would judge the gateway by its own rules for
 * them, and the procedures of the gateway believe no `forward_for`.
 * @param uri absent: of a subscription
 */
export const isForwarded = (
  identity: Pick<Identity, 'authmethod' | 'realm_uri'>,
  realm_uri: string,
  setting: IdentitySetting | undefined,
  uri: string | undefined,
): boolean =>
  setting === 'forwarded' &&
  uri !== undefined &&
  !isReservedUri(uri) &&
  identity.authmethod !== 'anonymous' &&
  identity.realm_uri === realm_uri
