/** The streams of this process, with the limits of the configuration. */
import type { CompiledOperation } from '#component/gateway/api.ts'
import { Streams } from '#component/stream/hub.ts'
import type { SessionPool } from '#component/wamp/session-pool.ts'
import type { WiringContext } from '#component/wiring/context.ts'
import type { StreamMetrics } from '#http/management/stream-metrics.ts'

/** @param sessions those on which streams subscribe */
export const openStreamHub = (
  { clock, config }: Pick<WiringContext, 'clock' | 'config'>,
  sessions: SessionPool,
  metrics: StreamMetrics,
): Streams =>
  new Streams({
    clock,
    limits: config.limits,
    hold(session) {
      try {
        return sessions.hold(session)
      } catch (error) {
        metrics.refused('stream_sessions')
        throw error
      }
    },
    observer: {
      onRefused: (limit) => metrics.refused(limit),
      onReceived: () => metrics.received(),
      onSent({ owner }, events, isReplay) {
        const { path } = owner.operation as CompiledOperation
        metrics.sent(path.pattern, events, isReplay)
      },
      onDropped: (events) => metrics.dropped(events),
      onGap: (code) => metrics.gap(code),
      onDelivered: (ms) => metrics.delivered(ms),
    },
  })
