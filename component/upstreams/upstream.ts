/** One upstream of a realm in this process: its targets, and the choice among them. */
import type { Connections } from '#component/action/connections/upstreams.ts'
import type { Clock } from '#component/clock.ts'
import { RetryBudget } from './retry-budget.ts'
import { type Drawn, type Member, Ring } from './ring.ts'
import type { OpenValue } from './secure-context.ts'
import type { TargetSettings, UpstreamSettings } from './settings.ts'
import { keyOf, Target, type TargetEnd, type Turn } from './target.ts'

/** What upstreams need of the process. */
export interface UpstreamPorts {
  /** Opens a value of an upstream that may be a secret, or refer to one. Rejects where a file cannot be read. */
  openValue(realm_uri: string, upstream: string, value: unknown): Promise<string | undefined>
  /** Told when a target is out or back. */
  onTurn?(upstream: Upstream, target: Target, turn: Turn): void
  readonly clock: Clock
  readonly connections: Connections
}

/** Whether the setting is a name, and not one of the words. */
const hasOwnName = (hostHeader: string): boolean => !['target', 'request'].includes(hostHeader)

/** What decides the target of a request. */
export interface Wanted extends Pick<Drawn, 'key' | 'tried'> {
  /** The group whose targets are wanted; empty: none. */
  readonly group: string
}

/** How requests to targets end. */
export const targetEnds = ['success', 'failure', 'unknown'] as const satisfies TargetEnd['result'][]

/** A target, and what has become of it: `out` by failures, `down` by checks. */
export interface TargetState {
  readonly target: Target
  readonly state: 'up' | 'out' | 'down' | 'draining'
}

/** Its targets are those of one load of the realm. */
export class Upstream {
  readonly realm_uri: string
  readonly settings: UpstreamSettings
  readonly targets: readonly Target[]
  /** Requests that went to another target, and that were not sent once more for want of budget. */
  readonly counts: { failovers: number; exhausted: number }
  /** Of the requests that may be sent twice. */
  readonly budget: RetryBudget
  readonly #ports: UpstreamPorts
  /** Those that get requests by themselves, backups too. */
  readonly #counted: readonly Target[]
  /** Those that requests go to which want no group, then those that stand in while none of these is there. */
  readonly #rings: readonly Ring[]
  readonly #groups: ReadonlyMap<string, Ring>

  /** @param before the one that it takes the place of: targets whose connections are the same go on */
  constructor(
    realm_uri: string,
    settings: UpstreamSettings,
    ports: UpstreamPorts,
    before?: Upstream,
  ) {
    const { clock, connections } = ports
    this.realm_uri = realm_uri
    this.settings = settings
    this.#ports = ports
    this.counts = before?.counts ?? { failovers: 0, exhausted: 0 }
    const isBudgetKept = before?.settings.retryBudget === settings.retryBudget
    this.budget = isBudgetKept ? before.budget : new RetryBudget(settings.retryBudget)
    const { tls, hostHeader } = settings
    const serverName = tls?.server_name ?? (hasOwnName(hostHeader) ? hostHeader : undefined)
    const open: OpenValue = (value) => ports.openValue(realm_uri, settings.name, value)
    const known = new Map(before?.targets.map((target) => [target.key, target]))
    const targets = settings.targets.map((one) => {
      const { url, origin } = one
      const connection = { url, origin, connections: settings.connections, tls, serverName }
      const kept = known.get(keyOf(connection))
      return [one, kept ?? new Target(connection, connections, open, clock.now())] as const
    })
    this.targets = targets.map(([, target]) => target)
    const ringOf = (isIn: (one: TargetSettings) => boolean, least: number): Ring => {
      const members = targets.flatMap(([one, target]): Member[] => {
        const weight = Math.max(one.weight, least)
        return !one.isDrained && weight > 0 && isIn(one) ? [{ target, weight }] : []
      })
      return new Ring(members, settings, clock)
    }
    this.#counted = targets.flatMap(([{ weight, isDrained }, target]) =>
      weight > 0 && !isDrained ? [target] : [],
    )
    const hasBackup = settings.targets.some(({ isBackup }) => isBackup)
    this.#rings = [
      ringOf(({ isBackup }) => !isBackup, 0),
      ...(hasBackup ? [ringOf(({ isBackup }) => isBackup, 0)] : []),
    ]
    const names = new Set(settings.targets.flatMap(({ group }) => group ?? []))
    this.#groups = new Map(
      [...names].map((name) => [name, ringOf(({ group }) => group === name, 1)]),
    )
  }

  /** The target of a request: of the wanted group, else of the others, else a backup; undefined: none can be reached now. */
  choose({ group, key, tried }: Wanted): Target | undefined {
    const drawn: Drawn = { key, tried, now: this.now() }
    const wanted = group === '' ? undefined : this.#groups.get(group)?.choose(drawn)
    if (wanted) return wanted
    for (const ring of this.#rings) {
      const target = ring.choose(drawn)
      if (target) return target
    }
    return undefined
  }

  /** The `Host` of a request; undefined: that of its target. @param received that of the client */
  hostFor(received: string): string | undefined {
    const { hostHeader } = this.settings
    if (hostHeader === 'target') return undefined
    return hostHeader === 'request' ? received : hostHeader
  }

  /** Milliseconds since the epoch. */
  now(): number {
    return this.#ports.clock.now()
  }

  /** Whether another target may take over a request that one has failed. */
  get hasOthers(): boolean {
    const { failover, targets } = this.settings
    return failover > 0 && targets.length > 1
  }

  /** The answer to a request has come, or will not come. @param ticket of its begin */
  end(target: Target, ticket: number, end: TargetEnd): void {
    const isLast = () => !this.#counted.some((one) => one !== target && one.isUp)
    const turn = target.end(ticket, end, this.now(), this.settings.health, isLast)
    if (turn !== undefined) this.#ports.onTurn?.(this, target, turn)
  }

  /** What the checks say of a target. */
  mark(target: Target, isDown: boolean, reason: string | undefined): void {
    const turn = target.mark(isDown, reason, this.now())
    if (turn !== undefined) this.#ports.onTurn?.(this, target, turn)
  }

  /** What has become of its targets in this process, in their order. */
  states(): readonly TargetState[] {
    return this.settings.targets.flatMap(({ isDrained }, index) => {
      const target = this.targets[index]
      if (!target) return []
      const state = target.isDown ? 'down' : !target.isUp ? 'out' : isDrained ? 'draining' : 'up'
      return [{ target, state }]
    })
  }

  /** Lets go of the targets that the one in its place has not; undefined: there is none. */
  retire(next: Upstream | undefined): void {
    for (const target of this.targets) {
      if (!next?.targets.includes(target)) target.release(this.settings.drainMs)
    }
  }
}
