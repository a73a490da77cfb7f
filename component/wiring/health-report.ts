/** Faults of a node that still serves, as they are reported in /ready, /registry and the log. */
import type { Log } from '#component/log.ts'
import type { Damaged } from '#component/replica/damage.ts'
import type { Replica } from '#component/replica/replica.ts'
import type { StoreHealth } from '#component/store/health.ts'
import type { Session } from '#component/wamp/session.ts'

/** The lines of /ready after the first one. */
export const problemsOf = (
  { isOpen }: Pick<Session, 'isOpen'>,
  { isStoreAway }: Pick<Replica, 'isStoreAway'>,
  { isFull }: Pick<StoreHealth, 'isFull'>,
): string[] => [
  ...(isOpen ? [] : ['the router is away']),
  ...(isStoreAway ? ['the store is away'] : []),
  ...(isFull ? ['the disk of the store is full'] : []),
]

/** Logs that the disk of the store is full, or has room again. */
export const logFull = (isFull: boolean, log: Pick<Log, 'error' | 'info'>): void =>
  isFull
    ? log.error('the disk of the store is full: known documents are served, but none can be loaded')
    : log.info('the disk of the store has free space again')

/** A damaged document as /registry shows it. */
export const damageOf = ({ kind, id, stamp, isChanged }: Damaged) => ({
  kind,
  id,
  ts: stamp.ms,
  node: stamp.node,
  reason: isChanged ? 'hash_does_not_fit' : 'unreadable',
})
