/** Damaged documents of the store: logged and listed, so that operators can load them again. */
import type { Log } from '#component/log.ts'
import { runSteps, type YieldTurn } from '#component/yielding.ts'
import { type Entry, type Kind, keyOf } from './entry.ts'
import { hasItsHash } from './refusal.ts'
import type { Stamp } from './stamp.ts'

/** The name of a version. */
export interface Damaged {
  readonly kind: Kind
  readonly id: string
  readonly stamp: Stamp
  /** It is served, but does not match its hash. */
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

/** The damaged documents of a replica. */
export class Damage {
  readonly #ports: DamagePorts
  readonly #damaged = new Map<string, Damaged>()

  constructor(ports: DamagePorts) {
    this.#ports = ports
  }

  /** All that have not been replaced, in the order in which they were found. */
  get all(): readonly Damaged[] {
    return [...this.#damaged.values()]
  }

  /** Checks entries that were read, and logs each damaged version once. */
  async judge(entries: readonly Entry[], damaged: readonly Damaged[] = []): Promise<void> {
    for (const version of damaged) this.#note(version, unreadable)
    for (const entry of entries) {
      if (await runSteps(hasItsHash(entry), this.#ports.yieldTurn)) continue
      const { kind, id, stamp } = entry
      this.#note({ kind, id, stamp, isChanged: true }, changed)
    }
  }

  /** The version that a change of an unreadable document replaces: only its stamp is known. */
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
