/** How an action ended: a result or an error, as data. */
import type { Readable } from 'node:stream'
import { describeError, type ErrorUri } from '#component/errors.ts'

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

/** `action` of the API Context; `answer` is there if and only if an upstream answered, whatever its status. */
export type Outcome = (
  | { readonly result: Readonly<Record<string, unknown>> }
  | { readonly error: ActionError }
) & { readonly answer?: UpstreamAnswer }

/** The body of an outcome that still streams; undefined when it is complete. */
export function streamOf(outcome: Outcome): Readable | undefined {
  const body = outcome.answer?.body
  return body === undefined || body instanceof Uint8Array ? undefined : body
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
