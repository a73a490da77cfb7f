/** Counts and times the attempts of actions: WAMP calls, publications, subscriptions and requests to upstreams. */
import { durationBounds } from '#component/metrics/bounds.ts'
import { Family, type FamilyPlan, type SeriesStock } from '#component/metrics/family.ts'
import type { TraceContext } from '#component/telemetry/trace-context.ts'
import type { ActionTarget, ActionType } from './action-target.ts'
import type { AttemptEnd } from './attempt-end.ts'
import type { AttemptWatch, WatchedAttempt, WatchedRun } from './attempt-watch.ts'

/** The durations of one type of action, and the words for how its attempts end. */
interface Durations {
  readonly plan: Omit<FamilyPlan, 'bounds' | 'labels'>
  readonly outcomeOf: (end: AttemptEnd, isReady: boolean) => string
}

const outcomes =
  'by API, version and outcome: ok, error (an ERROR of the peer or router), timeout, canceled, unavailable (no session, or it was lost).'

const durations: Readonly<Record<Exclude<ActionType, 'static'>, Durations>> = {
  wamp_call: {
    plan: {
      name: 'gateway_wamp_call_duration_seconds',
      help: `Time of an attempt at a WAMP call, ${outcomes}`,
      subject: 'procedure',
    },
    outcomeOf: wampOutcome,
  },
  wamp_publish: {
    plan: {
      name: 'gateway_wamp_publish_duration_seconds',
      help: `Time of an attempt at a publication, ${outcomes}`,
      subject: 'topic',
    },
    outcomeOf: wampOutcome,
  },
  wamp_subscribe: {
    plan: {
      name: 'gateway_wamp_subscribe_duration_seconds',
      help: `Time until a stream has its subscription and its snapshot, of one attempt, ${outcomes}`,
      subject: 'topic',
    },
    outcomeOf: wampOutcome,
  },
  forward: {
    plan: {
      name: 'gateway_upstream_request_duration_seconds',
      help: 'Time from an attempt at a request to the head of its answer, by API, version, upstream and outcome: the class of the status, timeout, canceled, failed.',
      subject: 'upstream',
    },
    outcomeOf: forwardOutcome,
  },
}

/** The failures of the gateway's own session: a request that had one has lost it. */
const lostSession = new Set(['wamp.error.net_failure', 'service.error.unauthorized'])

/** @param isReady whether there was a session */
function wampOutcome({ error, reason }: AttemptEnd, isReady: boolean): string {
  if (error === undefined) return 'ok'
  // callees may answer with any URI
  if (reason === undefined) return 'error'
  const { error_uri } = error
  if (error_uri === 'wamp.error.canceled') return 'canceled'
  if (!isReady || lostSession.has(error_uri)) return 'unavailable'
  return error_uri === 'service.error.timeout' ? 'timeout' : 'error'
}

/** The failures of an upstream; others are those of the client and its body. */
const upstreamFailures: Readonly<Record<string, string>> = {
  'service.error.timeout': 'timeout',
  'service.error.bad_gateway': 'failed',
  // an address that may not be connected to
  'wamp.error.not_authorized': 'failed',
  'service.error.internal': 'failed',
}

function forwardOutcome({ answer, error }: AttemptEnd): string {
  if (answer) return classes[Math.floor(answer.status_code / 100)] ?? 'failed'
  return upstreamFailures[error?.error_uri ?? ''] ?? 'canceled'
}

const classes = ['', '1xx', '2xx', '3xx', '4xx', '5xx']

/** What an attempt is told to. */
interface Meter {
  readonly family: Family
  readonly outcomeOf: Durations['outcomeOf']
  /** Milliseconds of a clock that never goes back. */
  now(): number
}

/** Keeps the metrics of attempts. */
export class ActionMetrics implements AttemptWatch {
  /** By type of action; `static` attempts nothing. */
  readonly #meters: Readonly<Partial<Record<ActionType, Meter>>>
  readonly #retries: Family

  /** @param now milliseconds of a clock that never goes back */
  constructor(stock: SeriesStock, now: () => number) {
    const meter = ({ plan, outcomeOf }: Durations): Meter => {
      const family = new Family({ ...plan, bounds: durationBounds, labels: ['outcome'] }, stock)
      return { family, outcomeOf, now }
    }
    const meters = Object.entries(durations).map(([type, each]) => [type, meter(each)])
    this.#meters = Object.fromEntries(meters)
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
    return new MeasuredAttempt(this.#meters[type], target, trace?.context)
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
