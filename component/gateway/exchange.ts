/** The ports between HTTP and the gateway: a request as it came in, and the reply that goes out. */
import type { Duplex, Readable } from 'node:stream'
import type { HeldBody, Hinted, RawBody } from '#component/action/action.ts'
import type { ServiceError } from '#component/errors.ts'
import type { ServedPath } from '#component/metrics/place.ts'
import type {
  BodyLimits,
  ContentLimits,
  MultipartLimits,
  Request,
  StreamedBody,
} from '#component/request.ts'
import type { SecuredRequest } from '#component/security/scheme.ts'
import type { Frames } from '#component/stream/frames.ts'
import type { Sink } from '#component/stream/sink.ts'
import type { AskedRange } from '#component/syntax/byte-range.ts'
import type { Handshake } from '#component/syntax/websocket.ts'
import type { RequestTrace } from '#component/telemetry/telemetry.ts'
import type { CompiledOperation } from './api.ts'
import type { Encodings } from './encodings.ts'
import type { FailureReport } from './failure-report.ts'
import type { Invocation } from './invocation.ts'
import type { StageListener } from './stage.ts'

/** A decoded body. */
export interface Content extends Pick<Request, 'body' | 'body_length'> {
  /** Of a form: all values of each field, in order. */
  readonly lists?: () => Request['body_lists']
  /** Of multipart/form-data: the last file of each name, and all of them. */
  readonly files?: { readonly last: Request['files']; readonly lists: Request['file_lists'] }
  /** Its bytes, where they are kept. */
  readonly held?: HeldBody
}

/** The limits of a form whose file is streamed. */
export type FormTerms = StreamedBody & { readonly form: MultipartLimits }

/** A form, once its file begins. */
export interface StreamedForm {
  /** The fields, and of the file all but its content. */
  readonly content: Content
  /** The content of the file; undefined: there is no file. */
  readonly file: Readable | undefined
}

/**
 * One HTTP request, well-formed, not yet routed. Its path keeps a trailing slash; its headers are built on first use.
 */
export interface Exchange
  extends Omit<
      Request,
      | 'language'
      | 'bindings'
      | 'query_params'
      | 'body_lists'
      | 'file_lists'
      | 'range'
      | keyof Content
    >,
    Hinted {
  readonly query_params: Readonly<Record<string, string>>
  /** The address in `peername`. */
  readonly client: string
  /** The path of the document that serves it, for logs and metrics; set when it is found. */
  served?: ServedPath
  /** The name of the tool that it calls, for logs. */
  tool?: string | undefined
  /** Set-Cookie fields that security adds to the answer. */
  cookies?: readonly string[] | undefined
  /** The name of the alternative that decides about it, for logs; undefined where its path has none. */
  via?: string | undefined
  /** Listens to its stages; undefined for nearly all requests. */
  listener?: StageListener | undefined
  /** Its distributed trace; undefined: none is passed on or recorded. */
  readonly trace?: RequestTrace | undefined
  /** The request as security sees it, where that is another one: a tool is called by a POST. */
  readonly secured?: SecuredRequest
  /** The part of the body that it asks for, where a callee may leave out the rest; undefined: all of it. */
  range?: AskedRange | undefined
  /** The call of a procedure that stands in the place of the request; undefined: it is one. */
  readonly invocation?: Invocation | undefined
  /** How the pieces of a call are framed, in place of the frames of the media type. */
  readonly frames?: Frames | undefined
  /** Of the call of a tool: checks its arguments, once it has passed. ServiceError 400 */
  checkArguments?(): undefined | Promise<undefined>
  /** One header without building the map. */
  header(name: string): string | undefined
  /** Takes other values for some headers from now on; undefined: the header is gone. Absent: its headers stay. */
  amend?(headers: Readonly<Record<string, string | undefined>>): void
  /** The certificate of the client; absent where no client is asked for one. */
  readonly clientCertificate?: SecuredRequest['clientCertificate']
  readonly hasBody: boolean
  /** Of a request that may be answered by a WebSocket; undefined for nearly all requests. */
  readonly handshake?: Handshake | undefined
  /**
   * The media type of the answer by `Accept`, or undefined (406).
   * @param preferred the type among those that are equal to the client; absent: JSON
   */
  negotiate(provides: readonly string[], preferred?: string): string | undefined
  /** The language by `Accept-Language`; the first one when none fits. */
  negotiateLanguage(languages: readonly string[]): string
  /** Whether the request's Content-Type is one of `accepts`. */
  isAccepted(accepts: readonly string[]): boolean
  /**
   * Reads and decodes the body; ServiceError 413, 408, 400, 415.
   * @param onBytes is given the body before it is decoded, without its content coding
   * @param keeps whether the content holds its bytes, too
   */
  readBody(
    limits: ContentLimits,
    onBytes?: (bytes: Uint8Array) => void,
    keeps?: boolean,
  ): Promise<Content>
  /**
   * The body as it was sent, with its content coding; ServiceError 413, 408, 400. It is kept: a body without a coding can be decoded
   * after it, and any body passed on.
   */
  readBytes(limits: BodyLimits): Promise<Uint8Array>
  /** The body as UTF-8 text, whatever its type; `""` without a body. ServiceError 413, 408, 400, 415. */
  readText(limits: BodyLimits): Promise<string>
  /** The body as it was sent: a stream that obeys the limits, or the bytes that {@link readBytes} has kept. */
  rawBody(limits: BodyLimits): RawBody | HeldBody
  /**
   * The body as it arrives, to be sent on in pieces. ServiceError 413 by its length, 503 where too many bodies or bytes are held; the stream
   * errors as {@link rawBody} does. Absent: the request has no body of its own.
   */
  streamedBody?(terms: StreamedBody): RawBody
  /** The same of a form: what it has before its file, and this as it arrives. ServiceError 400, 408, 413, 415, 503. Absent: as of {@link streamedBody}. */
  streamedForm?(terms: FormTerms): Promise<StreamedForm>
  /**
   * Calls back once if the request is over before its reply is complete.
   * @param callback is told why where the gateway gives the request up; undefined: the client went away
   */
  onAbort(callback: (reason?: ServiceError) => void): void
}

/** What the log tells of a stream when it is over; it changes until then. */
export interface StreamRecord {
  /** Events of a topic, the progressive results of a call, or a WebSocket. */
  readonly kind: 'events' | 'call' | 'websocket'
  /** Events or pieces that were sent; undefined: nobody counts them. */
  readonly events: number | undefined
  /** Why the stream has ended; `client` unless the gateway ended it. */
  readonly reason: string
  /** The URI of the error that ended it, once its head had been sent. */
  readonly error?: string | undefined
  readonly failure?: FailureReport | undefined
}

/** Where the content codings of a body are kept that is sent again. */
export interface KeptCodings {
  /** The body in a coding; undefined: it is not kept. */
  get(coding: string): Uint8Array | undefined
  /** Keeps it, where there is room. */
  keep(coding: string, bytes: Uint8Array): void
}

/** The body of a reply. */
export type ReplyBody =
  | { readonly kind: 'none' }
  /** A value to be encoded as a media type, which is the Content-Type unless the headers have one. */
  | {
      readonly kind: 'value'
      readonly value: unknown
      readonly type: string
      /** The encodings of a value that is the same for every request. */
      readonly encodings?: Encodings
    }
  /** Text or bytes that go out as they are, under the declared Content-Type. */
  | {
      readonly kind: 'bytes'
      readonly bytes: string | Uint8Array
      /** Of bytes that are kept. */
      readonly codings?: KeptCodings
    }
  /** An upstream's body, passed through. */
  | { readonly kind: 'stream'; readonly stream: Readable; readonly length: number | undefined }
  /** A WebSocket, whose 101 has the fields that open it: begun once, when that has been sent, or cancelled. */
  | {
      readonly kind: 'websocket'
      begin(client: Duplex): void
      cancel(): void
      readonly record: StreamRecord
    }
  /** Events, as they come: begun once, when the head has been sent, or cancelled. HEAD has its head only. */
  | {
      readonly kind: 'events'
      /** The Content-Type, unless the headers have one. */
      readonly type: string
      begin(sink: Sink): void
      cancel(): void
      readonly record: StreamRecord
      /** Whether the request asks for no end; absent: it has one. */
      readonly isEndless?: boolean
      /** Bytes of all that is sent; absent: they are not known. */
      readonly length?: number | undefined
    }

/** Where a body stands in the whole; bytes. */
export interface Extent {
  /** Which byte of the whole is its first; undefined: 0. */
  readonly first: number | undefined
  /** Of the whole; undefined: up to the end of the body. */
  readonly length: number | undefined
}

/** The answer to one request. */
export interface Reply {
  readonly status: number
  /** Lower-case names; a list becomes repeated fields (Set-Cookie). */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  readonly body: ReplyBody
  /** Where the body stands in the whole, where the document tells it: of a part the status is 206. */
  readonly extent?: Extent | undefined
  /** The operation that has made the reply, should sending it fail. */
  readonly operation?: CompiledOperation
  /** Why the request was not answered as declared. */
  readonly error?: ServiceError
  /** The URI of the error with which the action has ended, at most 255 characters; of a status of 400 and above. */
  readonly peerError?: string
  /** What the log says of it: present with a status of 500 or above, a refused login, and an expression that failed. */
  readonly failure?: FailureReport | undefined
}
