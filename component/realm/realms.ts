/** The realms known here: load, read, list, and ask what they allow. */
import { InvalidSpecError, type Issue, ServiceError } from '#component/errors.ts'
import { parseJson, pointer, stringifyJson } from '#component/json.ts'
import type { Log } from '#component/log.ts'
import type { Entry } from '#component/replica/entry.ts'
import type { Change, Replica } from '#component/replica/replica.ts'
import { buildRealm, closedRealm } from './build-realm.ts'
import { type Environment, fillEnvironment } from './environment.ts'
import { leadsBack, prototypeOf, prototypesOf } from './inheritance.ts'
import type { Realm, RealmDocument } from './model.ts'
import { isMap, type Report } from './rules.ts'
import { protectDocument, showRealm } from './secrets.ts'
import { validateRealm } from './validate.ts'

/** What the realms work with. */
export interface RealmsPorts {
  readonly replica: Pick<Replica, 'change' | 'watch' | 'entries'>
  readonly log: Pick<Log, 'info' | 'error'>
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

/** What is wrong or doubtful in the documents of a load, each on its own. */
interface Judged extends Report {
  readonly candidates: readonly Candidate[]
}

/** The newest document of a realm. */
interface Stored {
  readonly document: RealmDocument
  readonly ts: number
}

const uriOf = (document: unknown): string | undefined =>
  isMap(document) && typeof document.uri === 'string' ? document.uri : undefined

/** Every realm document, and the realms made of them. */
export class Realms {
  readonly #ports: RealmsPorts
  #stored: ReadonlyMap<string, Stored> = new Map()
  #realms: ReadonlyMap<string, Realm> = new Map()
  /** Why realms are closed, by URI: told once. */
  #problems: ReadonlyMap<string, string> = new Map()
  /** Loads run one after the other. */
  #last: Promise<unknown> = Promise.resolve()

  /**
   * Told after a change which realms there are: what one says may hold for those that inherit from it. A load is
   * acknowledged when it is over.
   */
  onChange: (uris: readonly string[]) => void | Promise<void> = () => undefined

  constructor(ports: RealmsPorts) {
    this.#ports = ports
  }

  /** Makes realms of what the replica holds, and from then on of what changes there. */
  start(): void {
    const { replica } = this.#ports
    replica.watch('realm', (changes) => this.#take(changes))
    this.#swap(replica.entries('realm'))
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
    const judged = this.#judge(document)
    this.#judgeTogether(judged)
    const drafts = await Promise.all(
      judged.candidates.map(async ({ written, filled }) => ({
        id: uriOf(filled) ?? '',
        document: await protectDocument({
          written: written as RealmDocument,
          filled: filled as RealmDocument,
        }),
      })),
    )
    const { replica, log } = this.#ports
    // while passwords were hashed, prototypes may have gone
    const changes = await replica.change('realm', () => {
      this.#judgeTogether(judged)
      return drafts
    })
    log.info({ realms: drafts.map(({ id }) => id), by }, 'realms loaded')
    return changes.map(({ entry, before }, index) => {
      const path = judged.candidates[index]?.path ?? ''
      const warnings = judged.warnings.filter((warning) => warning.path.startsWith(`${path}/`))
      const isNew = before === undefined || before.document === null
      return { uri: entry.id, ts: entry.stamp.ms, warnings, isNew }
    })
  }

  /** All that each document shows alone. */
  #judge(document: unknown): Judged {
    const text = stringifyJson(document)
    const copy = parseJson(text, { limits, allowLoneSurrogates: true, allowProtoKeys: true })
    const report: Report = { issues: [], warnings: [] }
    const unset: Issue[] = []
    const candidates = this.#candidates(copy, unset)
    for (const { filled, path } of candidates) validateRealm(filled, path, report)
    // what an unset variable was to be cannot be judged
    const judged = report.issues.filter(({ path }) => !unset.some((issue) => issue.path === path))
    return { candidates, issues: [...unset, ...judged], warnings: report.warnings }
  }

  #candidates(copy: unknown, issues: Issue[]): Candidate[] {
    const { environment } = this.#ports
    const list = Array.isArray(copy) ? copy : [copy]
    return list.map((written: unknown, index) => {
      const path = Array.isArray(copy) ? pointer('', index) : ''
      return { written, filled: fillEnvironment(written, environment, path, issues), path }
    })
  }

  /**
   * What no document shows alone: two of one URI, and prototypes that are missing or lead back.
   * @throws InvalidSpecError with these and all other issues
   */
  #judgeTogether({ candidates, issues }: Judged): void {
    const found: Issue[] = []
    const parents = new Map<string, string | undefined>()
    for (const [uri, { document }] of this.#stored) parents.set(uri, prototypeOf(document))
    const seen = new Set<string>()
    for (const { filled, path } of candidates) {
      const uri = uriOf(filled)
      if (uri === undefined) continue
      if (seen.has(uri)) {
        found.push({ path: pointer(path, 'uri'), message: 'two documents have this URI' })
      }
      seen.add(uri)
      parents.set(uri, prototypeOf(filled))
    }
    for (const { filled, path } of candidates) {
      const prototype = prototypeOf(filled)
      if (prototype === undefined) continue
      const at = pointer(path, 'prototype_uri')
      if (!parents.has(prototype)) found.push({ path: at, message: 'there is no such realm' })
      else if (leadsBack(uriOf(filled), prototype, parents)) {
        found.push({ path: at, message: 'the prototype inherits from this realm' })
      }
    }
    // what cannot be read at a place is not judged there again
    const news = found.filter(({ path }) => !issues.some((issue) => issue.path === path))
    if (issues.length + news.length > 0) throw new InvalidSpecError([...issues, ...news])
  }

  #take(changes: readonly Change[]): void | Promise<void> {
    this.#swap(changes.map(({ entry }) => entry))
    return this.onChange([...this.#realms.keys()])
  }

  /** Builds every realm anew: what one says may hold for those that inherit from it. */
  #swap(entries: readonly Entry[]): void {
    const stored = new Map(this.#stored)
    for (const { id, document, stamp } of entries) {
      if (document === null) stored.delete(id)
      else stored.set(id, { document, ts: stamp.ms })
    }
    const documents = [...stored.values()].map(({ document }) => document)
    const prototypes = new Set(documents.map(prototypeOf))
    const realms = new Map<string, Realm>()
    const problems = new Map<string, string>()
    for (const uri of stored.keys()) {
      const isPrototype = prototypes.has(uri)
      const built = this.#build(uri, isPrototype, stored)
      if (typeof built === 'string') problems.set(uri, built)
      realms.set(uri, typeof built === 'string' ? closedRealm(uri, isPrototype) : built)
    }
    this.#stored = stored
    this.#realms = realms
    this.#tellProblems(problems)
  }

  /** The realm, or why it cannot be made of what is known here. */
  #build(uri: string, isPrototype: boolean, stored: ReadonlyMap<string, Stored>): Realm | string {
    const { document } = stored.get(uri) ?? {}
    if (document?.uri !== uri) return 'its document is that of another realm'
    const chain = prototypesOf(document, (at) => stored.get(at)?.document)
    if (typeof chain === 'string') return chain
    try {
      return buildRealm(document, chain, isPrototype, this.#ports.environment)
    } catch (cause) {
      return `it cannot be built: ${cause instanceof Error ? cause.message : String(cause)}`
    }
  }

  #tellProblems(problems: ReadonlyMap<string, string>): void {
    const { log } = this.#ports
    for (const [uri, reason] of problems) {
      if (this.#problems.get(uri) === reason) continue
      log.error({ realm: uri, reason }, 'the realm takes no sessions')
    }
    for (const uri of this.#problems.keys()) {
      if (!problems.has(uri))
        log.info({ realm: uri }, 'the realm is whole: it takes sessions as it says')
    }
    this.#problems = problems
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
    const stored = this.#stored.get(uri)
    if (stored) return showRealm(stored.document, stored.ts)
    throw new ServiceError('service.error.not_found', 'there is no realm of this URI')
  }

  /** Every document as {@link get} shows it, by URI. */
  list(): RealmDocument[] {
    return [...this.#stored.keys()].sort().map((uri) => this.get(uri))
  }
}
