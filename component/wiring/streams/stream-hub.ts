/** The streams of this process, with the limits of the configuration. */
import type { CompiledOperation } from '#component/gateway/api.ts'
import { Streams } from '#component/stream/hub.ts'
import type { PlaceLimit } from '#component/stream/places.ts'
import type { SessionPool } from '#component/wamp/session-pool.ts'
import type { WiringContext } from '#component/wiring/context.ts'
import type { StreamMetrics } from '#http/management/stream-metrics.ts'

/** @param sessions those on which streams subscribe */
export const openStreamHub = (
  { clock, config, usage }: Pick<WiringContext, 'clock' | 'config' | 'usage'>,
  sessions: SessionPool,
  metrics: StreamMetrics,
): Streams => {
  const refuse = (limit: PlaceLimit | 'stream_sessions') => {
    metrics.refused(limit)
    if (limit !== 'max_streams') usage.refuse(`limits.${limit}`)
  }
  const streams = new Streams({
    clock,
    limits: config.limits,
    hold(session) {
      try {
        return sessions.hold(session)
      } catch (error) {
        refuse('stream_sessions')
        throw error
      }
    },
    observer: {
      onRefused: refuse,
      onReceived: () => metrics.received(),
      onSent({ owner }, events, isReplay) {
        const { path } = owner.operation as CompiledOperation
        metrics.sent(path, events, isReplay)
      },
      onDropped: (events) => metrics.dropped(events),
      onGap: (code) => metrics.gap(code),
      onDelivered: (ms) => metrics.delivered(ms),
    },
  })
  const { limits } = config
  for (const limit of ['streams', 'streams_per_address', 'streams_per_identity'] as const) {
    // 0: any number
    usage.declare(`limits.${limit}`, limits[limit] || undefined, () => streams.used(limit))
  }
  usage.declare('limits.replay_memory', limits.replay_memory, () => streams.stats().replayBytes)
  usage.declare('limits.stream_sessions', limits.stream_sessions, () => sessions.stats().held)
  return streams
}
