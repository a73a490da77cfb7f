/** Uses of API keys that are kept in memory, each at its number. */
import type { KeyUses } from '#component/token/key-uses.ts'

/** What {@link KeyUses} is to API keys; the first use is at 1, the next one at 2. */
export class MemoryKeyUses implements Pick<KeyUses, 'note' | 'of'> {
  readonly noted: (readonly [id: string, exp: number | undefined])[] = []

  note(id: string, exp?: number): void {
    this.noted.push([id, exp])
  }

  async of(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const uses = this.noted.map(([id], at) => [id, at + 1] as const)
    return new Map(uses.filter(([id]) => ids.includes(id)))
  }
}
