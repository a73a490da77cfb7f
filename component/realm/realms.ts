/** The realms known here: load, read, list, and ask what they allow. */
import type { Clock } from '#component/clock.ts'
import { InvalidSpecError, type Issue, ServiceError } from '#component/errors.ts'
import { parseJson, pointer, stringifyJson } from '#component/json.ts'
import type { Log } from '#component/log.ts'
import type { RealmEntry, RealmStore } from '#component/store/realm-store.ts'
import { buildRealm } from './build-realm.ts'
import { type Environment, fillEnvironment } from './environment.ts'
import type { Realm, RealmDocument } from './model.ts'
import { isMap, type Report } from './rules.ts'
import { protectDocument, showRealm } from './secrets.ts'
import { validateRealm } from './validate.ts'

/** What the realms work with. */
export interface RealmsPorts {
  readonly store: Pick<RealmStore, 'put' | 'all'>
  readonly clock: Pick<Clock, 'now'>
  readonly node: string
  readonly log: Pick<Log, 'info'>
  /** What `${NAME}` stands for. */
  readonly environment: Environment
}

/** What a load came to, of one document. */
export interface LoadedRealm {
  readonly uri: string
  /** Milliseconds since the epoch. */
  readonly ts: number
  readonly warnings: readonly Issue[]
  /** False when it took the place of another version. */
  readonly isNew: boolean
}

const limits = { depth: 256, values: 50_000_000 }

/** One document of a load: as written, with the environment filled in, and where it stands. */
interface Candidate {
  readonly written: unknown
  readonly filled: unknown
  readonly path: string
}

const uriOf = (document: unknown): string | undefined =>
  isMap(document) && typeof document.uri === 'string' ? document.uri : undefined

const prototypeOf = (document: unknown): string | undefined =>
  isMap(document) && typeof document.prototype_uri === 'string' ? document.prototype_uri : undefined

/** Every realm document, and the realms made of them. */
export class Realms {
  readonly #ports: RealmsPorts
  #entries: ReadonlyMap<string, RealmEntry> = new Map()
  #realms: ReadonlyMap<string, Realm> = new Map()
  /** Loads run one after the other. */
  #last: Promise<unknown> = Promise.resolve()

  /** Told after a load which realms there are: what one says may hold for those that inherit from it. */
  onChange: (uris: readonly string[]) => void = () => undefined

  constructor(ports: RealmsPorts) {
    this.#ports = ports
  }

  /** Reads what the store holds. */
  async start(): Promise<void> {
    const entries = await this.#ports.store.all()
    this.#swap(new Map(entries.map((entry) => [entry.uri, entry])))
  }

  /**
   * Loads one document, or an array of them: all or none. In force and on the disk when it resolves.
   * @param by who asked, for the log
   * @throws InvalidSpecError with every issue, ServiceError `service.error.unavailable`; then nothing has changed
   */
  load(document: unknown, by = 'the gateway'): Promise<LoadedRealm[]> {
    const task = this.#last.then(() => this.#load(document, by))
    this.#last = task.catch(() => undefined) // whoever asked is told; the next one runs all the same
    return task
  }

  async #load(document: unknown, by: string): Promise<LoadedRealm[]> {
    const text = stringifyJson(document)
    const copy = parseJson(text, { limits, allowLoneSurrogates: true, allowProtoKeys: true })
    const report: Report = { issues: [], warnings: [] }
    const unset: Issue[] = []
    const candidates = this.#candidates(copy, unset)
    for (const { filled, path } of candidates) validateRealm(filled, path, report)
    this.#judgeTogether(candidates, report)
    // what an unset variable was to be cannot be judged
    const judged = report.issues.filter(({ path }) => !unset.some((issue) => issue.path === path))
    if (unset.length + judged.length > 0) throw new InvalidSpecError([...unset, ...judged])
    const { clock, node, store, log } = this.#ports
    const ts = clock.now()
    const entries = await Promise.all(
      candidates.map(async ({ written, filled }) => ({
        uri: uriOf(filled) ?? '',
        ts,
        node,
        document: await protectDocument({
          written: written as RealmDocument,
          filled: filled as RealmDocument,
        }),
      })),
    )
    await store.put(entries)
    const before = this.#entries
    this.#swap(new Map([...before, ...entries.map((entry) => [entry.uri, entry] as const)]))
    this.onChange([...this.#realms.keys()])
    log.info({ realms: entries.map(({ uri }) => uri), by }, 'realms loaded')
    return entries.map(({ uri }, index) => {
      const path = candidates[index]?.path ?? ''
      const warnings = report.warnings.filter((warning) => warning.path.startsWith(`${path}/`))
      return { uri, ts, warnings, isNew: !before.has(uri) }
    })
  }

  #candidates(copy: unknown, issues: Issue[]): Candidate[] {
    const { environment } = this.#ports
    const list = Array.isArray(copy) ? copy : [copy]
    return list.map((written: unknown, index) => {
      const path = Array.isArray(copy) ? pointer('', index) : ''
      return { written, filled: fillEnvironment(written, environment, path, issues), path }
    })
  }

  /** What no document shows alone: two of one URI, and prototypes that are missing or lead back. */
  #judgeTogether(candidates: readonly Candidate[], { issues }: Report): void {
    const parents = new Map<string, string | undefined>()
    for (const { uri, document } of this.#entries.values()) parents.set(uri, prototypeOf(document))
    const seen = new Set<string>()
    for (const { filled, path } of candidates) {
      const uri = uriOf(filled)
      if (uri === undefined) continue
      if (seen.has(uri)) {
        issues.push({ path: pointer(path, 'uri'), message: 'two documents have this URI' })
      }
      seen.add(uri)
      parents.set(uri, prototypeOf(filled))
    }
    for (const { filled, path } of candidates) {
      const prototype = prototypeOf(filled)
      if (prototype === undefined) continue
      const at = pointer(path, 'prototype_uri')
      if (!parents.has(prototype)) issues.push({ path: at, message: 'there is no such realm' })
      else if (leadsBack(uriOf(filled), prototype, parents)) {
        issues.push({ path: at, message: 'the prototype inherits from this realm' })
      }
    }
  }

  #swap(entries: ReadonlyMap<string, RealmEntry>): void {
    const prototypes = new Set([...entries.values()].map(({ document }) => prototypeOf(document)))
    const { environment } = this.#ports
    const realms = new Map<string, Realm>()
    for (const { uri, document } of entries.values()) {
      const chain = this.#chain(document, entries)
      realms.set(uri, buildRealm(document, chain, prototypes.has(uri), environment))
    }
    this.#entries = entries
    this.#realms = realms
  }

  /** The documents that one inherits from, nearest first. */
  #chain(document: RealmDocument, entries: ReadonlyMap<string, RealmEntry>): RealmDocument[] {
    const chain: RealmDocument[] = []
    for (let uri = prototypeOf(document); uri !== undefined && chain.length < entries.size; ) {
      const prototype = entries.get(uri)?.document
      if (prototype === undefined) break
      chain.push(prototype)
      uri = prototypeOf(prototype)
    }
    return chain
  }

  /** Is the realm declared, and not only there to be inherited from? */
  has(uri: string): boolean {
    return this.#realms.get(uri)?.isPrototype === false
  }

  /** The realm, ready to be asked. */
  realm(uri: string): Realm | undefined {
    return this.#realms.get(uri)
  }

  /** The document without secrets, with `ts`. @throws ServiceError `service.error.not_found` */
  get(uri: string): RealmDocument {
    const entry = this.#entries.get(uri)
    if (entry) return showRealm(entry.document, entry.ts)
    throw new ServiceError('service.error.not_found', 'there is no realm of this URI')
  }

  /** Every document as {@link get} shows it, by URI. */
  list(): RealmDocument[] {
    return [...this.#entries.keys()].sort().map((uri) => this.get(uri))
  }
}

/** Is a realm among the prototypes of its prototype? */
function leadsBack(
  uri: string | undefined,
  prototype: string,
  parents: ReadonlyMap<string, string | undefined>,
): boolean {
  const seen = new Set<string>()
  for (let at: string | undefined = prototype; at !== undefined && !seen.has(at); ) {
    if (at === uri) return true
    seen.add(at)
    at = parents.get(at)
  }
  return false
}
