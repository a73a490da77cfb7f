/** One upstream of a realm in this process: its targets, and the choice among them. */
import type { Connections } from '#component/action/connections/upstreams.ts'
import type { Clock } from '#component/clock.ts'
import { type Drawn, type Member, Ring } from './ring.ts'
import type { TargetSettings, UpstreamSettings } from './settings.ts'
import { Target } from './target.ts'

/** What upstreams need of the process. */
export interface UpstreamPorts {
  readonly clock: Clock
  readonly connections: Connections
}

/** What decides the target of a request. */
export interface Wanted extends Pick<Drawn, 'key' | 'tried'> {
  /** The group whose targets are wanted; empty: none. */
  readonly group: string
}

/** Its targets are those of one load of the realm. */
export class Upstream {
  readonly settings: UpstreamSettings
  readonly #clock: Clock
  /** Those that requests go to which want no group, then those that stand in while none of these is there. */
  readonly #rings: readonly Ring[]
  readonly #groups: ReadonlyMap<string, Ring>

  constructor(settings: UpstreamSettings, { clock, connections }: UpstreamPorts) {
    this.settings = settings
    this.#clock = clock
    const targets = settings.targets.map((one) => [one, new Target(one, connections)] as const)
    const ringOf = (isIn: (one: TargetSettings) => boolean, least: number): Ring => {
      const members = targets.flatMap(([one, target]): Member[] => {
        const weight = Math.max(one.weight, least)
        return !one.isDrained && weight > 0 && isIn(one) ? [{ target, weight }] : []
      })
      return new Ring(members, settings.balance, clock)
    }
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
    const drawn: Drawn = { key, tried, now: this.#clock.now() }
    const wanted = group === '' ? undefined : this.#groups.get(group)?.choose(drawn)
    if (wanted) return wanted
    for (const ring of this.#rings) {
      const target = ring.choose(drawn)
      if (target) return target
    }
    return undefined
  }
}
