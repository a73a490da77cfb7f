/** The examples of a compiled document, operation by operation. */

import { pointer } from '#component/codec/json.ts'
import type { AdmittedNetworks, Api, CompiledOperation, Route } from '#component/gateway/api.ts'
import { isAdmittedFrom } from '#component/gateway/checks.ts'
import { type Method, methods } from '#component/request.ts'
import { readEntry } from '#component/routes/entry-patterns.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { mapOrEmpty } from '#component/syntax/values.ts'
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
        target: targetOf(entry, operation),
        pathAt: entry.path,
        examples: mapOrEmpty(operation.written.examples) as ExampleSet['examples'],
        path: pointer(operation.at, 'examples'),
      }
    }
  }
}

function targetOf(entry: RouteEntry<Route>, { inherited }: CompiledOperation): Target {
  const { host, forms } = readEntry(entry)
  const peer = inherited.allowFrom && admittedBy(inherited.allowFrom)
  return { host, forms: forms.map(({ form }) => form), pattern: entry.pattern, peer }
}

/** The first address that all lists admit; undefined where they have no network in common. */
const admittedBy = (lists: readonly AdmittedNetworks[]): string | undefined =>
  lists
    .flatMap(({ texts }) => texts.map((text) => text.split('/', 1).join()))
    .find((address) => isAdmittedFrom(address, lists))
