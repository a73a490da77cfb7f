/** Turns a document into an Api: validates and compiles it, so that one refusal lists every issue. */
import type { Issue } from '#component/errors.ts'
import type { Api } from '#component/gateway/api.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import { validation } from '#component/spec/validate.ts'
import { memberOf } from '#component/syntax/values.ts'
import { runAtOnce, type Steps } from '#component/yielding.ts'
import { type CompilePorts, compilation } from './compile.ts'

/** The result of compiling a document. */
export interface CompiledDocument<A> {
  /** undefined when there are issues. */
  readonly api: A | undefined
  /** undefined when the document is too broken to have one. */
  readonly realm_uri: string | undefined
  /** The routes that the document would serve, so that clashes are listed beside other issues; empty when it is too broken. */
  readonly places: readonly RouteEntry<never>[]
  readonly issues: Issue[]
  readonly warnings: Issue[]
}

/** Validates and compiles. The registry checks the realm and other documents. */
export const compileDocument = (document: unknown, ports: CompilePorts): CompiledDocument<Api> =>
  runAtOnce(compilingDocument(document, ports))

/** {@link compileDocument} in steps, several for each path. */
export function* compilingDocument(
  document: unknown,
  ports: CompilePorts,
): Steps<CompiledDocument<Api>> {
  const { spec, issues, warnings } = yield* validation(document)
  if (spec === undefined) {
    return { api: undefined, realm_uri: realmOf(document), places: [], issues, warnings }
  }
  const compiled = yield* compilation(spec, ports)
  const all = [...issues, ...compiled.issues]
  return {
    api: all.length === 0 ? compiled.api : undefined,
    realm_uri: spec.realm_uri,
    places: compiled.places,
    issues: all,
    warnings: [...warnings, ...compiled.warnings],
  }
}

/** The realm of a broken document, if it names one. */
function realmOf(document: unknown): string | undefined {
  const realm_uri = memberOf(document, 'realm_uri')
  return typeof realm_uri === 'string' ? realm_uri : undefined
}
