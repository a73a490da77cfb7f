/** What serves a policy: the other half of its row. `kind.ts` has what describes it. */
import type { Clock } from '#component/clock.ts'
import type { DescribedVersion, Route } from '#component/gateway/api.ts'
import type { PolicyStage } from '#component/gateway/stage.ts'
import type { MetricSources } from '#component/metrics/source.ts'
import type { TableChange } from '#component/routes/table-change.ts'
import type { Sync } from '#component/sync/sync.ts'
import type { Session } from '#component/wamp/session.ts'

/** What a process has of a policy, beside what its own stages know of it. */
export interface OpenedPolicy<Port = unknown> {
  /** What its stages use, in `parts.policies` under the name of the row; `StagePorts` declares it. */
  readonly port: Port
  readonly sources?: MetricSources
  /** The routing table has changed. */
  follow?(change: TableChange<Route>): void
  /**
   * Drops what is kept of the answers of a document.
   * @param tags undefined: all
   */
  purge?(id: string, tags: readonly string[] | undefined): void
  /** Drops all that is kept of answers: this node may have missed that it was to. */
  purgeAll?(): void
  /**
   * What has been used of a document.
   * @param key one who shares it; undefined: those who have used most
   * @throws ServiceError `service.error.unavailable`
   */
  usage?(versions: readonly DescribedVersion[], key?: string): Promise<readonly unknown[]>
  /** Makes what the processes tell each other, once they know each other. */
  share?(ports: SharePorts): PolicySharing
  /** Ends what it does, and writes what it has counted. */
  close?(): Promise<void>
}

/** How processes reach each other. */
export interface SharePorts {
  readonly sync: Pick<Sync, 'tell' | 'processNames' | 'onUsage'>
  /** The component's own. */
  readonly session: Pick<Session, 'isOpen'>
  readonly clock: Pick<Clock, 'now' | 'after'>
}

/** What the processes tell each other of a policy. */
export interface PolicySharing {
  readonly sources: MetricSources
  start(): void
  stop(): Promise<void>
}

/** What the policies of a request that is only explained get. */
export interface RehearsalWorld {
  readonly clock: Clock
  readonly encode: (value: unknown, type: string) => string | Uint8Array
  /** Whether what is counted of requests is told. */
  readonly tellsLimits: boolean | undefined
}

/** One row. */
export interface ServedPolicy<Name extends string, World, Port> {
  readonly name: Name
  readonly stages: readonly PolicyStage[]
  /** Makes the state of a process. @param world what it needs of the process */
  open(world: World): OpenedPolicy<Port>
  /** What its stages use where a request is only explained, as for the first one; undefined: they do not hold there. */
  rehearse?(world: RehearsalWorld): Port | undefined
}

/** Makes a row. */
export const servedPolicy = <Name extends string, World, Port>(
  name: Name,
  served: Omit<ServedPolicy<Name, World, Port>, 'name'>,
): ServedPolicy<Name, World, Port> => ({ name, ...served })
