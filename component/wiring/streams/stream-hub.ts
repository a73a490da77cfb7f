/** The streams of this process, with the limits of the configuration. */
import { Streams } from '#component/stream/hub.ts'
import type { SessionPool } from '#component/wamp/session-pool.ts'
import type { WiringContext } from '#component/wiring/context.ts'

/** @param sessions those on which streams subscribe */
export const openStreamHub = (
  { clock, config }: Pick<WiringContext, 'clock' | 'config'>,
  sessions: SessionPool,
): Streams =>
  new Streams({ clock, limits: config.limits, hold: (session) => sessions.hold(session) })
