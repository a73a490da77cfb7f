/** What is asked of a rehearsal: a request in words, and what its actions come to. */

/** A request as people describe it; absent members are ordinary. */
export interface DescribedRequest {
  /** Any case; `get`. */
  readonly method?: string
  /** `https`. */
  readonly scheme?: 'http' | 'https'
  /** `_`, or absent: `localhost`. */
  readonly host?: string
  /** As it is sent, escapes kept; may carry the query. `/`. */
  readonly path?: string
  /** Without the question mark. */
  readonly query_string?: string
  /** In any case; numbers and booleans are texts. */
  readonly headers?: Readonly<Record<string, string | number | boolean>>
  /** A text beside a `content-type` is sent as it is. Any other value is encoded as `content-type` says; without one as JSON. */
  readonly body?: unknown
  /** `ip` or `ip:port` of the client; `127.0.0.1`. */
  readonly peer?: string
}

/** The error that an action came to; absent members are empty. An upstream that answered gave `status_code`, `headers` and `body`. */
export interface GivenError {
  readonly error_uri?: string
  readonly args?: readonly unknown[]
  readonly kwargs?: Readonly<Record<string, unknown>>
  readonly details?: Readonly<Record<string, unknown>>
  readonly status_code?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
}

/** What an action came to; what is absent is completed in the shape of the action. */
export type GivenOutcome =
  | { readonly result: Readonly<Record<string, unknown>> }
  | { readonly error: GivenError }
