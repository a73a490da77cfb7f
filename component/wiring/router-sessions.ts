/** The gateway's sessions on its router: its own on the component's realm, and those that requests run on. */
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { GuestOptions } from '#component/wamp/guests.ts'
import { SessionPool } from '#component/wamp/session-pool.ts'
import type { WiringContext } from './context.ts'
import type { RouterConnection } from './router-connection.ts'

/** Both kinds of sessions. */
export type RouterSessions = ReturnType<typeof openSessions>

/** Opens the own session; `onJoin` is called after each join of it, `onWaited` after each wait for a session of a user. */
export function openSessions(
  { config, users, clock, log }: WiringContext,
  router: RouterConnection,
  onJoin: () => void,
  onWaited: NonNullable<GuestOptions['onWaited']>,
) {
  return {
    pool: new SessionPool({
      ...{ ...router.link, clock, log },
      identity: config.wamp.identity,
      maxHeld: config.limits.stream_sessions,
      onWaited,
      authFor: (realm_uri, identity) =>
        identity ? users.sessionTickets.authFor(identity) : router.authOf(realm_uri),
    }),
    own: componentSession({
      ...{ ...router.link, clock, log, onJoin },
      realm_uri: config.wamp.realm,
      auth: router.componentAuth,
    }),
  }
}
