/** Counts and times the attempts of actions: WAMP calls, publications, subscriptions and requests to upstreams. */
import { durationBounds } from '#component/metrics/bounds.ts'
import { Family, type SeriesStock } from '#component/metrics/family.ts'
import type { TraceContext } from '#component/telemetry/trace-context.ts'
import type { AttemptMetric, Reach } from './kind.ts'
import { actionKinds } from './kinds.ts'
import type { ActionTarget } from './watching/action-target.ts'
import type { AttemptEnd } from './watching/attempt-end.ts'
import type { AttemptWatch, WatchedAttempt, WatchedRun } from './watching/attempt-watch.ts'

/** What an attempt is told to. */
interface Meter {
  readonly family: Family
  readonly outcomeOf: AttemptMetric['outcomeOf']
  /** Milliseconds of a clock that never goes back. */
  now(): number
}

/** Keeps the metrics of attempts. */
export class ActionMetrics implements AttemptWatch {
  /** By type of action; one that reaches nothing has no attempts. */
  readonly #meters: ReadonlyMap<string, Meter>
  readonly #retries: Family

  /** @param now milliseconds of a clock that never goes back */
  constructor(stock: SeriesStock, now: () => number) {
    const meter = ({ metric: { name, help, outcomeOf }, label: subject }: Reach): Meter => ({
      family: new Family(
        { name, help, subject, bounds: durationBounds, labels: ['outcome'] },
        stock,
      ),
      ...{ outcomeOf, now },
    })
    this.#meters = new Map(
      actionKinds.flatMap(({ type, reaches }) => (reaches ? [[type, meter(reaches)]] : [])),
    )
    this.#retries = new Family(
      {
        name: 'gateway_action_retries_total',
        help: 'Attempts after the first one, by API, version, type of action, and procedure, topic or upstream.',
        subject: 'target',
        labels: ['type'],
      },
      stock,
    )
  }

  begin({ target, trace }: WatchedRun, tried: number): WatchedAttempt {
    const { served, text, type } = target
    if (tried > 0) this.#retries.at(served, text, type).add()
    return new MeasuredAttempt(this.#meters.get(type), target, trace?.context)
  }
}

/** One attempt. */
class MeasuredAttempt implements WatchedAttempt {
  readonly context: TraceContext | undefined
  readonly #meter: Meter | undefined
  readonly #target: ActionTarget
  readonly #start: number
  #isReady = false

  constructor(meter: Meter | undefined, target: ActionTarget, context: TraceContext | undefined) {
    this.context = context
    this.#meter = meter
    this.#target = target
    this.#start = meter?.now() ?? 0
  }

  ready(): void {
    this.#isReady = true
  }

  over(end: AttemptEnd): void {
    const meter = this.#meter
    if (!meter) return
    const { context } = this
    const { served, text } = this.#target
    const seconds = (meter.now() - this.#start) / 1000
    const series = meter.family.at(served, text, meter.outcomeOf(end, this.#isReady))
    series.observe(seconds, context?.isSampled ? context.traceId : undefined)
  }
}
