/** What the outbox needs of its process. */
import type { Clock } from '#component/clock.ts'
import type { Log } from '#component/log.ts'
import type { Store } from '#component/store/database.ts'
import type { Session } from '#component/wamp/session.ts'
import type { RunInTurn, YieldTurn } from '#component/yielding.ts'

/** That this node alone accepts the events of a realm. */
export interface RealmLock {
  readonly isHeld: boolean
  /**
   * Whether another process says that it has it: what that one does not hear, it tells. A session of a process that has ended says nothing,
   * and may have the lock until the router notices. Never rejects.
   */
  isElsewhere(): Promise<boolean>
  /** Lets another node have it. */
  end(): Promise<void>
}

/** One for each process. */
export interface OutboxPorts {
  readonly store: Pick<Store, 'deliveries' | 'deliveryOwners'>
  /** Its `now` is that of the database. */
  readonly clock: Clock
  /** Milliseconds of a clock that goes on while the process is frozen. */
  readonly monotonic: () => number
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
  readonly node: string
  /** Names this process among all. */
  readonly holder: string
  /** The gateway's own session of a realm. */
  readonly session: (realm_uri: string) => Pick<Session, 'watch' | 'isOpen'>
  /** Asks the router for the lock of a realm; undefined: the store is the lock of all nodes. */
  readonly lock: ((realm_uri: string) => RealmLock) | undefined
  readonly box: {
    seal(text: string, purpose: string): string
    open(sealed: string, purpose: string): string | undefined
    derive(purpose: string, ...texts: readonly string[]): Buffer
  }
  /** Whether a user's own endpoint is there; one that is not has been removed, and what waits for it goes. */
  readonly hasEndpoint: (endpoint: string) => boolean
  readonly yieldTurn: YieldTurn
  /** Begins attempts of all deliveries: rendering, signing and sending take time. */
  readonly beginInTurn: RunInTurn
  /** `limits.delivery_buffer`: bytes of events that may wait in memory. */
  readonly bufferBytes: number
  /** `deliveries.max_bytes`: bytes of all rows. */
  readonly maxBytes: number
  /** Milliseconds that attempts may take once the process stops. */
  readonly drainMs: number
}
