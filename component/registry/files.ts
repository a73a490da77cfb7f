/** Loads the configured files: API Specifications and realms; one bad file never hides the others. */
import { glob, readFile, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { parsingJson } from '#component/codec/json.ts'
import { checkDocumentSize, documentRules } from '#component/codec/limits.ts'
import { isYamlFile, parseYaml } from '#component/codec/yaml.ts'
import { InvalidSpecError, type Issue, messageOf, ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { hashing } from '#component/replica/entry.ts'
import type { FileStore } from '#component/store/key-value-stores.ts'
import { isMap } from '#component/syntax/values.ts'
import { noProgress, type Progress } from '#component/terminal/progress.ts'
import { runSteps, type YieldTurn } from '#component/yielding.ts'
import type { Loaded } from './change.ts'
import type { FileDocument } from './registry.ts'

/** The outcome of loading a file. */
export interface FileReport {
  /** Absolute; a pattern that no file matches as it is written. */
  readonly file: string
  readonly outcome: 'loaded' | 'unchanged' | 'kept back' | 'shadowed' | 'refused' | 'missing'
  /** Of the document of a file that is kept back. */
  readonly hash?: string
  /** Why it is not served. */
  readonly error?: unknown
  /** Warnings, by pointers into the file. */
  readonly warnings?: readonly Issue[]
}

/** Whether a file was refused for a reason outside of it that passes, such as a router or a store that is away. */
export const isRefusedForNow = ({ outcome, error }: FileReport): boolean =>
  outcome === 'refused' && error instanceof ServiceError && error.status === 503

/** A document that was loaded. */
type Warned = Pick<Loaded, 'warnings'>

/** The dependencies of loading files. */
export interface FilePorts {
  readonly files: Pick<FileStore, 'lastLoads' | 'setLoadedHashes'>
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  /** Yields while a large document is read. */
  readonly yieldTurn: YieldTurn
  readonly progress?: Progress
  /** Takes the documents of files; the result of each, in their order. undefined: it was there already. */
  readonly load: (
    documents: readonly FileDocument[],
  ) => Promise<readonly PromiseSettledResult<Warned | readonly Warned[] | undefined>[]>
  /** Whether the document of a file was loaded at this time or later in another way, and then replaced; absent: never. */
  readonly isReplaced?: (document: unknown, hash: string, since: number) => Promise<boolean>
  /** The names that a document takes; the first file that takes one has it. */
  readonly namesOf: (document: unknown) => readonly string[]
  /** Files that were found before: they are not told again when they are as they were. */
  readonly known?: ReadonlySet<string>
}

const namesBy = (key: string) => (document: unknown) => {
  const members: unknown[] = Array.isArray(document) ? document : [document]
  return members.flatMap((member) => {
    const name = isMap(member) ? member[key] : undefined
    return typeof name === 'string' ? name : []
  })
}

/** The `namesOf` of API Specifications. */
export const specNames = namesBy('id')
/** The `namesOf` of realm documents. */
export const realmNames = namesBy('uri')

/** Every file of the patterns once, in file-name order, with its absolute path; and the patterns that match none. */
export async function findFiles(patterns: readonly string[]) {
  const files = new Set<string>()
  const missing: string[] = []
  for (const pattern of patterns) {
    // a name is taken as it is, even if it holds characters that mean something in a glob
    const isFile = await stat(pattern).then(
      (found) => found.isFile(),
      () => false, // it may still be a glob
    )
    const found = isFile ? [pattern] : []
    if (!isFile) for await (const file of glob(pattern)) found.push(file)
    if (found.length === 0) missing.push(pattern)
    for (const file of found) files.add(resolve(file))
  }
  return { files: [...files].sort(), missing }
}

/** A file that was read. */
interface ReadFile {
  readonly file: string
  readonly document: unknown
  readonly hash: string
  readonly names: readonly string[]
}

/** Files of one page: as many become live in one step. */
const mostOfPage = 32

/** Bytes of the files of one page, unless one alone is larger. */
const mostBytesOfPage = 1_048_576

async function readDocument(file: string, { namesOf, yieldTurn }: FilePorts) {
  const bytes = await readFile(file)
  checkDocumentSize(bytes.length)
  const document = isYamlFile(file)
    ? parseYaml(bytes, documentRules)
    : await runSteps(parsingJson(bytes, documentRules), yieldTurn)
  // of the document, not of the bytes: a file that is only formatted anew does not undo a later load
  const hash = await runSteps(hashing(document), yieldTurn)
  return { read: { file, document, hash, names: namesOf(document) }, length: bytes.length }
}

/**
 * Loads each file whose document is not the one last loaded from it, nor one that was loaded since and then replaced, as by a
 * rollback: that would undo the newer change. Of two files with one name the first serves.
 * @param patterns files or globs, relative to the working folder
 */
export async function loadFiles(
  patterns: readonly string[],
  ports: FilePorts,
): Promise<FileReport[]> {
  const { files, missing } = await findFiles(patterns)
  const { known = new Set(), progress = noProgress } = ports
  const found = new Map<string, FileReport>()
  const owners = new Map<string, string>()
  for (let left = files; left.length > 0; ) {
    for (let at = 0; at < left.length; ) {
      progress.show('loading files:', files.length - left.length + at, files.length)
      const page = await readPage(left.slice(at, at + mostOfPage), owners, ports)
      for (const report of [...page.reports, ...(await loadPage(page.read, owners, ports))]) {
        found.set(report.file, report)
        at += 1
      }
    }
    left = worthAnotherTry(left, found)
  }
  progress.clear()
  const reports: FileReport[] = [
    ...missing.map((file): FileReport => ({ file, outcome: 'missing' })),
    ...files.flatMap((file) => found.get(file) ?? []),
  ]
  for (const report of reports) {
    if (report.outcome !== 'unchanged' || !known.has(report.file)) tell(report, ports.log)
  }
  return reports
}

/** The files of one pass that were refused because of a route that a file loaded after them may have given up. */
function worthAnotherTry(
  files: readonly string[],
  found: ReadonlyMap<string, FileReport>,
): string[] {
  const last = files.findLastIndex((file) => found.get(file)?.outcome === 'loaded')
  return files.slice(0, Math.max(last, 0)).filter((file) => {
    const { error } = found.get(file) ?? {}
    return error instanceof InvalidSpecError && error.uri === 'service.error.already_exists'
  })
}

/**
 * Reads the first of some files: at least one, and none whose name another one of them may take.
 * @returns those that were read, and the reports of the others
 */
async function readPage(
  files: readonly string[],
  owners: ReadonlyMap<string, string>,
  ports: FilePorts,
): Promise<{ readonly read: readonly ReadFile[]; readonly reports: readonly FileReport[] }> {
  const read: ReadFile[] = []
  const reports: FileReport[] = []
  const names = new Set<string>()
  let bytes = 0
  for (const file of files) {
    const one = await readDocument(file, ports).catch(
      (error: unknown): FileReport => ({ file, outcome: 'refused', error }),
    )
    if (!('read' in one)) {
      reports.push(one)
      continue
    }
    const owner = one.read.names.map((name) => owners.get(name)).find((other) => other)
    if (owner !== undefined) {
      const error = new ServiceError(
        'service.error.already_exists',
        `${owner} declares the same name`,
      )
      reports.push({ file, outcome: 'shadowed', error })
      continue
    }
    bytes += one.length
    const isFull = read.length > 0 && bytes > mostBytesOfPage
    if (isFull || one.read.names.some((name) => names.has(name))) break
    for (const name of one.read.names) names.add(name)
    read.push(one.read)
  }
  return { read, reports }
}

/** Loads files together, those that are news. */
async function loadPage(
  page: readonly ReadFile[],
  owners: Map<string, string>,
  { files, load, isReplaced }: FilePorts,
): Promise<readonly FileReport[]> {
  if (page.length === 0) return []
  const paths = page.map(({ file }) => file)
  const reports: FileReport[] = []
  const news: ReadFile[] = []
  try {
    const lastLoads = await files.lastLoads(paths)
    for (const one of page) {
      const { file, document, hash } = one
      const last = lastLoads.get(file)
      if (last?.hash === hash) reports.push({ file, outcome: 'unchanged' })
      else if (last?.ms && (await isReplaced?.(document, hash, last.ms))) {
        reports.push({ file, outcome: 'kept back', hash })
      } else news.push(one)
    }
    const results = await load(
      news.map(({ file, document, hash }) => ({ document, by: `file ${file}`, hash })),
    )
    const loaded = news.filter((_, at) => results[at]?.status === 'fulfilled')
    await files.setLoadedHashes(new Map(loaded.map(({ file, hash }) => [file, hash])))
    for (const [at, { file }] of news.entries()) reports.push(reportOf(file, results[at]))
  } catch (error) {
    // the store is away
    const told = new Set(reports.map(({ file }) => file))
    const others = paths.filter((file) => !told.has(file))
    reports.push(...others.map((file): FileReport => ({ file, outcome: 'refused', error })))
  }
  const refused = new Set(
    reports.filter(({ outcome }) => outcome === 'refused').map(({ file }) => file),
  )
  for (const { file, names } of page) {
    if (!refused.has(file)) for (const name of names) owners.set(name, file)
  }
  return reports
}

function reportOf(
  file: string,
  result: PromiseSettledResult<Warned | readonly Warned[] | undefined> | undefined,
): FileReport {
  if (result?.status !== 'fulfilled') return { file, outcome: 'refused', error: result?.reason }
  if (result.value === undefined) return { file, outcome: 'unchanged' }
  const warnings = [result.value].flat().flatMap((one) => one.warnings)
  return { file, outcome: 'loaded', warnings }
}

/** As many warnings of one file are logged. */
const mostWarnings = 100

function warn({ file, warnings = [] }: FileReport, log: FilePorts['log']): void {
  for (const { path: pointer, message: reason } of warnings.slice(0, mostWarnings)) {
    log.warn({ file, pointer, reason }, 'a warning about the file')
  }
  const more = warnings.length - mostWarnings
  if (more > 0) log.warn({ file, more }, 'more warnings about the file')
}

const keptBack =
  'the file is kept back: its version was loaded before and has been replaced, as by a rollback; it is served again when the file changes or is loaded by hand'

function tell(report: FileReport, log: FilePorts['log']): void {
  const { file, outcome, error } = report
  switch (outcome) {
    case 'refused': {
      if (isRefusedForNow(report)) {
        log.warn(
          { file, reason: messageOf(error) },
          'the file cannot be loaded now; it is tried again',
        )
        return
      }
      const issues = error instanceof InvalidSpecError ? error.details : undefined
      const reason = messageOf(error)
      const hint = issues && `wamp-gateway validate ${file} shows the lines`
      log.error({ file, reason, issues, hint }, 'the file was refused')
      return
    }
    case 'shadowed':
      log.warn({ file, reason: (error as Error).message }, 'the file is not served')
      return
    case 'kept back':
      log.warn({ file, hash: report.hash }, keptBack)
      return
    case 'missing':
      log.warn({ file }, 'no file matches')
      return
    case 'loaded':
    case 'unchanged':
      log.info({ file, outcome }, 'the file is served')
      warn(report, log)
  }
}
