/** A document with one operation, as the cases of streams have it, and what loading finds in it. */
import { compileSpec } from '#component/compile/compile.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import { validateSpec } from '#component/spec/validate.ts'

/** What is not ordinary about a case. */
export interface Around {
  /** `get` unless it says otherwise. */
  readonly method?: string
  /** Keys of the path. */
  readonly path?: object
  readonly variables?: object
  readonly defaults?: object
}

/** The document; the operation stands at `/x/:id`. */
export const documentWith = (operation: unknown, around: Around = {}): object => {
  const { method = 'get', path, variables = {}, defaults = {} } = around
  return {
    id: 'com.example.streams',
    host: '_',
    realm_uri: 'com.example',
    variables,
    defaults,
    versions: { '1': { base_path: '/v1', paths: { '/x/:id': { ...path, [method]: operation } } } },
  }
}

/** Issues and warnings of a document, as pointer and sentence; those of the operation below its own pointer. */
export function findingsOf(operation: unknown, around: Around = {}) {
  const { spec, issues, warnings } = validateSpec(documentWith(operation, around))
  const compiled = spec && compileSpec(spec, { callTimeout: 30_000 })
  const at = `/versions/1/paths/~1x~1:id/${around.method ?? 'get'}`
  const told = ({ path, message }: { path: string; message: string }) =>
    [path.startsWith(at) ? path.slice(at.length) : path, message] as const
  return {
    issues: [...issues, ...(compiled?.issues ?? [])].map(told),
    warnings: [...warnings, ...(compiled?.warnings ?? [])].map(told),
  }
}

/** The compiled operation; throws its issues where there are some. */
export function operationOf(operation: unknown, around: Around = {}): CompiledOperation {
  const { spec } = validateSpec(documentWith(operation, around))
  const api = spec && compileSpec(spec, { callTimeout: 30_000 }).api
  const route = api && Object.values(api.entries[0]?.routes ?? {})[0]
  if (route?.kind !== undefined || route === undefined) {
    throw new Error(JSON.stringify(findingsOf(operation, around).issues))
  }
  return route
}

/** An operation whose answer is a stream of events. */
export const subscribe = (action: object = {}, response: object = {}, more: object = {}) => ({
  action: { type: 'wamp_subscribe', topic: 'com.example.notice', ...action },
  response: { on_error: {}, ...response },
  ...more,
})

/** An operation whose answer may be progressive results. */
export const call = (response: object = {}, more: object = {}) => ({
  action: { type: 'wamp_call', procedure: 'com.example.report' },
  response: { on_progress: {}, ...response },
  ...more,
})

/** A response whose pieces are sent as they are. */
export const raw = {
  on_progress: { body: '{{action.progress.args |> head}}' },
  on_result: { headers: { 'content-type': 'text/csv; charset=utf-8' }, body: '' },
}
