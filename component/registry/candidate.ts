/** Checks a document that is to be loaded: alone, then beside the loaded documents. */
import type { CompiledDocument } from '#component/compile/compile-document.ts'
import { InvalidSpecError, type Issue } from '#component/errors.ts'
import type { LoadedDocument } from '#component/replica/document-text.ts'
import { findConflicts } from '#component/routes/route-conflicts.ts'
import type { Steps } from '#component/yielding.ts'
import { issueOf, type Taken } from './live-documents.ts'
import type { RegistryPorts } from './registry-ports.ts'
import type { Selection, Served } from './selection.ts'
import type { Stage } from './stage.ts'

/** A document, and all about it that does not depend on the others. */
export interface Candidate<R> extends CompiledDocument<Served<R>> {
  readonly document: LoadedDocument
}

/** An accepted candidate: what would be served with it, and its warnings. */
interface Accepted<R> {
  readonly api: Served<R>
  readonly selection: Selection<R>
  readonly warnings: readonly Issue[]
}

/** The documents that a candidate is checked beside. */
export interface Around<R> {
  readonly live: Pick<Stage<R>, 'others' | 'tryOut'>
  readonly managementPaths: readonly string[]
  /** Whether the operator may manage one realm only. */
  readonly isWithin: boolean
}

/** The id of the document; undefined if it has no valid one. */
export const idOf = <R>({ api, places }: Candidate<R>): string | undefined =>
  api?.id ?? places[0]?.api

/** The issue of a document whose realm nobody has loaded. */
const lacksRealm =
  'the realm does not exist: load a realm document first, {"uri": "…"}, by `wamp-gateway realm load`, POST /realms, service.load_realm, or `realms` of the configuration'

/** Compiles, and asks for the realm. */
export async function examine<R>(
  document: LoadedDocument,
  { compile, realmExists }: RegistryPorts<R>,
): Promise<Candidate<R>> {
  const compiled = await compile(document.value, document.text.length)
  const { realm_uri } = compiled
  const issues = [...compiled.issues]
  const hasRealm = realm_uri === undefined || issues.some(({ path }) => path === '/realm_uri')
  if (!hasRealm && !(await realmExists(realm_uri))) {
    issues.push({ path: '/realm_uri', message: lacksRealm })
  }
  return { ...compiled, document, issues }
}

/**
 * Looks for routes that belong to others, or are served for other documents now.
 * @returns undefined where that can only be told once the documents that were accepted before it are live
 * @throws InvalidSpecError with all that is wrong; ServiceError `wamp.error.not_authorized`
 */
export function* judge<R>(
  candidate: Candidate<R>,
  { live, managementPaths, isWithin }: Around<R>,
  onTaken: (id: string, taken: Taken) => void = () => undefined,
): Steps<Accepted<R> | undefined> {
  const { api, places, issues, realm_uri } = candidate
  const id = idOf(candidate)
  if (id === undefined) throw new InvalidSpecError(issues)
  const around = { others: live.others(id, realm_uri), managementPaths }
  const conflicts = yield* findConflicts(api?.entries ?? places, around, isWithin)
  const trial = yield* live.tryOut(id, api?.entries ?? places)
  if (trial === undefined) return undefined
  const { selection, taken } = trial
  const found = taken.map(issueOf)
  if (!api || issues.length > 0) throw new InvalidSpecError([...issues, ...found])
  const [first] = taken
  if (!first) return { api, selection, warnings: [...candidate.warnings, ...conflicts] }
  onTaken(id, first)
  throw new InvalidSpecError(found, 'service.error.already_exists')
}
