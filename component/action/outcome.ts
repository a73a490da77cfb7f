/** How an action ended: a result or an error, as data. */

/** `action.error` of the API Context; forward adds the last four keys. */
export interface ActionError {
  readonly error_uri: string
  readonly args: readonly unknown[]
  readonly kwargs: Readonly<Record<string, unknown>>
  readonly details: Readonly<Record<string, unknown>>
  readonly status_code?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly uri?: string
}

/** `action` of the API Context. */
export type Outcome =
  | { readonly result: Readonly<Record<string, unknown>> }
  | { readonly error: ActionError }
