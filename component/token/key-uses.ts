/** When API keys were used last, to the minute: a process tells the store of the first use in each minute. */
import { LRUCache } from 'lru-cache'
import { secondsOf } from '#component/clock.ts'
import { atMost } from '#component/limits/at-most.ts'
import type { TicketUseStore } from '#component/store/ticket-use-store.ts'
import { type UseNotePorts, UseNotes } from './use-notes.ts'

/** The dependencies of {@link KeyUses}. */
export interface KeyUsePorts extends UseNotePorts {
  readonly store: Pick<TicketUseStore, 'note' | 'lastUses'>
}

/** Keys that a process remembers at most; of another one the store is told more than once a minute. */
const maxKnown = 100_000

const minute = 60

/** How long the last use of a key without expiry is kept. Seconds: 400 days. */
const keptFor = 34_560_000

/** One for each process. Times are seconds since the epoch, of whole minutes. */
export class KeyUses {
  readonly #ports: KeyUsePorts
  readonly #known = new LRUCache<string, number>(atMost(maxKnown))
  readonly #notes: UseNotes

  constructor(ports: KeyUsePorts) {
    this.#ports = ports
    this.#notes = new UseNotes(ports, 'the use of API keys could not be kept in the store')
  }

  /** Notes that the key is used now. @param exp when the key ends; absent: never */
  note(id: string, exp?: number): void {
    const now = secondsOf(this.#ports.clock)
    const usedAt = now - (now % minute)
    if (this.#known.get(id) === usedAt) return
    this.#known.set(id, usedAt)
    this.#notes.note(id, usedAt, exp ?? usedAt + keptFor)
  }

  /** The last uses of these keys, as far as the store and this process know; of others there is none. @throws ServiceError `service.error.unavailable` */
  async of(ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const found = new Map(await this.#ports.store.lastUses(ids))
    for (const id of ids) {
      const known = this.#known.peek(id)
      if (known !== undefined && known > (found.get(id) ?? 0)) found.set(id, known)
    }
    return found
  }
}
