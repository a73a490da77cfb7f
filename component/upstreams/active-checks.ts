/** Asks the targets of upstreams with `health.active` whether they are there: one process of a gateway asks, and tells the others. */
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { ActiveSettings } from './settings.ts'
import type { Target } from './target.ts'
import type { Upstream } from './upstream.ts'

/** What a check has found of a target, for the other processes of the gateway. */
export interface ToldHealth {
  readonly realm_uri: string
  readonly upstream: string
  /** The id of the target. */
  readonly target: string
  readonly isDown: boolean
  readonly reason: string | undefined
}

/** Milliseconds after which a check that has failed is repeated while the target is up. */
const soon = 1_000

interface CheckPorts {
  readonly clock: Clock
  /** Told of each change, of a target that is down at each check, and once of one that is well: a process may have begun meanwhile. */
  tell(told: ToldHealth): void
}

/** The checks of one process. Without upstreams that ask for them there is no timer. */
export class ActiveChecks {
  readonly #ports: CheckPorts
  #loops = new Map<Target, Loop>()

  constructor(ports: CheckPorts) {
    this.#ports = ports
  }

  /** Checks the targets of these upstreams, and no others; those whose settings stay go on. */
  follow(upstreams: Iterable<Upstream>): void {
    const former = this.#loops
    this.#loops = new Map()
    for (const upstream of upstreams) {
      const { active } = upstream.settings.health
      if (active === undefined) continue
      for (const target of upstream.targets) {
        const known = former.get(target)
        const loop = known?.isFor(upstream)
          ? known
          : new Loop(upstream, target, active, this.#ports)
        this.#loops.set(target, loop)
      }
    }
    for (const [target, loop] of former) if (this.#loops.get(target) !== loop) loop.stop()
  }

  /** Ends all of them. */
  close(): void {
    this.follow([])
  }
}

/** The checks of one target, one after the other. */
class Loop {
  readonly #upstream: Upstream
  readonly #target: Target
  readonly #settings: ActiveSettings
  readonly #ports: CheckPorts
  /** Equal results in a row. */
  #count = 0
  #wasGood = true
  #stop: () => void
  #isOver = false

  constructor(upstream: Upstream, target: Target, settings: ActiveSettings, ports: CheckPorts) {
    this.#upstream = upstream
    this.#target = target
    this.#settings = settings
    this.#ports = ports
    const { clock } = ports
    // targets are not asked all at once
    this.#stop = clock.after(clock.random() * Math.min(settings.intervalMs, soon), this.#check)
  }

  isFor(upstream: Upstream): boolean {
    return this.#upstream === upstream
  }

  stop(): void {
    this.#isOver = true
    this.#stop()
  }

  readonly #check = (): void => {
    const { clock } = this.#ports
    const begun = clock.now()
    void askOnce(this.#target, this.#upstream, this.#settings, clock).then((problem) => {
      if (this.#isOver) return
      this.#target.lastCheck = { at: clock.now(), problem }
      this.#judge(problem)
      const { intervalMs } = this.#settings
      const waits = problem !== undefined && !this.#target.isDown ? Math.min(soon, intervalMs) : 0
      const left = waits || Math.max(0, intervalMs - (clock.now() - begun))
      this.#stop = clock.after(left, this.#check)
    })
  }

  #judge(problem: string | undefined): void {
    const isGood = problem === undefined
    this.#count = isGood === this.#wasGood ? this.#count + 1 : 1
    this.#wasGood = isGood
    const { isDown } = this.#target
    const { up, down } = this.#settings
    const turnsDown = !isGood && !isDown && this.#count >= down
    const turnsUp = isGood && isDown && this.#count >= up
    if (turnsDown || turnsUp) this.#upstream.mark(this.#target, turnsDown, problem)
    // a process that checks may have begun anew, and the others know of one before
    const isWell = isGood && !this.#target.isDown && this.#count === up
    if (!isWell && !this.#target.isDown) return
    const { realm_uri, settings } = this.#upstream
    this.#ports.tell({
      ...{ realm_uri, upstream: settings.name, target: this.#target.id },
      ...{ isDown: this.#target.isDown, reason: problem },
    })
  }
}

/** Asks once. @returns why the target is not well; undefined: it is */
function askOnce(
  target: Target,
  upstream: Upstream,
  { path, timeoutMs, statuses }: ActiveSettings,
  clock: Clock,
): Promise<string | undefined> {
  return new Promise((resolve) => {
    let abort: ((error: Error) => void) | undefined
    const done = (problem: string | undefined): void => {
      stopTimer()
      resolve(problem)
      abort?.(new Error('the check is over'))
    }
    const late = () => done(`the check had no response within ${timeoutMs} ms`)
    const stopTimer = clock.after(timeoutMs, late)
    const host = upstream.hostFor(target.origin.text.replace(/^https?:\/\//, ''))
    target.pool(timeoutMs).dispatch(
      { path, method: 'GET', headers: { ...(host !== undefined && { host }), accept: '*/*' } },
      {
        onRequestStart(controller) {
          abort = (error) => controller.abort(error)
        },
        onResponseStart(_controller, status) {
          if (status < 200) return
          const isExpected = statuses ? statuses.includes(status) : status < 300
          done(isExpected ? undefined : `the check got ${status}`)
        },
        onResponseData: () => undefined,
        onResponseEnd: () => undefined,
        onResponseError(_controller, error: Error & { code?: unknown }) {
          const code = typeof error.code === 'string' ? error.code : error.name
          const why = error instanceof ServiceError ? error.message : code
          done(`the check could not be sent (${why})`)
        },
      },
    )
  })
}
