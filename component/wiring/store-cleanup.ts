/** Cleans the store: every minute kept answers; every hour expired refresh tokens, quotas of former windows, the history of deleted documents, and unused space; and logs when it takes no writes. */
import { type Clock, secondsOf } from '#component/clock.ts'
import type { Log } from '#component/log.ts'
import type { Store } from '#component/store/database.ts'
import { faultTexts } from '#component/store/health.ts'
import type { Needs } from './process-parts.ts'

/** The dependencies of the cleanup. */
export interface CleanupPorts {
  readonly store: Pick<
    Store,
    'families' | 'logins' | 'ticketUses' | 'quotas' | 'entries' | 'answers' | 'shrink'
  >
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Pick<Log, 'warn'>
  /** How long the history of a deleted API Specification is kept; days. */
  readonly deletedDays: number
}

const minuteMs = 60_000
const hourMs = 3_600_000

const dayMs = 86_400_000

/** Logins at identity providers whose tokens are kept. */
const maxLogins = 100_000

/** A window that has ended is kept for a while: the clocks of other gateways may be late. Milliseconds. */
const windowGraceMs = 3_600_000

const nextTurn = () => new Promise((resolve) => setImmediate(resolve))

/** What is done, by the sentence of the log where it fails. */
type Tasks = Readonly<Record<string, () => Promise<void>>>

/** Cleans until the result is called. Every process of a gateway does so. */
export function startCleanup(ports: CleanupPorts): () => void {
  const { store, clock, deletedDays } = ports
  const stops = [
    every(minuteMs, ports, {
      'responses of requests with an Idempotency-Key could not be removed': () =>
        store.answers.sweep(),
    }),
    every(hourMs, ports, {
      'expired refresh tokens could not be removed': () =>
        store.families.removeExpired(clock.now()),
      'the tokens of ended logins could not be removed': () =>
        store.logins.sweep(clock.now(), maxLogins),
      'the use of ended tickets could not be removed': () =>
        store.ticketUses.sweep(secondsOf(clock)),
      'the use of quotas in former windows could not be removed': async () => {
        while (await store.quotas.removeEnded(clock.now() - windowGraceMs)) await nextTurn()
      },
      'the history of deleted documents could not be removed': () =>
        store.entries.endHistory(clock.now() - deletedDays * dayMs),
      'unused space of the store could not be released': () => store.shrink(),
    }),
  ]
  return () => {
    for (const stop of stops) stop()
  }
}

/** Begins a minute after the start. */
function every(intervalMs: number, { clock, log }: CleanupPorts, tasks: Tasks): () => void {
  let stop = clock.after(minuteMs, clean)

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

/** Follows what others write to the store, cleans it, and watches its health, until it is stopped. */
export function watchStore({ context, worker }: Needs<'context' | 'worker'>): { stop(): void } {
  const { config, store, replica, clock, log } = context
  worker?.refreshBy(() => replica.refresh())
  store.onEntries = () => void replica.refresh()
  store.health.onAway = () => void replica.refresh()
  store.health.onFault = (fault) =>
    fault === undefined
      ? log.info('the store takes writes again')
      : log.error(
          `${faultTexts[fault]}: known documents are served, and loads that it cannot keep are refused`,
        )
  return { stop: startCleanup({ store, clock, log, deletedDays: config.history.deleted_days }) }
}
