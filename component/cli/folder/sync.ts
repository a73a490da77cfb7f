/** `sync`: makes the gateway serve what a folder of API Specifications and realms says. */
import { AdminClient, type Condition, Refusal } from '#component/cli/admin-client.ts'
import {
  CommandError,
  exitCode,
  type Invocation,
  type Result,
  type Run,
} from '#component/cli/command.ts'
import { pathOf } from '#component/cli/documents.ts'
import type { Finding } from '#component/cli/findings.ts'
import { type LoadResult, loadRealm, loadSource, validateSource } from '#component/cli/load.ts'
import { routingTableOf } from '#component/cli/routes.ts'
import { table } from '#component/cli/table.ts'
import { realmIssues } from '#component/cli/validate.ts'
import { inProgress, type Progress } from '#component/terminal/progress.ts'
import { type Comparison, compare, readDocument } from './comparison.ts'
import { type FolderDocument, ownerIn, ownerOf, readFolder } from './folder.ts'

/** The ids of the documents of the folder that clash with another document even after the last change. */
function clashingAtTheEnd(
  documents: readonly FolderDocument[],
  { served, unmanaged }: Comparison,
  environment: Invocation['environment'],
): ReadonlySet<string> {
  const others = unmanaged.map((id) => served.get(id))
  const own = documents.flatMap(({ isRealm, document }) => (isRealm ? [] : [document]))
  const sources = [...others, ...own].map((document) => ({
    document,
    findings: () => [],
  }))
  const { clashes } = routingTableOf(sources, environment)
  return new Set(clashes.flatMap(({ api, otherApi }) => [api, otherApi]))
}

/** What came of one document; in a dry run, what would. */
interface Outcome {
  readonly id: string
  readonly file?: string
  readonly outcome: 'created' | 'changed' | 'same' | 'deleted' | 'refused'
  /** Of a load: its stamp. */
  readonly ts?: unknown
  /** Of a refusal: `code` of the error. */
  readonly error?: string
  readonly findings: readonly Finding[]
}

/** A document that is to be loaded, as the comparison saw it. */
interface Wanted {
  readonly source: FolderDocument
  readonly outcome: 'created' | 'changed'
  readonly condition: Condition
}

/** What is to be loaded, the realms first: API Specifications name them. */
const wantedOf = ({ created, changed }: Comparison): readonly Wanted[] =>
  [
    ...created.map((source): Wanted => ({ source, outcome: 'created', condition: 'absent' })),
    ...changed.map(
      ({ source, hash }): Wanted => ({ source, outcome: 'changed', condition: { hash } }),
    ),
  ].sort((a, b) => Number(b.source.isRealm) - Number(a.source.isRealm))

const outcomeOf = ({ source: { id, file }, outcome }: Wanted, result?: LoadResult): Outcome => {
  if (!result) return { id, file, outcome, findings: [] }
  const { ts, error, findings } = result
  if (error !== undefined) return { id, file, outcome: 'refused', error, findings }
  return { id, file, outcome, ts, findings }
}

const isTaken = ({ error }: LoadResult): boolean => error === 'service.error.already_exists'

/**
 * What a gateway would say of a realm document. Variables of the environment are those of the gateway, and not known here: the load tells
 * of one that is not set.
 */
function judgeRealm(
  source: FolderDocument,
  environment: Invocation['environment'],
): LoadResult | undefined {
  const issues = realmIssues(source.document, environment)
  const findings = source.findings('error', issues)
  if (findings.length === 0) return undefined
  return { file: source.file, outcome: 'refused', error: 'wamp.error.invalid_argument', findings }
}

/** Whether the only reason to refuse the document is that its realm does not exist, which is loaded before it. */
const isAwaited = (
  { findings }: LoadResult,
  { document }: FolderDocument,
  realms: ReadonlySet<unknown>,
): boolean => realms.has(document.realm_uri) && findings.every(({ path }) => path === '/realm_uri')

/** Has the gateway judge every document of the folder; the refusals. Routes may be those of a document that gives them up. */
async function refusalsOf(
  client: AdminClient,
  documents: readonly FolderDocument[],
  comparison: Comparison,
  { environment, progress }: Invocation,
): Promise<readonly Outcome[]> {
  const refused: (LoadResult & { readonly source: FolderDocument })[] = []
  const realms = new Set(comparison.created.flatMap(({ id, isRealm }) => (isRealm ? [id] : [])))
  for (const source of inProgress(progress, 'checking documents:', documents)) {
    const result = source.isRealm
      ? judgeRealm(source, environment)
      : await validateSource(client, source)
    if (result?.outcome !== 'refused' || isAwaited(result, source, realms)) continue
    refused.push({ ...result, source })
  }
  const clashing = refused.some(isTaken)
    ? clashingAtTheEnd(documents, comparison, environment)
    : new Set()
  return refused
    .filter((result) => !isTaken(result) || clashing.has(result.source.id))
    .map((result) =>
      outcomeOf({ source: result.source, outcome: 'changed', condition: 'absent' }, result),
    )
}

/** @throws CommandError when more than half of the documents of the owner would go */
function checkDeletions({ deleted, served }: Comparison, owner: string | undefined): void {
  const owned = [...served.values()].filter((document) => ownerOf(document) === owner).length
  if (deleted.length * 2 <= owned) return
  const message = `${deleted.length} of the ${owned} documents of the owner "${owner}" would be deleted: --yes allows it`
  throw new CommandError(exitCode.findings, message)
}

/** The changes, one after the other. */
class Syncing {
  readonly outcomes: Outcome[] = []
  readonly #client: AdminClient
  readonly #folder: string
  readonly #owner: string | undefined
  readonly #progress: Progress

  constructor(client: AdminClient, folder: string, owner: string | undefined, progress: Progress) {
    this.#progress = progress
    this.#client = client
    this.#folder = folder
    this.#owner = owner
  }

  /**
   * Loads, deletes, and loads once more what had to wait for routes of other documents.
   * @throws CommandError for what is not about a document, such as a gateway that is stopping
   */
  async run(wanted: readonly Wanted[], deleted: readonly string[]): Promise<void> {
    try {
      let waiting = await this.#load(wanted)
      const isWell = this.outcomes.every(({ outcome }) => outcome !== 'refused')
      if (isWell) for (const id of deleted) await this.#delete(id)
      // each round but the last one loads a document at least
      let hasMoved = deleted.length > 0 || waiting.length < wanted.length
      while (waiting.length > 0 && hasMoved) {
        const left = await this.#load(waiting.map(([each]) => each))
        hasMoved = left.length < waiting.length
        waiting = left
      }
      for (const [each, result] of waiting) this.outcomes.push(outcomeOf(each, result))
    } catch (cause) {
      if (!(cause instanceof CommandError)) throw cause
      const made = this.outcomes.filter(({ outcome }) => outcome !== 'refused').length
      const message = `${cause.message}; ${made} of ${wanted.length + deleted.length} changes are made, and another sync goes on`
      throw new CommandError(cause.code, message, { cause })
    }
  }

  /** Those whose routes belong to other documents still, with what the gateway has said. */
  async #load(wanted: readonly Wanted[]): Promise<readonly (readonly [Wanted, LoadResult])[]> {
    const waiting: [Wanted, LoadResult][] = []
    for (const each of inProgress(this.#progress, 'loading documents:', wanted)) {
      const load = each.source.isRealm ? loadRealm : loadSource
      const result = await load(this.#client, each.source, each.condition)
      if (isTaken(result)) waiting.push([each, result])
      else this.outcomes.push(outcomeOf(each, result))
    }
    return waiting
  }

  /** A document that is gone or has another owner by now is left alone. */
  async #delete(id: string): Promise<void> {
    const found = await readDocument(this.#client, { id, isRealm: false })
    if (!found || ownerOf(found.current) !== this.#owner) return
    try {
      await this.#client.request('DELETE', pathOf(id), undefined, { hash: found.hash })
      this.outcomes.push({ id, outcome: 'deleted', findings: [] })
    } catch (cause) {
      if (!(cause instanceof Refusal) || cause.code !== exitCode.findings) throw cause
      const message = `${id} is not deleted: ${cause.message}`
      const finding = { severity: 'error' as const, file: this.#folder, path: '', message }
      this.outcomes.push({ id, outcome: 'refused', error: cause.errorUri, findings: [finding] })
    }
  }
}

/** `{is_dry_run, documents: [{id, file, outcome, ts, error, findings}]}` */
function resultOf(
  outcomes: readonly Outcome[],
  same: readonly FolderDocument[],
  isDryRun: boolean,
) {
  const unchanged = same.map(
    ({ id, file }): Outcome => ({ id, file, outcome: 'same', findings: [] }),
  )
  const rows = outcomes.map(({ outcome, id, file = '' }) => [outcome, id, file])
  const isRefused = outcomes.some(({ outcome }) => outcome === 'refused')
  return {
    value: { is_dry_run: isDryRun, documents: [...outcomes, ...unchanged] },
    text: `${rows.length > 0 ? table(['', 'ID', 'FILE'], rows) : ''}same: ${same.length}\n`,
    findings: outcomes.flatMap(({ findings }) => findings),
    code: isRefused ? exitCode.findings : exitCode.ok,
  } satisfies Result
}

/** `sync`: `{is_dry_run, documents: [{id, file, outcome, ts, error, findings}]}`; nothing changes when a document is refused. */
export const sync: Run = async (invocation) => {
  const [folder = ''] = invocation.positionals
  const owner = ownerIn(invocation)
  const isDryRun = invocation.isSet('dry-run')
  const { documents, refusal } = readFolder(folder, owner)
  if (refusal) return refusal
  const client = new AdminClient(invocation)
  const comparison = await compare(client, documents, owner)
  const { same, deleted } = comparison
  const refusals = await refusalsOf(client, documents, comparison, invocation)
  if (refusals.length > 0) return resultOf(refusals, same, isDryRun)
  const wanted = wantedOf(comparison)
  if (isDryRun) {
    const gone = deleted.map((id): Outcome => ({ id, outcome: 'deleted', findings: [] }))
    return resultOf([...wanted.map((each) => outcomeOf(each)), ...gone], same, true)
  }
  if (!invocation.isSet('yes')) checkDeletions(comparison, owner)
  const syncing = new Syncing(client, folder, owner, invocation.progress)
  await syncing.run(wanted, deleted)
  return resultOf(syncing.outcomes, same, false)
}
