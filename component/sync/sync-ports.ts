/** The dependencies of sync. */
import type { Clock } from '#component/clock.ts'
import type { Log } from '#component/log.ts'
import type { Replica } from '#component/replica/replica.ts'
import type { Session } from '#component/wamp/session.ts'
import type { Sealing } from './sealing.ts'
import type { Fields, Heartbeat } from './sync-messages.ts'
import type { Question } from './wire.ts'

/** Answers the questions of other nodes, once the parts that know are there; a question without an answer is answered with nothing. */
export type Answers = Partial<Record<Question, (fields: Fields) => Fields | Promise<Fields>>>

/** What has happened between this node and the others since its start, for metrics. */
export interface SyncCounts {
  /** Heartbeats of peers with another digest than that of this node. */
  digestMismatches: number
  /** Exchanges that have fetched all that the peer has, and failures to fetch or take something. */
  readonly exchanges: { ok: number; failed: number }
}

/** One object for all parts of sync. */
export interface SyncPorts {
  readonly replica: Replica
  /** On the component's realm. */
  readonly session: Pick<Session, 'call' | 'publish' | 'register' | 'subscribe' | 'isOpen'>
  readonly clock: Clock
  readonly log: Log
  /** The name of this node: no other gateway of the cluster has it. */
  readonly node: string
  /** What the other gateways are told of this program. */
  readonly program: Pick<Heartbeat, 'version' | 'features'>
  /**
   * The names of the processes of this gateway, where it has several: they have one store. The first one sends heartbeats, and is the
   * node that the others know.
   */
  readonly workers?: readonly string[] | undefined
  /** Of `cluster.key`: the same on all gateways of the cluster. */
  readonly sealing: Sealing
  /** Whether all nodes that have the store of this one are told of its changes by the store itself; absent: false. */
  readonly isStoreShared?: boolean
  /** Absent: the store is not watched. */
  readonly health?: {
    /** Why the last write was refused. */
    readonly fault: 'full' | 'failed' | 'read_only' | undefined
    readonly clockOffsetMs: number | undefined
  }
}
