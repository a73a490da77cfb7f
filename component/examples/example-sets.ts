/** The examples of a compiled document, operation by operation. */
import { pointer } from '#component/codec/json.ts'
import type { Api, CompiledOperation, Route } from '#component/gateway/api.ts'
import { type Method, methods } from '#component/request.ts'
import { readEntry } from '#component/routes/entry-patterns.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import { mapOrEmpty } from '#component/spec/rules.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import type { Target } from './request.ts'

/** One operation that is served, and its examples. */
export interface ExampleSet {
  readonly method: Method
  readonly operation: CompiledOperation
  readonly target: Target
  /** JSON Pointer of the path that the operation belongs to. */
  readonly pathAt: string
  /** By name, of valid shape; empty when the operation has none. */
  readonly examples: Readonly<Record<string, JsonMap>>
  /** JSON Pointer of the examples. */
  readonly path: string
}

/** The operations of a document, path by path. */
export function* exampleSets(api: Api): Generator<ExampleSet> {
  for (const entry of api.entries) {
    for (const method of methods) {
      const operation = entry.routes[method]
      if (operation === undefined || operation.kind !== undefined) continue
      yield {
        ...{ method, operation },
        target: targetOf(entry),
        pathAt: entry.path,
        examples: mapOrEmpty(operation.written.examples) as ExampleSet['examples'],
        path: pointer(operation.at, 'examples'),
      }
    }
  }
}

function targetOf(entry: RouteEntry<Route>): Target {
  const { host, forms } = readEntry(entry)
  return { host, forms: forms.map(({ form }) => form), pattern: entry.pattern }
}
