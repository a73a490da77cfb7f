/** What a node tells of its faults, in /ready and /registry. */
import type { Damaged } from '#component/replica/damage.ts'
import type { Replica } from '#component/replica/replica.ts'
import { faultTexts, type StoreHealth } from '#component/store/health.ts'
import type { Sync } from '#component/sync/sync.ts'
import type { SessionError } from '#component/wamp/session-record.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import type { RefusedFile } from '#component/wiring/configured-files.ts'

/** The parts that have problems. */
interface Troubled {
  /** The component's own session. */
  readonly own: Pick<SupervisedSession, 'isOpen' | 'record'>
  readonly replica: Pick<Replica, 'isStoreAway'>
  readonly health: Pick<StoreHealth, 'fault'>
  readonly sync: Pick<Sync, 'isNameTaken'>
  readonly refused: readonly RefusedFile[]
  /** Procedures of documents that the router refuses to register. */
  readonly refusedProcedures: number
  /** Deliveries that accept and send nothing until somebody resumes them. */
  readonly stoppedDeliveries: number
}

/** As many refused files are named. */
const mostFiles = 10

/**
 * The problems of a node, one sentence each: the lines of /ready after the first one. Everybody who reaches the health listener
 * reads them: they hold no text of a document, and no text of the router.
 */
export const problemsOf = ({
  own,
  replica,
  health,
  sync,
  refused,
  refusedProcedures,
  stoppedDeliveries,
}: Troubled): string[] => [
  ...(own.isOpen ? [] : [`the router is away${lastErrorText(own.record.lastError)}`]),
  ...(replica.isStoreAway ? ['the store is away'] : []),
  ...(health.fault ? [faultTexts[health.fault]] : []),
  ...(sync.isNameTaken ? ['another gateway has the name of this node'] : []),
  ...refused.slice(0, mostFiles).map(refusedFile),
  ...(refused.length > mostFiles ? [`${refused.length - mostFiles} more files were refused`] : []),
  ...(refusedProcedures > 0 ? [refusedText(refusedProcedures)] : []),
  ...(stoppedDeliveries > 0 ? [stoppedText(stoppedDeliveries)] : []),
]

function lastErrorText(error: SessionError | undefined): string {
  if (!error) return ''
  const { at, error_uri, message } = error
  const said = error_uri === 'wamp.error.net_failure' ? ` (${message})` : ''
  return `: ${error_uri}${said} at ${new Date(at).toISOString()}`
}

const refusedText = (count: number): string =>
  `the router refuses to register ${count} procedure${count === 1 ? '' : 's'}, listed by GET /registry`

const stoppedText = (count: number): string =>
  `${count} ${count === 1 ? 'delivery is' : 'deliveries are'} stopped, listed by GET /registry`

function refusedFile({ file, issues }: RefusedFile): string {
  const count = `${issues.length} issue${issues.length === 1 ? '' : 's'}`
  return `the file ${file} was refused: ${count}, listed by GET /registry`
}

/** A refused file as /registry shows it. */
export const refusalOf = ({ file, issues }: RefusedFile) => ({ file, issues })

/** A damaged document as /registry shows it. */
export const damageOf = ({ kind, id, stamp, isChanged }: Damaged) => ({
  kind,
  id,
  ts: stamp.ms,
  node: stamp.node,
  reason: isChanged ? 'hash_does_not_fit' : 'unreadable',
})
