/** The gateway's sessions on its router: its own on the component's realm, and those that requests run on. */
import { componentSession } from '#component/wamp/autobahn-session.ts'
import { SessionPool } from '#component/wamp/session-pool.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import type { WiringContext } from './context.ts'
import { userJudge } from './policy.ts'
import type { RouterConnection } from './router-connection.ts'
import { sessionWaits } from './status/session-status.ts'

/** Both kinds of sessions. */
export interface RouterSessions {
  /** On the component's realm. */
  readonly own: SupervisedSession
  /** Those that requests run on. */
  readonly pool: SessionPool
}

/** The parts that sessions need. */
interface SessionNeeds {
  readonly context: WiringContext
  readonly router: RouterConnection
}

/** Opens the pool: each of its sessions joins when it is asked for. */
export function openPool({ context, router }: SessionNeeds): SessionPool {
  const { config, users, clock, log, families } = context
  const { identity, max_message_bytes: maxMessageBytes } = config.wamp
  return new SessionPool({
    ...{ ...router.link, clock, log },
    identity,
    forwarding:
      identity === 'forwarded'
        ? { auth: router.componentAuth, judge: userJudge(context) }
        : undefined,
    maxHeld: config.limits.stream_sessions,
    unsentBytes: config.limits.call_buffer,
    maxMessageBytes,
    onWaited: sessionWaits(families),
    authFor: (realm_uri, user) =>
      user ? users.sessionTickets.authFor(user) : router.authOf(realm_uri),
  })
}

/** Opens the session on the component's realm, which joins from now on. */
export const openOwn = ({ context, router }: SessionNeeds): SupervisedSession =>
  componentSession({
    ...{ ...router.link, clock: context.clock, log: context.log },
    realm_uri: context.config.wamp.realm,
    auth: router.componentAuth,
  })

/** Leaves, after its procedures have been unregistered. */
export async function leave(own: SupervisedSession): Promise<void> {
  await own.withdraw()
  await own.leave()
}
