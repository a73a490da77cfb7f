/** The stored realm documents of this node, and the realms made of them. */
import type { Log } from '#component/log.ts'
import { buildAll, type Stored } from '#component/realm/documents/build-realm.ts'
import type { Environment } from '#component/realm/documents/environment.ts'
import type { Realm } from '#component/realm/documents/model.ts'
import type { Entry } from '#component/replica/entry.ts'

/** Stored documents by the URI of their realm. */
export type StoredRealms = ReadonlyMap<string, Stored>

/** Replaced as a whole with each change: what was read from it before stays as it was. */
export class LiveRealms {
  readonly #log: Pick<Log, 'info' | 'error'>
  readonly #environment: Environment
  #stored: StoredRealms = new Map()
  #realms: ReadonlyMap<string, Realm> = new Map()
  /** Why realms are closed, by URI: each reason is logged once. */
  #problems: ReadonlyMap<string, string> = new Map()

  constructor(log: Pick<Log, 'info' | 'error'>, environment: Environment) {
    this.#log = log
    this.#environment = environment
  }

  get stored(): StoredRealms {
    return this.#stored
  }

  /** By URI, prototypes among them. */
  get realms(): ReadonlyMap<string, Realm> {
    return this.#realms
  }

  /** Builds every realm anew: what one document says may hold for realms that inherit from it. */
  take(entries: readonly Entry[]): void {
    const stored = new Map(this.#stored)
    for (const { id, document, hash, stamp } of entries) {
      if (document === null || hash === null) stored.delete(id)
      else stored.set(id, { document, hash, ts: stamp.ms })
    }
    const { realms, problems } = buildAll(stored, this.#environment)
    this.#stored = stored
    this.#realms = realms
    this.#tellProblems(problems)
  }

  #tellProblems(problems: ReadonlyMap<string, string>): void {
    for (const [uri, reason] of problems) {
      if (this.#problems.get(uri) === reason) continue
      this.#log.error({ realm: uri, reason }, 'the realm accepts no sessions')
    }
    for (const uri of this.#problems.keys()) {
      if (!problems.has(uri)) this.#log.info({ realm: uri }, 'the realm accepts sessions again')
    }
    this.#problems = problems
  }
}
