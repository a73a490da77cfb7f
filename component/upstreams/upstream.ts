/** One upstream of a realm in this process: its targets, and the choice among them. */
import type { Connections } from '#component/action/connections/upstreams.ts'
import type { UpstreamSettings } from './settings.ts'
import { Target } from './target.ts'

/** What decides the target of a request. */
export interface Wanted {
  /** Targets that the request has been sent to already. */
  readonly tried: readonly Target[]
}

/** Its targets are those of one load of the realm. */
export class Upstream {
  readonly settings: UpstreamSettings
  readonly targets: readonly Target[]
  #next = 0

  constructor(settings: UpstreamSettings, connections: Connections) {
    this.settings = settings
    this.targets = settings.targets.map((one) => new Target(one, connections))
  }

  get name(): string {
    return this.settings.name
  }

  /** The target of a request; undefined: none can be reached now. */
  choose({ tried }: Wanted): Target | undefined {
    const { targets } = this
    for (const _ of targets) {
      const target = targets[this.#next % targets.length]
      this.#next += 1
      if (target && !tried.includes(target)) return target
    }
    return undefined
  }
}
