/** What an action sends, as plain data, for the listener of a request. */
import type { Readable } from 'node:stream'
import type { Identity } from '#component/identity.ts'
import type { Payload } from '#component/wamp/session.ts'
import type { DroppedField, HeaderMap } from './headers.ts'

/** A WAMP message in the words of the document: a call, a publication or a subscription. */
export interface SentMessage extends Partial<Payload> {
  readonly procedure?: string
  readonly topic?: string
  readonly options: Readonly<Record<string, unknown>>
}

/** An upstream of the realm, and what a request said of its target; empty texts: nothing. */
export interface SentUpstream {
  readonly upstream: string
  readonly group: string
  readonly hash: string
}

/** What leaves in one attempt. */
export type Sent =
  | {
      readonly kind: 'message'
      readonly realm_uri: string
      /** Whose session it is asked for. */
      readonly identity: Identity
      /** What is called, or published to; undefined: a subscription. */
      readonly uri: string | undefined
      readonly message: SentMessage
    }
  /** The call that a subscription makes for its snapshot, after its message. */
  | { readonly kind: 'snapshot'; readonly message: SentMessage }
  /** A request to an upstream. */
  | {
      readonly kind: 'request'
      /** Upper case. */
      readonly method: string
      /** Scheme, host and port. */
      readonly origin: string
      /** What decided the target, where the action names an upstream; undefined: it names a host. */
      readonly upstream?: SentUpstream | undefined
      /** Path and query. */
      readonly target: string
      /** Without Host and framing, which the connection adds. */
      readonly headers: HeaderMap
      /** Of the client or the document, and not sent. */
      readonly dropped: readonly DroppedField[]
      /** The type of the credentials that the upstream has: what is sent of them is not told. */
      readonly auth?: string
      /** A stream is read by the connection. */
      readonly body: Readable | Uint8Array | null
    }
