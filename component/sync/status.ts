/** The status of a gateway among the others, for `service.registry_status` and `GET /registry`. */
import { kinds } from '#component/replica/entry.ts'
import type { Peers } from './peers.ts'
import type { SyncPorts } from './sync-ports.ts'

/** Another gateway as this one sees it. */
interface NodeStatus {
  readonly node: string
  /** Of its program. */
  readonly version: string
  readonly heard_ms_ago: number
  /** Whether its last digest is that of this node. */
  readonly is_equal: boolean
  /** Its clock minus that of this node. */
  readonly clock_offset_ms: number
  /** Since the last successful exchange with it; null: never. */
  readonly exchanged_ms_ago: number | null
}

/** The result of {@link statusOf}. */
export interface SyncStatus {
  readonly node: string
  /** Of the program of this node. */
  readonly version: string
  /** Of all that is live on this node: equal on two nodes where the same is. */
  readonly digest: string
  /** Documents that are there: API Specifications, realms, and what only gateways know. */
  readonly entries: number
  /** Documents that were deleted. */
  readonly tombstones: number
  /** The others that are there, by name. */
  readonly nodes: readonly NodeStatus[]
  /** Since the last exchange with any of the others; null: never. */
  readonly exchanged_ms_ago: number | null
  /** Messages that came from no gateway of this cluster, or came again. */
  readonly ignored_messages: number
  /** `taken`: another gateway has the name, too, so that loads are refused here. */
  readonly name: 'own' | 'taken'
  readonly router: 'joined' | 'away'
  /** Otherwise why the last write was refused. */
  readonly store: 'open' | 'away' | NonNullable<NonNullable<SyncPorts['health']>['fault']>
  /** `skewed`: too far off the others', so that loads are refused here. */
  readonly clock: 'agrees' | 'skewed'
  /** The median of the others' clocks, and that of a shared database, minus that of this node; null with no others. */
  readonly clock_offset_ms: number | null
}

/** The sources of the status. */
export interface StatusPorts extends SyncPorts {
  readonly peers: Peers
  readonly isNameTaken: boolean
  readonly isSkewed: boolean
  readonly ignoredMessages: number
}

/** The status as of now. */
export function statusOf(ports: StatusPorts): SyncStatus {
  const { clock, ignoredMessages, node, peers, program, replica, session } = ports
  const now = clock.now()
  const age = (at: number | undefined) => (at === undefined ? null : now - at)
  const digest = replica.liveDigest()
  const entries = kinds.flatMap((kind) => replica.entries(kind))
  const tombstones = entries.filter(({ document }) => document === null).length
  return {
    node,
    version: program.version,
    digest,
    entries: entries.length - tombstones,
    tombstones,
    nodes: peers.present().map((peer) => ({
      node: peer.node,
      version: peer.version,
      heard_ms_ago: now - peer.heardAt,
      is_equal: peer.digest === digest,
      clock_offset_ms: peer.clockOffsetMs,
      exchanged_ms_ago: age(peer.exchangedAt),
    })),
    exchanged_ms_ago: age(peers.lastExchangedAt),
    ignored_messages: ignoredMessages,
    name: ports.isNameTaken ? 'taken' : 'own',
    router: session.isOpen ? 'joined' : 'away',
    store: replica.isStoreAway ? 'away' : (ports.health?.fault ?? 'open'),
    clock: ports.isSkewed ? 'skewed' : 'agrees',
    clock_offset_ms: peers.clockOffsetMs ?? null,
  }
}
