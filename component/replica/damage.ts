/** Documents that the store does not give back as they were put in: named, so that people can load them again. */
import type { Log } from '#component/log.ts'
import { runSteps, type YieldTurn } from '#component/yielding.ts'
import { keyOf } from './digest.ts'
import type { Entry, Kind } from './entry.ts'
import { hasItsHash } from './refusal.ts'
import type { Stamp } from './stamp.ts'

/** The name of a version. */
export interface Damaged {
  readonly kind: Kind
  readonly id: string
  readonly stamp: Stamp
  /** It can be read, and is served, but is not what its hash says. */
  readonly isChanged?: true
}

interface DamagePorts {
  readonly log: Pick<Log, 'error' | 'info'>
  readonly yieldTurn?: YieldTurn
}

const unreadable =
  'a document in the store cannot be read and is not served: load it again, or back the store up and delete the row'
const changed =
  'a document in the store does not match its hash and is served as it is: compare it with the document that was loaded, and load that document again'

/** What a replica knows of it. */
export class Damage {
  readonly #ports: DamagePorts
  readonly #damaged = new Map<string, Damaged>()

  constructor(ports: DamagePorts) {
    this.#ports = ports
  }

  /** Those that nothing has taken the place of, in the order in which they were found. */
  get all(): readonly Damaged[] {
    return [...this.#damaged.values()]
  }

  /** Looks at what was read, and logs what is wrong with it, each version once. */
  async judge(entries: readonly Entry[], damaged: readonly Damaged[] = []): Promise<void> {
    for (const version of damaged) this.#note(version, unreadable)
    for (const entry of entries) {
      if (await runSteps(hasItsHash(entry), this.#ports.yieldTurn)) continue
      const { kind, id, stamp } = entry
      this.#note({ kind, id, stamp, isChanged: true }, changed)
    }
  }

  /** What a change of a document that was set aside takes the place of: its stamp is known, and nothing else. */
  of(kind: Kind, id: string): Entry | undefined {
    const found = this.#damaged.get(keyOf({ kind, id }))
    if (!found || found.isChanged) return undefined
    return { kind, id, stamp: found.stamp, parent: null, hash: null, document: null }
  }

  /** A version that was just made, or has come from another node. */
  repair({ kind, id }: Entry): void {
    if (!this.#damaged.delete(keyOf({ kind, id }))) return
    this.#ports.log.info({ kind, id }, 'an intact version has replaced the damaged document')
  }

  #note(version: Damaged, message: string): void {
    const key = keyOf(version)
    const { kind, id, stamp } = version
    const known = this.#damaged.get(key)
    if (known?.stamp.ms === stamp.ms && known.stamp.counter === stamp.counter) return
    this.#damaged.set(key, version)
    this.#ports.log.error({ kind, id, ts: stamp.ms, from: stamp.node }, message)
  }
}
