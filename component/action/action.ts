/** The port of an action: its fields, already evaluated for one request, in; an outcome, a result or an error as data, out. */
import type { Duplex, Readable } from 'node:stream'
import { describeError, type ErrorUri, ServiceError } from '#component/errors.ts'
import type { Identity } from '#component/identity.ts'
import type { OnOver } from '#component/limits/semaphore.ts'
import type { Method, Request } from '#component/request.ts'
import type { Stream } from '#component/stream/stream.ts'
import type { StreamOwner, Wanted } from '#component/stream/terms.ts'
import type { Handshake } from '#component/syntax/websocket.ts'
import type { CallResult } from '#component/wamp/session.ts'
import type { Sent } from './sent.ts'
import type { WatchedRun } from './watching/attempt-watch.ts'

/** The fields of an action after evaluation, keyed as in the document; unchecked. Absent keys take their defaults. */
export type ActionFields = Readonly<Record<string, unknown>>

/** Milliseconds and counts that bound an action (behaviour: Units). */
export interface Attempts {
  readonly timeout: number
  readonly connect_timeout: number
  readonly retries: number
  readonly retry_timeout: number
}

/** A body that is passed on unread, from the client to an upstream. */
export interface RawBody {
  /** Errors with ServiceError (413, 408) when a limit of the path is passed. */
  readonly stream: Readable
  /** Bytes; undefined when the client sends chunks. */
  readonly length: number | undefined
}

/** The bytes of a body that has been read. */
export interface HeldBody {
  readonly bytes: Uint8Array
  /** Whether the gateway has taken a content coding off: then they are not the bytes that came. */
  readonly isInflated: boolean
}

/** What `wamp_subscribe` knows of its streams before a request. */
export interface StreamTerms
  extends Pick<Wanted, 'match' | 'replayEvents' | 'replayTimeoutMs'>,
    Pick<StreamOwner, 'api' | 'operation'> {
  /** Over whose session the gateway subscribes. */
  readonly as: 'user' | 'gateway'
  /** Streams of the operation at once; undefined: any number. */
  readonly maxStreams: number | undefined
}

/** The client, where it may be told of links ahead of the answer. */
export interface Hinted {
  /** Sends values of `Link` in a 103 (Early Hints), where the client takes it; tells whether it was sent. Absent: it takes none. */
  hint?(links: readonly string[]): boolean
}

/** What a request for a WebSocket offers that its action may open one for. */
export type OfferedSocket = Pick<Handshake, 'key' | 'protocols' | 'extensions'>

/** Who may have WebSockets through an action, and how long. */
export interface SocketTerms {
  /** Of pages, beside those of the host itself. */
  readonly origins: readonly string[]
  /** The subprotocols that are passed on; undefined: all. */
  readonly protocols: readonly string[] | undefined
  /** Milliseconds without a byte either way. */
  readonly idleMs: number
  /** Milliseconds; 0: any time. */
  readonly maxDurationMs: number
  /** Of the operation at once; undefined: any number. */
  readonly maxSockets: number | undefined
}

/** What a client has proved itself to the gateway with. */
export interface Proof {
  /** The access token (RFC 6750) that has proved the user; undefined: something else has. */
  readonly bearer: string | undefined
  /** The header fields that hold such proofs, beside `authorization`; in lower case. */
  readonly fields: readonly string[]
}

/** The data of a request that its action uses. */
export interface Run extends WatchedRun {
  readonly identity: Identity
  readonly method: Method
  /** The IP address of the client; empty where no client has asked, as in a delivery. */
  readonly client: string
  /** Evaluated and checked, like the fields, but not among them. */
  readonly attempts: Attempts
  /** Names of the fields that were computed from the request (confused deputy, SSRF). */
  readonly computed: ReadonlySet<string>
  /** Forward: what is sent where no `body` is declared: the request's body, unread or as it was read; undefined: it has none. */
  readonly rawBody: RawBody | HeldBody | undefined
  /** Forward: whether an expression reads the upstream's body, so that it is buffered and decoded. */
  readonly readsBody: boolean
  /** Forward: whether HEAD asks the upstream with GET, because the fields of the answer depend on its body (RFC 9110 §9.3.2). */
  readonly asksGet?: boolean
  /** Forward: takes the links of 103 (Early Hints); undefined: they are dropped. */
  readonly hinted?: Hinted | undefined
  /** Forward takes absent fields from it: method, path, query_string, headers. */
  readonly request: Pick<
    Request,
    'host' | 'scheme' | 'headers' | 'path' | 'query_params' | 'query_string'
  > & {
    /** The path with the trailing slash that it was received with; absent: `path`. */
    readonly receivedPath?: string
    /** What the path binds; absent: nothing. */
    readonly bindings?: Request['bindings']
  }
  /** The call of a procedure that it answers, in place of the request, which says nothing then. */
  readonly invocation?:
    | { readonly id: string; readonly details?: Readonly<Record<string, unknown>> }
    | undefined
  /** Forward: what an opening handshake offers, where the action may open a WebSocket; undefined: the request is no opening handshake. */
  readonly socket?: OfferedSocket | undefined
  /** Forward: tells what the client has proved itself with; absent: with nothing. */
  readonly proof?: (() => Proof) | undefined
  /** WAMP: the keyword argument that holds the trace context of the request; undefined: none does. */
  readonly traceKwargs?: string | undefined
  /** wamp_call: whether progressive results are wanted. */
  readonly wantsProgress?: boolean
  /** wamp_call: opens the streamed body of the request, and returns undefined where the request has none. @throws ServiceError 413, 503 */
  readonly openBody?: (() => RawBody | undefined) | undefined
  /** wamp_subscribe: what is known at load of its streams. */
  readonly streams?: StreamTerms | undefined
  /**
   * Takes a callback for when the client goes away or the gateway stops: the action then settles at once.
   * @param callback is told why where the client is still there
   */
  onCancel(callback: (reason?: ServiceError) => void): void
  /** Of an action that performs others: these, their expressions evaluated. @param items those of the list that they are performed for */
  readonly branches?: ((items: readonly unknown[] | undefined) => readonly Branch[]) | undefined
  /** Hears of what leaves in each attempt, before it does; undefined for nearly all requests. */
  readonly onSent?: ((sent: Sent) => void) | undefined
}

/** One of the actions that an action performs, for one request. */
export interface Branch {
  /** Its name, or the position of its item, from 1. */
  readonly key: string
  /** Whether the others go on when it fails. */
  readonly isOptional: boolean
  /** Rejects as {@link Action.perform}. */
  perform(): Promise<Outcome>
  /** It settles at once. */
  cancel(reason?: ServiceError): void
}

/** Performs one kind of action. An expected failure is an outcome, not a rejection; ServiceError when it cannot be tried. */
export interface Action {
  perform(fields: ActionFields, run: Run): Promise<Outcome>
  /** The same of an action that needs nothing of the run and waits for nothing; absent: it does. */
  readonly performAtOnce?: (fields: ActionFields) => Outcome
}

/** `action.error` of the API Context; forward adds the last four keys. */
export interface ActionError {
  readonly error_uri: string
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
  readonly details: Readonly<Record<string, unknown>>
  readonly status_code?: number
  readonly headers?: Readonly<Record<string, string | readonly string[]>>
  readonly body?: unknown
  readonly uri?: string
}

/** The answer of an upstream, to be passed on. */
export interface UpstreamAnswer {
  readonly status_code: number
  /** Lower-case names, without framing and hop-by-hop fields; only `set-cookie` can be a list. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** A stream must be read to its end or destroyed. It is destroyed with an error when the upstream fails. */
  readonly body: Uint8Array | Readable
  /** Bytes of the body as the upstream declared them (also for HEAD); undefined when it did not. */
  readonly length: number | undefined
}

/** A call whose first progressive result has come before its answer. It is begun or cancelled. */
export interface CallStream {
  readonly kind: 'call'
  /** Gives every piece in order, those that have come already at once, and then the outcome: nothing after that. */
  begin(listener: CallListener): void
  /** Gives the call up, if it is not over: the callee is told. The listener hears nothing more. */
  cancel(): void
  /** Calls back with the outcome when the call is over. */
  onSettled(callback: (outcome: Outcome) => void): void
}

/** A WebSocket that an upstream has opened. Its bytes are passed on, or it is cancelled. */
export interface OpenedSocket {
  readonly kind: 'websocket'
  readonly upstream: Duplex
  /** The fields of the 101 that tell of it: subprotocol and extensions. */
  readonly headers: Readonly<Record<string, string>>
  /** Calls back when its upstream is taken away; absent: nothing takes it away. @returns ends that */
  onTakenAway?(callback: () => void): () => void
  /** Ends it. */
  cancel(): void
}

/** Takes what comes of a {@link CallStream}. */
export interface CallListener {
  onPiece(piece: CallResult): void
  onOutcome(outcome: Outcome): void
}

/** `action` of the API Context; `answer` is there if and only if an upstream answered, whatever its status. */
export type Outcome = (
  | { readonly result: Readonly<Record<string, unknown>> }
  | {
      readonly error: ActionError
      /** The sentence of the gateway, where it made the error itself: errors of others may hold data, and no log shows them. */
      readonly reason?: string
      /** Seconds after which it is worth another try, where the gateway knows it. */
      readonly retryAfter?: number
      /** The target of an upstream that has failed, as its realm writes it: for the log. */
      readonly target?: string
    }
) & {
  readonly answer?: UpstreamAnswer
  /** What is known of an action that has failed; undefined: it was performed. `none`: it certainly was not, nor any part of it. */
  readonly effect?: 'none' | 'unknown'
  /** Whether it was given for this user alone, whatever its upstream says of it: by a token that was given for that of the user. */
  readonly isOfUser?: true
  /** Of actions that perform others: the errors of those that may fail, by their keys. */
  readonly errors?: Readonly<Record<string, ActionError>>
  /** The key of the branch that has failed. */
  readonly branch?: string
  /** Of a list of actions: the results of all that succeeded, in order. */
  readonly results?: readonly unknown[]
  /** The rest of the action, which goes on; the result of a call is empty then, and that of a subscription its snapshot. */
  readonly stream?: CallStream | Stream | OpenedSocket
}

/** The body of an outcome that still streams; undefined when it is complete. */
export function streamOf(outcome: Outcome): Readable | undefined {
  const body = outcome.answer?.body
  return body === undefined || body instanceof Uint8Array ? undefined : body
}

/** Takes a callback for the end of what goes on after an outcome; undefined when the outcome is complete. */
export function goesOn(outcome: Outcome): OnOver | undefined {
  const body = streamOf(outcome)
  if (body) return body.closed ? undefined : (callback) => body.once('close', callback)
  const { stream } = outcome
  return stream?.kind === 'call' ? (callback) => stream.onSettled(callback) : undefined
}

/** Ends what goes on after an outcome that nobody reads. */
export function drop(outcome: Outcome | undefined): void {
  if (outcome === undefined) return
  streamOf(outcome)?.destroy()
  outcome.stream?.cancel()
}

/** An error made by this service (behaviour §4: kwargs `{code, message, description}`). */
export const actionError = (code: string, message: string, description: string): ActionError => ({
  error_uri: code,
  args: [],
  kwargs: { code, message, description },
  details: {},
})

/** The same from a row of the table of errors. */
export const errorOf = (uri: ErrorUri, message: string): ActionError =>
  actionError(uri, message, describeError(uri))

/** The failure of an upstream, or of its answer. */
export const badGateway = (message: string, cause?: unknown): ServiceError =>
  new ServiceError('service.error.bad_gateway', message, cause === undefined ? {} : { cause })
