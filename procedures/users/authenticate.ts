/** `service.authenticate`: tells an external router whether a client may join a realm, and with which role. */
import { ServiceError } from '#component/errors.ts'
import type { CrossbarAuthenticator } from '#component/realm/crossbar-authenticator.ts'
import { asMap } from '#component/wamp/messages.ts'
import type { InvocationHandler, Session } from '#component/wamp/session.ts'

/** The role of Crossbar.io's own sessions, which no client can have unless its configuration gives it away. */
const routerRole = 'trusted'

/**
 * Refuses every caller but the router: answers contain the secrets by which users authenticate.
 * @throws ServiceError `wamp.error.not_authorized`
 */
export function checkCaller(details: Readonly<Record<string, unknown>>): void {
  if (details.caller_authrole === routerRole) return
  throw new ServiceError('wamp.error.not_authorized', 'only the router may call this procedure')
}

/** `(realm, authid, details)` ─▶ `{authid, role, extra, secret?, pubkey?}`. */
const endpoint =
  (auth: Pick<CrossbarAuthenticator, 'authenticate'>): InvocationHandler =>
  async ({ args: [realm_uri, authid, details] }, origin) => {
    checkCaller(origin.details)
    const answer = await auth.authenticate(String(realm_uri), authid, asMap(details))
    return { args: [answer], kwargs: {} }
  }

/**
 * Registers the procedure for the router; calls go to the nodes in turn.
 * @param session on the component's realm
 */
export const registerAuthenticator = (
  session: Pick<Session, 'register'>,
  auth: Pick<CrossbarAuthenticator, 'authenticate'>,
): Promise<void> =>
  session.register('service.authenticate', endpoint(auth), { invoke: 'roundrobin' })
