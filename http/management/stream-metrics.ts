/** The metrics of streams: of answers, as HTTP begins and ends them, and of events, as they come in and go out. */
import { FormerRoutes, type RoutePorts } from './former-routes.ts'
import type { HistogramSource, MetricSample, MetricSource } from './metrics.ts'

/** An answer that is a stream. */
export interface StreamAnswer {
  /** Events of a topic, or the progressive results of a call. */
  readonly kind: 'events' | 'call'
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

/** A counter by route and further labels. */
class RouteCounter {
  readonly #routes = new Map<
    string,
    Map<string, { labels: MetricSample['labels']; value: number }>
  >()

  get routes(): ReadonlyMap<string, unknown> {
    return this.#routes
  }

  /** @param others the labels beside the route, in one order */
  add(route: string, others: Readonly<Record<string, string>>, count: number): void {
    const key = Object.values(others).join(' ')
    const ofRoute = this.#routes.get(route)
    const known = ofRoute?.get(key)
    if (known) known.value += count
    else {
      const sample = { labels: { route, ...others }, value: count }
      if (ofRoute) ofRoute.set(key, sample)
      else this.#routes.set(route, new Map([[key, sample]]))
    }
  }

  forget(route: string): void {
    this.#routes.delete(route)
  }

  samples(): MetricSample[] {
    return [...this.#routes.values()].flatMap((samples) => [...samples.values()])
  }
}

/** A counter by one label with few values. */
class LabelCounter {
  readonly #counts = new Map<string, number>()
  readonly #label: string

  constructor(label: string) {
    this.#label = label
  }

  add(value: string, count = 1): void {
    this.#counts.set(value, (this.#counts.get(value) ?? 0) + count)
  }

  samples(): MetricSample[] {
    return Array.from(this.#counts, ([value, count]) => ({
      labels: { [this.#label]: value },
      value: count,
    }))
  }
}

/** Counts the streams of a process. */
export class StreamMetrics {
  readonly #former: FormerRoutes
  readonly #open = new LabelCounter('type')
  readonly #opened = new RouteCounter()
  readonly #ended = new RouteCounter()
  readonly #deliveries = new RouteCounter()
  readonly #refused = new LabelCounter('limit')
  readonly #gaps = new LabelCounter('code')
  #received = 0
  #dropped = 0
  #replayed = 0
  #observeFanout: (seconds: number) => void = () => undefined
  #observeFirstByte: (seconds: number) => void = () => undefined

  /** The series of a route end some minutes after the route. */
  constructor(ports: RoutePorts) {
    this.#former = new FormerRoutes(ports)
  }

  /** The head of an answer has been sent. @param type its media type @param ms since the request came */
  begun({ kind }: StreamAnswer, route: string, type: string, ms: number): void {
    this.#observeFirstByte(ms / 1000)
    this.#opened.add(route, { kind }, 1)
    if (kind === 'events') this.#open.add(type)
  }

  /** An answer that has {@link begun} is over. */
  over({ kind, reason }: StreamAnswer, route: string, type: string): void {
    this.#ended.add(route, { reason, kind }, 1)
    if (kind === 'events') this.#open.add(type, -1)
  }

  /** A request was refused. @param limit the key of the limit */
  refused(limit: string): void {
    this.#refused.add(limit)
  }

  /** The router has sent an event. */
  received(): void {
    this.#received += 1
  }

  /** Events were written to a stream. @param isReplay whether they had come before */
  sent(route: string, events: number, isReplay: boolean): void {
    this.#deliveries.add(route, none, events)
    if (isReplay) this.#replayed += events
  }

  /** Events were not sent because a client is slow. */
  dropped(events: number): void {
    this.#dropped += events
  }

  /** A client was told of a gap. */
  gap(code: string): void {
    this.#gaps.add(code)
  }

  /** Events have been written to all streams of a subscription. @param ms since the oldest of them came in */
  delivered(ms: number): void {
    this.#observeFanout(ms / 1000)
  }

  /** The metrics by their Prometheus names. */
  sources(stock: () => StreamStock): Readonly<Record<string, MetricSource | HistogramSource>> {
    const counter = (help: string, read: () => number): MetricSource => ({
      help,
      isCounter: true,
      read,
    })
    const byLabel = (help: string, label: string, counts: LabelCounter): MetricSource => ({
      ...{ help, isCounter: true, labels: [label] },
      read: () => counts.samples(),
    })
    const byRoute = (
      help: string,
      others: readonly string[],
      counts: RouteCounter,
    ): MetricSource => ({
      ...{ help, isCounter: true, labels: ['route', ...others] },
      read: () => {
        for (const route of this.#former.sweep(this.#opened.routes)) this.#forget(route)
        return counts.samples()
      },
    })
    return {
      gateway_streams: {
        help: 'Streams of events that are open, by media type.',
        labels: ['type'],
        read: () => this.#open.samples(),
      },
      gateway_stream_sources: {
        help: 'Subscriptions that streams of events share, those that wait for streams to come back included.',
        read: () => stock().sources,
      },
      gateway_streams_opened_total: byRoute(
        'Answers that have begun as streams, by route pattern and kind: events, or the progressive results of a call.',
        ['kind'],
        this.#opened,
      ),
      gateway_streams_ended_total: byRoute(
        'Streams that are over, by route pattern, reason and kind.',
        ['reason', 'kind'],
        this.#ended,
      ),
      gateway_streams_refused_total: byLabel(
        'Streams of events that were refused, by the limit that they would have exceeded.',
        'limit',
        this.#refused,
      ),
      gateway_stream_events_total: counter(
        'Events that the router has sent for streams.',
        () => this.#received,
      ),
      gateway_stream_deliveries_total: byRoute(
        'Events that were written to streams, by route pattern.',
        [],
        this.#deliveries,
      ),
      gateway_stream_dropped_total: counter(
        'Events that streams with "overflow": "drop" have passed over because their clients are slow.',
        () => this.#dropped,
      ),
      gateway_stream_gaps_total: byLabel(
        'Gaps that clients were told of, by code.',
        'code',
        this.#gaps,
      ),
      gateway_stream_replayed_total: counter(
        'Events that were written to streams that had come back.',
        () => this.#replayed,
      ),
      gateway_stream_buffered_bytes: {
        help: 'Bytes that wait for the clients of streams of events.',
        read: () => stock().bufferedBytes,
      },
      gateway_stream_replay_bytes: {
        help: 'Bytes of the events that are kept for streams that come back.',
        read: () => stock().replayBytes,
      },
      gateway_stream_fanout_duration_seconds: {
        help: 'Time from an event to the last write of it to a stream.',
        buckets: fanoutBounds,
        connect: (observe) => {
          this.#observeFanout = observe
        },
      },
      gateway_http_first_byte_seconds: {
        help: 'Time from the head of a request to the head of its answer, of answers that are streams.',
        buckets: firstByteBounds,
        connect: (observe) => {
          this.#observeFirstByte = observe
        },
      },
      gateway_wamp_progress_total: counter(
        'Progressive results that have come for answers that are streams.',
        () => stock().pieces,
      ),
    }
  }

  #forget(route: string): void {
    for (const counts of [this.#opened, this.#ended, this.#deliveries]) counts.forget(route)
  }
}

const none = {}
