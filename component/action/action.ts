/** The port of an action: its fields, already evaluated for one request, in; an outcome out. */
import type { Readable } from 'node:stream'
import type { Identity } from '#component/identity.ts'
import type { Method, Request } from '#component/request.ts'
import type { Outcome } from './outcome.ts'

/** The kinds of actions (specification: Action object). */
export type ActionType = 'static' | 'forward' | 'wamp_call' | 'wamp_publish'

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

/** The data of a request that its action uses. */
export interface Run {
  readonly realm_uri: string
  readonly identity: Identity
  readonly method: Method
  /** Evaluated and checked, like the fields, but not among them. */
  readonly attempts: Attempts
  /** Names of the fields that were computed from the request (confused deputy, SSRF). */
  readonly computed: ReadonlySet<string>
  /** Forward: the request's raw body where no expression reads or replaces it. */
  readonly rawBody: RawBody | undefined
  /** Forward: whether an expression reads the upstream's body, so that it is buffered and decoded. */
  readonly readsBody: boolean
  /** Forward takes absent fields from it: method, path, query_string, headers, body. */
  readonly request: Pick<
    Request,
    'host' | 'scheme' | 'peername' | 'headers' | 'path' | 'query_string' | 'body'
  >
  /** Takes a callback for when the client goes away or the gateway stops: the action then settles at once. */
  onCancel(callback: () => void): void
}

/** Performs one kind of action. An expected failure is an outcome, not a rejection; ServiceError when it cannot be tried. */
export interface Action {
  perform(fields: ActionFields, run: Run): Promise<Outcome>
}
