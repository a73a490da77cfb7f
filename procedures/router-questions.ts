/** Answers an external router: whether a client may join a realm and with which role, and what its session may do. */
import { ServiceError } from '#component/errors.ts'
import type { CrossbarAuthenticator } from '#component/realm/crossbar-authenticator.ts'
import { asMap } from '#component/wamp/messages.ts'
import type { Session } from '#component/wamp/session.ts'

/** The role of Crossbar.io's own sessions, which no client can have unless its configuration gives it away. */
const routerRole = 'trusted'

/**
 * Refuses every caller but the router: answers contain the secrets by which users authenticate.
 * @throws ServiceError `wamp.error.not_authorized`
 */
function checkCaller(details: Readonly<Record<string, unknown>>): void {
  if (details.caller_authrole === routerRole) return
  throw new ServiceError('wamp.error.not_authorized', 'only the router may call this procedure')
}

/** Calls go to the nodes in turn. */
const options = { invoke: 'roundrobin' } as const

/**
 * Registers `service.authenticate`: `(realm, authid, details)` ─▶ `{authid, role, extra, secret?, pubkey?}`.
 * @param session on the component's realm
 */
export const registerAuthenticator = (
  session: Pick<Session, 'register'>,
  auth: Pick<CrossbarAuthenticator, 'authenticate'>,
): Promise<void> =>
  session.register(
    'service.authenticate',
    async ({ args: [realm_uri, authid, details] }, origin) => {
      checkCaller(origin.details)
      const answer = await auth.authenticate(String(realm_uri), authid, asMap(details))
      return { args: [answer], kwargs: {} }
    },
    options,
  )

/**
 * Registers `service.authorize`: `(session, uri, action, options)` ─▶ `{allow, disclose, cache}`.
 * @param session on the realm to authorize for: Crossbar.io calls on the realm itself, and does not name it
 */
export const registerAuthorizer = (
  session: Pick<Session, 'register' | 'realm_uri'>,
  auth: Pick<CrossbarAuthenticator, 'authorize'>,
): Promise<void> =>
  session.register(
    'service.authorize',
    ({ args: [who, uri, action, details] }, origin) => {
      checkCaller(origin.details)
      const [name, what] = [String(uri), String(action)]
      const answer = auth.authorize(session.realm_uri, asMap(who), name, what, asMap(details))
      return { args: [answer], kwargs: {} }
    },
    options,
  )
