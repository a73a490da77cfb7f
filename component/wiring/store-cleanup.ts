/** Cleans the store every hour: expired refresh tokens, the history of deleted documents, and unused space. */
import type { Clock } from '#component/clock.ts'
import type { Log } from '#component/log.ts'
import type { Store } from '#component/store/database.ts'

/** The dependencies of the cleanup. */
export interface CleanupPorts {
  readonly store: Pick<Store, 'families' | 'entries' | 'shrink'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Pick<Log, 'warn'>
  /** How long the history of a deleted API Specification is kept; days. */
  readonly deletedDays: number
}

/** Milliseconds from the start to the first cleanup, and between two. */
const firstMs = 60_000
const intervalMs = 3_600_000

const dayMs = 86_400_000

/** Cleans until the result is called. Every process of a gateway does so. */
export function startCleanup({ store, clock, log, deletedDays }: CleanupPorts): () => void {
  const tasks = {
    'expired refresh tokens could not be removed': () => store.families.removeExpired(clock.now()),
    'the history of deleted documents could not be removed': () =>
      store.entries.endHistory(clock.now() - deletedDays * dayMs),
    'unused space of the store could not be released': () => store.shrink(),
  }
  let stop = clock.after(firstMs, clean)

  async function run(): Promise<void> {
    for (const [failure, task] of Object.entries(tasks)) {
      await task().catch((err: unknown) => log.warn({ err }, failure))
    }
  }

  function clean(): void {
    stop = clock.after(intervalMs, clean)
    void run()
  }

  return () => stop()
}
