/** From a document to an Api: validation and compiling put together, so that one refusal names everything. */
import type { Issue } from '#component/errors.ts'
import type { Api } from '#component/gateway/api.ts'
import { type CompilePorts, compilation } from '#component/gateway/compile.ts'
import type { RouteEntry } from '#component/gateway/routing-table.ts'
import type { ApiSpec, JsonMap } from '#component/spec/model.ts'
import { type Breathe, runSteps, type Steps } from '#component/spec/steps.ts'
import { validation } from '#component/spec/validate.ts'

/** What a document came to. */
export interface CompiledDocument<A> {
  /** undefined when there are issues. */
  readonly api: A | undefined
  /** undefined when the document is too broken to have one. */
  readonly realm_uri: string | undefined
  /** What the document would serve, so that clashes are found beside other issues; empty when it is too broken. */
  readonly places: readonly RouteEntry<never>[]
  readonly issues: Issue[]
  readonly warnings: Issue[]
}

/** The routes of a document without what they do. */
function placesOf({ id, realm_uri, host, versions }: ApiSpec): RouteEntry<never>[] {
  return versions
    .filter(({ is_active }) => is_active)
    .flatMap(({ base_path, paths }) =>
      paths.map(({ pattern, path }) => ({
        api: id,
        realm_uri,
        host,
        pattern: base_path + pattern,
        path,
        routes: {},
      })),
    )
}

/** What compiling a document needs of the component. */
interface DocumentPorts extends CompilePorts {
  /** Lets others have their turn in between. */
  readonly breathe: Breathe
}

/** Validates and compiles. Realm and other documents are the registry's to ask. */
export const compileDocument = (
  document: unknown,
  ports: DocumentPorts,
): Promise<CompiledDocument<Api>> => runSteps(documentSteps(document, ports), ports.breathe)

/** {@link compileDocument} in steps, about two for each path. */
export function* documentSteps(
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
    places: placesOf(spec),
    issues: all,
    warnings: [...warnings, ...compiled.warnings],
  }
}

/** A broken document may still name a realm that can be asked for. */
function realmOf(document: unknown): string | undefined {
  if (typeof document !== 'object' || document === null) return undefined
  const { realm_uri } = document as JsonMap
  return typeof realm_uri === 'string' ? realm_uri : undefined
}
