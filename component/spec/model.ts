/** The API Specification as written: snake_case keys, unevaluated. */
import type { DeclaredDelivery } from '#component/routes/delivery-place.ts'
import type { RegisteredProcedure } from '#component/routes/procedure-place.ts'
import type { KeyedForm } from '#component/syntax/path-pattern.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { Match } from '#component/syntax/wamp-uri.ts'

/** A validated document, with alternative spellings made equal. */
export interface ApiSpec {
  readonly id: string
  readonly name?: string
  /** The host pattern as written; empty where the document serves no requests. */
  readonly host: string
  readonly realm_uri: string
  readonly meta?: JsonMap
  /** JSON Schemas by name; never expressions. */
  readonly schemas: JsonMap
  readonly variables: JsonMap
  /** Or an expression that yields a map. */
  readonly defaults: JsonMap | string
  readonly status_codes: JsonMap
  readonly versions: readonly Version[]
  readonly procedures: readonly Procedure[]
  readonly deliveries: readonly SpecDelivery[]
  /** HTTP status, such as `404` or `4XX`, to error URI. */
  readonly error_uris: Readonly<Record<string, string>>
}

/** One procedure that the document registers. */
export interface Procedure extends RegisteredProcedure {
  /** JSON Pointer of the procedure in the document as it was loaded. */
  readonly path: string
  /** Actions that run at once per process. */
  readonly pool_size: number
  readonly is_active: boolean
  /** The procedure as written; its members may be expressions. */
  readonly document: JsonMap
}

/** One delivery of the document. */
export interface SpecDelivery extends DeclaredDelivery {
  /** JSON Pointer of the delivery in the document as it was loaded. */
  readonly path: string
  readonly match: Match
  readonly is_active: boolean
  /** The delivery as written; its members may be expressions. */
  readonly document: JsonMap
}

/** `cors` of a version as it is written. */
export interface VersionCors {
  readonly origins: '*' | readonly string[]
  readonly methods?: '*' | readonly string[]
  readonly headers?: '*' | readonly string[]
  readonly expose?: '*' | readonly string[]
  readonly credentials?: boolean
  /** Seconds. */
  readonly max_age?: number
}

/** One version of the API. Strings may hold expressions unless stated. */
export interface Version {
  /** Key of the map, or {@link versionLabel} of a member of the array. */
  readonly label: string
  /** JSON Pointer of the version in the document as it was loaded. */
  readonly path: string
  /** A path pattern without trailing slash (`/` is `""`); never an expression. `?` when it is broken: then nothing is routed. */
  readonly base_path: string
  readonly is_active: boolean
  /** Also where only `deprecated_at` says so. */
  readonly is_deprecated: boolean
  /** Milliseconds since the epoch; undefined: the document does not say since when. */
  readonly deprecated_at: number | undefined
  /** Actions that run at once per process. */
  readonly pool_size: number
  /** `{title, description, sunset}`, all optional. */
  readonly info: JsonMap
  /** What is published of it: `{path, docs_path, security, servers, …}`, all optional. */
  readonly openapi: JsonMap
  /** The endpoint for language models: `{path, name, instructions, max_result_bytes}`. Sound where the document has no issues. */
  readonly mcp?: JsonMap
  /** The URI before the code in `type` of a problem (RFC 9457). */
  readonly problem_base?: string
  /** Replaces `gateway.cors`. Sound where the document has no issues. */
  readonly cors?: VersionCors
  /** Language codes, the first one is the fallback. */
  readonly languages: readonly string[]
  readonly variables: JsonMap
  /** Or an expression that yields a map. */
  readonly defaults: JsonMap | string
  readonly status_codes: JsonMap
  readonly paths: readonly Path[]
}

/** One path of a version. */
export interface Path {
  /** The path pattern, without base_path. */
  readonly pattern: string
  /** JSON Pointer of the path in the document as it was loaded. */
  readonly path: string
  /** The forms of base_path + pattern; empty when either is broken. */
  readonly forms: readonly KeyedForm[]
  /** The path object as written; its members may be expressions. */
  readonly document: JsonMap
}
