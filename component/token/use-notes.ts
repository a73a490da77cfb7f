/** Tells the store of uses of tickets and API keys without waiting for it. */
import type { Clock } from '#component/clock.ts'
import { LogThrottle, linePerMinute } from '#component/limits/log-throttle.ts'
import type { Log } from '#component/log.ts'
import type { TicketUseStore } from '#component/store/ticket-use-store.ts'

/** The dependencies of {@link UseNotes}. */
export interface UseNotePorts {
  readonly store: Pick<TicketUseStore, 'note'>
  readonly clock: Pick<Clock, 'now' | 'after'>
  readonly log: Pick<Log, 'warn'>
}

/** Of one kind of credential in one process. */
export class UseNotes {
  readonly #ports: UseNotePorts
  readonly #failure: string
  readonly #throttle: LogThrottle

  /** @param failure the log line where the store is away; once a minute */
  constructor(ports: UseNotePorts, failure: string) {
    this.#ports = ports
    this.#failure = failure
    this.#throttle = new LogThrottle(ports.clock, linePerMinute)
  }

  /** As {@link TicketUseStore.note}, in the background: the process itself knows of the use. */
  note(id: string, usedAt: number, exp: number): void {
    this.#ports.store.note(id, usedAt, exp).catch((err: unknown) => {
      if (this.#throttle.admits('')) this.#ports.log.warn({ err }, this.#failure)
    })
  }
}
