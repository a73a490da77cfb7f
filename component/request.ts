/** The immutable Request of the API Context (specification: Request object). */

import type { AskedRange } from '#component/syntax/byte-range.ts'

/** The HTTP methods an API Specification can serve. */
export const methods = ['delete', 'get', 'head', 'options', 'patch', 'post', 'put'] as const
export type Method = (typeof methods)[number]

/** The methods as request lines name them (RFC 9110 §9.1). */
export const methodNames = Object.fromEntries(
  methods.map((method) => [method, method.toUpperCase()]),
) as Readonly<Record<Method, string>>

/** Whether the method is idempotent (RFC 9110 §9.2.2). */
export const isIdempotent = (method: Method): boolean => method !== 'post' && method !== 'patch'

/** The limits on reading a body (behaviour: body_* keys). */
export interface BodyLimits {
  /** Bytes; more is 413. */
  readonly body_max_bytes: number
  /** Most bytes taken from the socket at once. */
  readonly body_read_bytes: number
  /** Milliseconds, in spite of the name (real documents say 15000); longer is 408. */
  readonly body_read_seconds: number
}

/** The limits on decoding a body, too. */
export interface ContentLimits extends BodyLimits {
  /** Most keys of one map, and half of the different keys of all maps; more is 413. */
  readonly body_max_keys: number
  readonly multipart: MultipartLimits
}

/** The limits of a body that is streamed. */
export interface StreamedBody extends BodyLimits {
  /** Bytes that are held for it. */
  readonly heldBytes: number
  /** Of a form, whose fields are read before its file is streamed; undefined: the body is streamed as it is. */
  readonly form: MultipartLimits | undefined
}

/** The limits of a body of multipart/form-data. */
export interface MultipartLimits {
  /** How many parts may be fields, and how many files; more is 413. */
  readonly fields: number
  readonly files: number
  /** Bytes of each; more is 413. */
  readonly field_max_bytes: number
  readonly file_max_bytes: number
  /** Media types and ranges of files; others are 415. undefined: all. */
  readonly types?: readonly string[] | undefined
}

/** A file of a body of multipart/form-data. */
export interface UploadedFile {
  /** As the client names it, without folders and control characters. */
  readonly filename: string
  /** As the client says, which nobody has checked. */
  readonly content_type: string
  /** Bytes; absent: the file is streamed. */
  readonly size?: number | undefined
  readonly content?: Uint8Array | undefined
}

/** The keys of the Request, in the order of the specification. */
export const requestKeys = [
  'id',
  'method',
  'scheme',
  'peername',
  'path',
  'host',
  'port',
  'headers',
  'language',
  'query_string',
  'query_params',
  'query_lists',
  'bindings',
  'body',
  'body_length',
  'body_lists',
  'files',
  'file_lists',
  'range',
] as const

/** The request that `{{request.…}}` reads. Fields may be getters that compute on first use. */
export interface Request {
  /** A UUIDv7, or the `X-Request-Id` of a trusted proxy; also sent as `X-Request-Id`. */
  readonly id: string
  readonly method: Method
  readonly scheme: 'http' | 'https'
  /** `ip:port` of the client. */
  readonly peername: string
  /** As received (escapes kept, what browsers do not escape escaped), with base_path, without query and trailing slash. */
  readonly path: string
  /** Lower case, without port. */
  readonly host: string
  readonly port: string
  /** Names in lower case; repeats joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  readonly language: string
  /** Escaped as the path. */
  readonly query_string: string
  /** Texts, or what a schema of the operation reads them as. */
  readonly query_params: Readonly<Record<string, unknown>>
  /** All values of each key, in order. */
  readonly query_lists: Readonly<Record<string, readonly string[]>>
  /** Texts, or what a schema of the operation reads them as. */
  readonly bindings: Readonly<Record<string, unknown>>
  /** The decoded body; `""` without one. */
  readonly body: unknown
  /** Bytes after transfer decoding. */
  readonly body_length: number
  /** Of a form: all values of each field, in order; else empty. */
  readonly body_lists: Readonly<Record<string, readonly string[]>>
  /** Of multipart/form-data: the last file of each name; else empty. */
  readonly files: Readonly<Record<string, UploadedFile>>
  /** All files of each name, in order. */
  readonly file_lists: Readonly<Record<string, readonly UploadedFile[]>>
  /** The part of the body that it asks for, where the operation has `ranges`; else all of it. */
  readonly range: AskedRange
}
