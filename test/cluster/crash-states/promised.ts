/** What a run has acknowledged, and what of it a store does not have. */
import { DatabaseSync } from 'node:sqlite'
import { systemClock } from '#component/clock.ts'
import type { Kind } from '#component/replica/entry.ts'
import { openStore } from '#component/store/database.ts'

/** One acknowledgement: at least so new a version, so high a generation, so many units; a key that was taken, or has an answer; an event of a delivery that waits with so many attempts, is over, is being dropped, or was. */
export type Promised =
  | { readonly entry: readonly [Kind, string]; readonly ms: number }
  | { readonly family: string; readonly generation: number }
  | { readonly quota: string; readonly used: number }
  | { readonly performed: string }
  | { readonly answered: string }
  | { readonly event: string; readonly state: EventState; readonly attempts: number }

/** `dropping`: it may be there, and may not. */
type EventState = 'waiting' | 'over' | 'dropping' | 'dropped'

/** Everything that was acknowledged by some moment. */
export class Promises {
  readonly #entries = new Map<string, number>()
  readonly #families = new Map<string, number>()
  readonly #quotas = new Map<string, number>()
  readonly #keys = new Map<string, 'performed' | 'answered'>()
  readonly #events = new Map<string, { readonly state: EventState; readonly attempts: number }>()

  get count(): number {
    const maps = [this.#entries, this.#families, this.#quotas, this.#keys, this.#events]
    return maps.reduce((sum, { size }) => sum + size, 0)
  }

  add(promised: Promised): void {
    const raise = (map: Map<string, number>, name: string, value: number) =>
      map.set(name, Math.max(value, map.get(name) ?? value))
    if ('entry' in promised) raise(this.#entries, promised.entry.join(' '), promised.ms)
    else if ('family' in promised) raise(this.#families, promised.family, promised.generation)
    else if ('quota' in promised) raise(this.#quotas, promised.quota, promised.used)
    else if ('event' in promised) this.#events.set(promised.event, promised)
    else if ('performed' in promised) this.#keys.set(promised.performed, 'performed')
    else this.#keys.set(promised.answered, 'answered')
  }

  /** Opens the store in a file as a gateway does. @returns what is lost, doubled and corrupt, one text each */
  async missingIn(file: string): Promise<string[]> {
    const missing: string[] = []
    const store = await openStore(`sqlite:${file}`, systemClock)
    try {
      const { entries, damaged = [] } = await store.entries.since(0)
      for (const { kind, id } of damaged) missing.push(`corrupt: ${kind} ${id}`)
      const found = new Map(entries.map(({ kind, id, stamp }) => [`${kind} ${id}`, stamp.ms]))
      for (const [name, ms] of this.#entries) {
        if ((found.get(name) ?? -1) < ms) missing.push(`lost: ${name} of ${ms}`)
      }
      const database = new DatabaseSync(file, { readOnly: true })
      try {
        const [check] = database.prepare('pragma integrity_check').all()
        if (check?.integrity_check !== 'ok') missing.push(`corrupt: ${check?.integrity_check}`)
        const numbers = (sql: string) =>
          new Map(
            database
              .prepare(sql)
              .all()
              .map(({ name, value }) => [name, value]),
          )
        const families = numbers('select id as name, generation as value from refresh_families')
        for (const [name, generation] of this.#families) {
          if (Number(families.get(name) ?? -1) < generation) missing.push(`lost: ${name}`)
        }
        const quotas = numbers('select key as name, used as value from quota_usage')
        for (const [name, used] of this.#quotas) {
          if (Number(quotas.get(name) ?? 0) < used) missing.push(`lost: units of ${name}`)
        }
        missing.push(...this.#missingEvents(database))
      } finally {
        database.close()
      }
      const keys = [...this.#keys]
      const owners = await Promise.all(
        keys.map(([scope]) =>
          store.answers.take({
            ...{ scope, fingerprint: 'f', leaseMs: 60_000, keptMs: 60_000, takesUnknown: false },
          }),
        ),
      )
      for (const [index, { kind }] of owners.entries()) {
        const [scope, state] = keys[index] ?? []
        if (kind === 'taken') missing.push(`doubled: ${scope}`)
        else if (state === 'answered' && kind !== 'answered') missing.push(`lost: answer ${scope}`)
      }
    } finally {
      await store.close()
    }
    return missing
  }

  /** Events that were accepted and are gone, whose attempts are forgotten, or that would be sent again after they were settled or dropped. */
  #missingEvents(database: DatabaseSync): string[] {
    const rows = database.prepare('select webhook_id as id, state, attempts from deliveries').all()
    const found = new Map(rows.map((row) => [row.id, row]))
    return [...this.#events].flatMap(([id, { state, attempts }]) => {
      const row = found.get(id)
      if (state === 'dropped') return row === undefined ? [] : [`doubled: dropped ${id}`]
      if (state === 'dropping') return []
      if (row === undefined) return [`lost: ${id}`]
      if (Number(row.attempts) < attempts) return [`lost: attempts of ${id}`]
      return state === 'over' && row.state !== 'done' ? [`doubled: ${id}`] : []
    })
  }
}
