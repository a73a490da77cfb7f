/** The metrics of streams: of answers, as HTTP begins and ends them, and of events, as they come in and go out. */
import { Family, type FamilyPlan, type SeriesStock } from '#component/metrics/family.ts'
import type { ServedPath } from '#component/metrics/place.ts'
import type { Series } from '#component/metrics/series.ts'
import type { MetricSources } from '#component/metrics/source.ts'

/** An answer that is a stream. */
export interface StreamAnswer {
  /** Events of a topic, the progressive results of a call, or a WebSocket, which has metrics of its own. */
  readonly kind: 'events' | 'call' | 'websocket'
  /** Why it has ended. */
  readonly reason: string
}

/** What there is now. */
export interface StreamStock {
  /** Subscriptions that streams share. */
  readonly sources: number
  /** Bytes that wait for clients. */
  readonly bufferedBytes: number
  /** Bytes of the events that are kept for streams that come back. */
  readonly replayBytes: number
  /** Progressive results that have come for answers that are streams, since the start. */
  readonly pieces: number
}

/** Upper bounds of the buckets; seconds. */
const fanoutBounds = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5]
const firstByteBounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The metrics by route. */
const byRoute = {
  opened: {
    name: 'gateway_streams_opened_total',
    help: 'Responses that have begun as streams, by route pattern and kind: events, or the progressive results of a call.',
    labels: ['kind'],
  },
  ended: {
    name: 'gateway_streams_ended_total',
    help: 'Streams that are over, by route pattern, reason and kind.',
    labels: ['reason', 'kind'],
  },
  deliveries: {
    name: 'gateway_stream_deliveries_total',
    help: 'Events that were written to streams, by route pattern.',
  },
} as const

/** The metrics of the process by a label with few values. */
const byLabel = {
  open: {
    name: 'gateway_streams',
    help: 'Streams of events that are open, by media type.',
    isGauge: true,
    labels: ['type'],
  },
  refused: {
    name: 'gateway_streams_refused_total',
    help: 'Streams of events that were refused, by the limit that they would have exceeded.',
    labels: ['limit'],
  },
  gaps: {
    name: 'gateway_stream_gaps_total',
    help: 'Gaps that clients were told of, by code.',
    labels: ['code'],
  },
} as const

/** The metrics of the process that have one series. */
const single = {
  received: {
    name: 'gateway_stream_events_total',
    help: 'Events that the router has sent for streams.',
  },
  dropped: {
    name: 'gateway_stream_dropped_total',
    help: 'Events that streams with "overflow": "drop" have passed over because their clients are slow.',
  },
  replayed: {
    name: 'gateway_stream_replayed_total',
    help: 'Events that were written to streams that had come back.',
  },
  fanout: {
    name: 'gateway_stream_fanout_duration_seconds',
    help: 'Time from an event to the last write of it to a stream.',
    bounds: fanoutBounds,
  },
  firstByte: {
    name: 'gateway_http_first_byte_seconds',
    help: 'Time from the head of a request to the head of its response, of responses that are streams.',
    bounds: firstByteBounds,
  },
} as const

type ByKey<Plans, V> = { readonly [Key in keyof Plans]: V }

/** Makes something of each plan. */
const mapPlans = <Plans extends Readonly<Record<string, FamilyPlan>>, V>(
  plans: Plans,
  make: (plan: FamilyPlan) => V,
): ByKey<Plans, V> =>
  Object.fromEntries(Object.entries(plans).map(([key, plan]) => [key, make(plan)])) as ByKey<
    Plans,
    V
  >

/** Counts the streams of a process. */
export class StreamMetrics {
  /** Streams of events and WebSockets that are open. */
  open = 0
  readonly #byRoute: ByKey<typeof byRoute, Family>
  readonly #byLabel: ByKey<typeof byLabel, Family>
  readonly #single: ByKey<typeof single, Series>

  constructor(families: SeriesStock) {
    this.#byRoute = mapPlans(byRoute, (plan) => new Family({ ...plan, subject: 'route' }, families))
    this.#byLabel = mapPlans(byLabel, (plan) => new Family({ ...plan, isOfNode: true }, families))
    this.#single = mapPlans(single, (plan) =>
      new Family({ ...plan, isOfNode: true }, families).with(),
    )
  }

  /** The head of an answer has been sent. @param type its media type @param ms since the request came */
  begun({ kind }: Pick<StreamAnswer, 'kind'>, path: ServedPath, type: string, ms: number): void {
    if (kind === 'websocket') {
      this.open += 1
      return
    }
    this.#single.firstByte.observe(ms / 1000)
    this.#byRoute.opened.on(path, kind).add()
    if (kind === 'events') this.#count(type, 1)
  }

  /** An answer that has {@link begun} is over. */
  over({ kind, reason }: StreamAnswer, path: ServedPath, type: string): void {
    if (kind === 'websocket') {
      this.open -= 1
      return
    }
    this.#byRoute.ended.on(path, reason, kind).add()
    if (kind === 'events') this.#count(type, -1)
  }

  #count(type: string, more: 1 | -1): void {
    this.open += more
    this.#byLabel.open.with(type).add(more)
  }

  /** A request was refused. @param limit the key of the limit */
  refused(limit: string): void {
    this.#byLabel.refused.with(limit).add()
  }

  /** The router has sent an event. */
  received(): void {
    this.#single.received.add()
  }

  /** Events were written to a stream. @param isReplay whether they had come before */
  sent(path: ServedPath, events: number, isReplay: boolean): void {
    this.#byRoute.deliveries.on(path).add(events)
    if (isReplay) this.#single.replayed.add(events)
  }

  /** Events were not sent because a client is slow. */
  dropped(events: number): void {
    this.#single.dropped.add(events)
  }

  /** A client was told of a gap. */
  gap(code: string): void {
    this.#byLabel.gaps.with(code).add()
  }

  /** Events have been written to all streams of a subscription. @param ms since the oldest of them came in */
  delivered(ms: number): void {
    this.#single.fanout.observe(ms / 1000)
  }
}

/** The numbers of what there is now, by their Prometheus names. */
export const streamSources = (stock: () => StreamStock): MetricSources => ({
  gateway_stream_sources: {
    help: 'Subscriptions that streams of events share, those that wait for streams to come back included.',
    read: () => stock().sources,
  },
  gateway_stream_buffered_bytes: {
    help: 'Bytes that wait for the clients of streams of events.',
    read: () => stock().bufferedBytes,
  },
  gateway_stream_replay_bytes: {
    help: 'Bytes of the events that are kept for streams that come back.',
    read: () => stock().replayBytes,
  },
  gateway_wamp_progress_total: {
    help: 'Progressive results that have come for responses that are streams.',
    isCounter: true,
    read: () => stock().pieces,
  },
})
