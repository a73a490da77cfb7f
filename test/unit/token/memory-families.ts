/** Families of refresh tokens in memory, as the store keeps them, which can be away. */
import { ServiceError } from '#component/errors.ts'
import {
  type Family,
  type FamilyStore,
  hasWaited,
  type Rotation,
} from '#component/store/family-store.ts'

type Families = Pick<FamilyStore, 'create' | 'find' | 'rotate' | 'remove' | 'removeOfUser'>

/** What the table does, without a table. */
export class MemoryFamilies implements Families {
  isAway = false
  /** How often it was asked for anything. */
  asked = 0
  #rows: readonly Family[] = []

  /** What there is, oldest first. */
  get rows(): readonly Family[] {
    return this.#rows
  }

  async create(family: Family, max: number): Promise<void> {
    this.#reach()
    const isOfUser = ({ realm_uri, authid }: Family) =>
      realm_uri === family.realm_uri && authid === family.authid
    const others = this.#rows.filter((row) => !isOfUser(row))
    const own = [...this.#rows.filter(isOfUser), family].slice(-max)
    this.#rows = [...others, ...own]
  }

  async find(id: string): Promise<Family | undefined> {
    this.#reach()
    return this.#rows.find((row) => row.id === id)
  }

  async rotate(
    id: string,
    generation: number,
    at: { nowMs: number; graceMs: number; expiresAtMs: number; waitsSinceMs?: number | undefined },
  ): Promise<Rotation> {
    this.#reach()
    const current = this.#rows.find((row) => row.id === id)
    if (!current) return { kind: 'unknown' }
    if (current.generation === generation) {
      const family = {
        ...current,
        generation: generation + 1,
        rotated_at: at.nowMs,
        expires_at: at.expiresAtMs,
      }
      this.#rows = this.#rows.map((row) => (row === current ? family : row))
      return { kind: 'rotated', family }
    }
    if (current.generation === generation + 1 && at.nowMs - current.rotated_at <= at.graceMs) {
      return { kind: 'repeated', family: current }
    }
    if (hasWaited(current, at)) return { kind: 'late' }
    this.#rows = this.#rows.filter((row) => row !== current)
    return { kind: 'reused' }
  }

  async remove(id: string): Promise<boolean> {
    this.#reach()
    const before = this.#rows.length
    this.#rows = this.#rows.filter((row) => row.id !== id)
    return this.#rows.length < before
  }

  async removeOfUser(realm_uri: string, authid: string, beforeMs: number): Promise<void> {
    this.#reach()
    this.#rows = this.#rows.filter(
      (row) => row.realm_uri !== realm_uri || row.authid !== authid || row.created_at >= beforeMs,
    )
  }

  #reach(): void {
    this.asked++
    if (this.isAway) throw new ServiceError('service.error.unavailable', 'the store is away')
  }
}
