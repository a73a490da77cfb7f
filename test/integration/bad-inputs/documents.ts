/** API Specifications of the tests of bad inputs. */

/** An API Specification as JSON. */
export type Document = Readonly<Record<string, unknown>>

/** The realm that they call in. */
export const realm_uri = 'com.example.test'

/** What `on_error` of the operations declares. */
export const onError = { body: '{{action.error.kwargs}}' }

/** A document of one version under `/v1`, for any host. */
export const documentOf = (
  id: string,
  paths: Document,
  base_path = '/v1',
  version: Document = {},
): Document => ({
  ...{ id, host: '_', realm_uri },
  versions: { '1.0': { base_path, ...version, paths } },
})

/** An operation: what the action gave is the answer unless `on_result` says otherwise; errors show their kwargs. */
export const operation = (action: Document, on_result: Document = {}): Document => ({
  action,
  response: { on_result, on_error: onError },
})

/** An operation that calls a procedure and answers with the first of its results. */
export const calling = (procedure: string, ...args: readonly unknown[]): Document =>
  operation(
    { type: 'wamp_call', procedure, args, kwargs: {} },
    { status_code: 200, body: '{{action.result.args |> head}}' },
  )

/** What every gateway of these tests serves beside: GET /good/x answers `"ok"`. */
export const goodDocument = documentOf(
  'com.t.good',
  { '/x': { get: operation({ type: 'static', body: 'ok' }) } },
  '/good',
)
