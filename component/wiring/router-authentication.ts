/** Serves the realms of users: issues tickets, and authenticates and authorizes their sessions for an external router. */
import { CrossbarAuthenticator } from '#component/realm/crossbar-authenticator.ts'
import { GatewaySessions } from '#component/realm/gateway-sessions.ts'
import { TicketSessions } from '#component/realm/ticket-sessions.ts'
import type { Revoked } from '#component/token/revocation.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import { type Session, WampError } from '#component/wamp/session.ts'
import { TrustedProxies } from '#http/peer.ts'
import type { Management } from '#procedures/definition/procedure.ts'
import { registerTickets } from '#procedures/index.ts'
import { registerAuthenticator, registerAuthorizer } from '#procedures/router-questions.ts'
import type { WiringContext } from './context.ts'
import { openPolicy } from './policy.ts'
import type { Needs } from './process-parts.ts'

/** The sessions of the gateway on the realms of users. */
export interface RouterAuthentication {
  /**
   * Begins to answer: before that, a node does not know the users and would refuse all of them.
   * @param own the session on the component's realm
   */
  start(own: Session, management: Management): Promise<void>
  /** Ends the sessions of users and tickets on an external router. Never rejects: the gateway refuses their calls in any case. */
  end(revoked: Revoked): Promise<void>
  close(): Promise<void>
}

/** Undefined with an external router where the gateway has no login: it neither asks the gateway nor takes tickets. */
export function openRouterAuthentication({
  context,
  router,
}: Needs<'context' | 'router'>): RouterAuthentication | undefined {
  const { config, users, clock, log } = context
  const { url, auth, realm: componentRealm } = config.wamp
  warnOfIdentity(context)
  if (url !== undefined && auth === undefined) return undefined
  const { realms } = users
  const policy = openPolicy(context, false)
  const proxies = new TrustedProxies(config.gateway.trusted_proxies)
  const notEnded = (err: unknown) =>
    log.warn({ err }, 'the router did not end the sessions of revoked users')
  const ofTickets = new TicketSessions({
    clock,
    end: ({ realm_uri, session }) => void sessions?.endSession(realm_uri, session).catch(notEnded),
  })
  // the embedded router has the policy itself
  const authenticator =
    url === undefined
      ? undefined
      : new CrossbarAuthenticator({
          ...{ policy, realms, proxies, clock, log },
          onTicket: (session) => ofTickets.add(session),
        })
  const servesTickets = (uri: string) => realms.realm(uri)?.authmethods.includes('ticket') === true
  let sessions: GatewaySessions | undefined
  return {
    async start(own, management) {
      const tickets = (session: Session) => registerTickets(session, management, log)
      sessions = new GatewaySessions({
        open: (realm_uri, onJoin) =>
          componentSession({
            ...router.link,
            auth: router.componentAuth,
            ...{ realm_uri, clock, log, onJoin },
          }),
        async register(session) {
          if (!authenticator) return await tickets(session)
          await registerAuthorizer(session, authenticator)
          await tickets(session).catch((cause: unknown) => {
            if (!(cause instanceof WampError)) throw cause
            const line = { realm: session.realm_uri, reason: cause.error_uri }
            log.info(
              line,
              'the router does not allow the ticket procedures to be registered on this realm',
            )
          })
        },
        isWanted: (uri) =>
          policy.hasRealm(uri) && (authenticator !== undefined || servesTickets(uri)),
        ...{ componentRealm, clock, log },
      })
      if (authenticator) await registerAuthenticator(own, authenticator)
      keepUp(context, sessions)
    },
    async end({ users, hasTokens }) {
      if (!authenticator) return
      if (hasTokens) ofTickets.endRevoked()
      await sessions?.end(users).catch(notEnded)
    },
    async close() {
      ofTickets.close()
      await sessions?.close()
    },
  }
}

/** Opens and ends sessions as the realms change; the router applies a change before the sessions do. */
function keepUp({ users }: WiringContext, sessions: GatewaySessions): void {
  const { realms } = users
  const { onChange } = realms
  realms.onChange = async (uris) => {
    await onChange(uris)
    sessions.follow(uris)
  }
  sessions.follow(realms.uris)
}

/** Logs a warning where the router does not decide by the grants of the users, or cannot. */
function warnOfIdentity({ config, log }: WiringContext): void {
  const { auth, identity, url } = config.wamp
  if (identity === 'service') {
    log.warn(
      { setting: 'wamp.identity' },
      'calls of logged-in users reach the router as the gateway: the grants of the users do not apply',
    )
  } else if (url !== undefined && auth === undefined) {
    log.warn(
      { setting: 'wamp.auth' },
      'wamp.auth is not set: the router cannot authenticate users through the gateway, and their calls fail. See docs/crossbar.md, or set wamp.identity to "service"',
    )
  }
}
