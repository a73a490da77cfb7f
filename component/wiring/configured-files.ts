/** The configured files: loaded at start and whenever they are to be read again, and what is wrong with those that were refused. */
import type { Clock } from '#component/clock.ts'
import { type Config, ConfigError } from '#component/config/config.ts'
import { InvalidSpecError, type Issue, messageOf } from '#component/errors.ts'
import type { Examples } from '#component/examples/examples.ts'
import type { Route } from '#component/gateway/api.ts'
import type { Loaded } from '#component/registry/change.ts'
import {
  type FileReport,
  isRefusedForNow,
  loadFiles,
  realmNames,
  specNames,
} from '#component/registry/files.ts'
import type { FileDocument, Registry } from '#component/registry/registry.ts'
import { noProgress, type Progress } from '#component/terminal/progress.ts'
import type { WiringContext } from './context.ts'

/** Where the files are, and what is done about examples that fail. */
export type FilePatterns = Pick<Config, 'realms' | 'specs' | 'specs_examples'>

/** A file that was refused when it was last read; what was loaded from it before is served on. */
export interface RefusedFile {
  readonly file: string
  /** What is wrong, by pointers into the file. */
  readonly issues: readonly Issue[]
  /** Whether the reason is outside of the file and passes, such as a store that is away. */
  readonly isForNow: boolean
}

/** What a load of the files has come to. */
export interface FilesLoaded {
  /** How many files were loaded: others are as they were. */
  readonly loaded: number
  readonly refused: readonly RefusedFile[]
}

/** The parts that the files need. */
interface FileNeeds {
  readonly context: WiringContext
  readonly examples: Examples
  readonly registry: Registry<Route>
}

function refusedOf(report: FileReport): RefusedFile {
  const { file, error } = report
  const details = error instanceof InvalidSpecError ? error.details : undefined
  return {
    file,
    issues: details ?? [{ path: '', message: messageOf(error) }],
    isForNow: isRefusedForNow(report),
  }
}

/** Realms and API Specifications of the configured files. */
export class ConfiguredFiles {
  /** The files that were refused when all were last read, here or in another process of this gateway. */
  refused: readonly RefusedFile[] = []
  /** Whether the start could not check a file, because the router was away, and no load has followed. */
  isWaiting = false
  readonly #context: WiringContext
  readonly #registry: Registry<Route>
  readonly #examples: Examples
  #known: ReadonlySet<string> = new Set()
  #patterns: FilePatterns = { realms: [], specs: [], specs_examples: 'off' }

  constructor({ context, examples, registry }: FileNeeds) {
    this.#context = context
    this.#registry = registry
    this.#examples = examples
  }

  /** Loads the files that have changed since they were last loaded: realms, then API Specifications, which name them. */
  async load(patterns: FilePatterns, progress = noProgress): Promise<FilesLoaded> {
    this.#patterns = patterns
    const { store, users, log, yieldTurn, broadcast } = this.#context
    const ports = { files: store.files, log, yieldTurn, progress, known: this.#known }
    const ofRealms = await loadFiles(patterns.realms, {
      ...ports,
      load: (documents) =>
        oneByOne(documents, ({ document, by }) => users.realms.load(document, by)),
      namesOf: realmNames,
    })
    const ofSpecs = await loadFiles(patterns.specs, {
      ...ports,
      load: (documents) => this.#loadSpecs(documents, patterns.specs_examples),
      isReplaced: (document, hash, since) =>
        this.#registry.history.isReplaced(specNames(document)[0] ?? '', hash, since),
      namesOf: specNames,
    })
    const reports = [...ofRealms, ...ofSpecs]
    const found = reports.filter(({ outcome }) => outcome !== 'missing')
    tellGone(this.#known, found, log)
    this.#known = new Set(found.map(({ file }) => file))
    this.refused = reports.filter(({ outcome }) => outcome === 'refused').map(refusedOf)
    const loaded = reports.filter(({ outcome }) => outcome === 'loaded').length
    this.isWaiting = false
    if (loaded > 0) await broadcast?.()
    return { loaded, refused: this.refused }
  }

  /** Loads API Specifications together, but for those whose examples refuse them. */
  async #loadSpecs(documents: readonly FileDocument[], examples: Config['specs_examples']) {
    const judged = await oneByOne(documents, ({ document }) =>
      this.#examples.judge(document, examples),
    )
    const passed = documents.filter((_, at) => judged[at]?.status === 'fulfilled')
    const results = (await this.#registry.loadUnlessThere(passed)).values()
    return judged.map((one): PromiseSettledResult<Pick<Loaded, 'warnings'> | undefined> => {
      if (one.status === 'rejected') return one
      const { value: result } = results.next()
      if (result?.status !== 'fulfilled') return result ?? { status: 'fulfilled', value: undefined }
      const { value: loaded } = result
      const warnings = [...(loaded?.warnings ?? []), ...one.value]
      return { status: 'fulfilled', value: loaded && { warnings } }
    })
  }

  /**
   * Loads the files at start. {@link startAgain} goes on where the router was away.
   * @throws ConfigError when `fail_on_refused_files` is set and a file is refused, Error when that passes
   */
  async start(config: Config, progress: Progress): Promise<void> {
    const { refused } = await this.load(config, progress)
    this.isWaiting = isAnyForNow(refused)
    if (!config.fail_on_refused_files || refused.length === 0) return
    const lines = refused.flatMap(({ file, issues }) =>
      issues.map(({ path, message }) => `${file}: ${path === '' ? '' : `${path}: `}${message}`),
    )
    lines.push(
      'the gateway does not start without these files, because fail_on_refused_files is set',
    )
    if (refused.every(({ isForNow }) => isForNow)) throw new Error(lines.join('\n'))
    throw new ConfigError(lines)
  }

  /**
   * Loads the files of the start again, until none is refused for a reason that passes.
   * @param caughtUp the first try waits for it; the others follow each after 10 s
   * @returns ends it
   */
  startAgain(caughtUp: () => Promise<void>, clock: Pick<Clock, 'after'>): () => void {
    let isStopped = false
    let stopTimer = (): void => undefined
    const again = async (): Promise<void> => {
      if (isStopped || !isAnyForNow(this.refused)) return
      await this.load(this.#patterns)
      if (!isStopped) stopTimer = clock.after(retryMs, retry)
    }
    const retry = () =>
      void again().catch((err: unknown) => {
        this.#context.log.error({ err }, 'the configured files cannot be read')
      })
    if (isAnyForNow(this.refused)) void caughtUp().then(retry)
    return () => {
      isStopped = true
      stopTimer()
    }
  }
}

/** Milliseconds until files are loaded again that a start could not check. */
const retryMs = 10_000

const isAnyForNow = (refused: readonly RefusedFile[]): boolean =>
  refused.some(({ isForNow }) => isForNow)

/** The result of each, in their order. */
async function oneByOne<T, U>(
  all: readonly T[],
  task: (one: T) => Promise<U>,
): Promise<PromiseSettledResult<U>[]> {
  const results: PromiseSettledResult<U>[] = []
  for (const one of all) results.push(...(await Promise.allSettled([task(one)])))
  return results
}

/** A file that is gone takes nothing with it: deleting is `service.delete_api_spec`, `service.delete_realm`. */
function tellGone(
  known: ReadonlySet<string>,
  found: readonly FileReport[],
  log: WiringContext['log'],
): void {
  const files = new Set(found.map(({ file }) => file))
  for (const file of known) {
    if (!files.has(file))
      log.info({ file }, 'the file is gone; what was loaded from it is served on')
  }
}
