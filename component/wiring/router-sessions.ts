/** The gateway's sessions on its router: its own on the component's realm, and those that requests run on. */
import { forwardedMember } from '#component/realm/forwarded-users.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { Judge } from '#component/wamp/forwarding/forwarded-session.ts'
import type { GuestOptions } from '#component/wamp/guests.ts'
import { SessionPool } from '#component/wamp/session-pool.ts'
import type { WiringContext } from './context.ts'
import { knownBy, openPolicy } from './policy.ts'
import type { RouterConnection } from './router-connection.ts'

/** Both kinds of sessions. */
export type RouterSessions = ReturnType<typeof openSessions>

/** Opens the own session; `onJoin` is called after each join of it, `onWaited` after each wait for a session of a user. */
export function openSessions(
  context: WiringContext,
  router: RouterConnection,
  onJoin: () => void,
  onWaited: NonNullable<GuestOptions['onWaited']>,
) {
  const { config, users, clock, log } = context
  const { identity } = config.wamp
  return {
    pool: new SessionPool({
      ...{ ...router.link, clock, log },
      identity,
      forwarding:
        identity === 'forwarded'
          ? { auth: router.componentAuth, judge: judgeOf(context) }
          : undefined,
      maxHeld: config.limits.stream_sessions,
      onWaited,
      authFor: (realm_uri, user) =>
        user ? users.sessionTickets.authFor(user) : router.authOf(realm_uri),
    }),
    own: componentSession({
      ...{ ...router.link, clock, log, onJoin },
      realm_uri: config.wamp.realm,
      auth: router.componentAuth,
    }),
  }
}

/** Judges what the gateway forwards for users, by the realms as they are at each message. */
function judgeOf(context: WiringContext): Judge {
  const { users } = context
  const { realms } = users
  const ports = { policy: openPolicy(context, false), realms, isKnown: knownBy(users) }
  return (...asked) => forwardedMember(ports, ...asked)
}
