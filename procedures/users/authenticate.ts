/** `service.authenticate`: an external router asks who may join, as which role. */
import { ServiceError } from '#component/errors.ts'
import type { CrossbarAuthenticator } from '#component/realm/crossbar-authenticator.ts'
import { asMap } from '#component/wamp/messages.ts'
import type { InvocationHandler, Session } from '#component/wamp/session.ts'

/** The role of Crossbar.io's own sessions, which no client can have unless its configuration gives it away. */
const routerRole = 'trusted'

/**
 * Refuses everybody but the router: answers hold the secrets by which users prove who they are.
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
 * Lets the router ask; nodes share the questions.
 * @param session of the component's realm
 */
export const registerAuthenticator = (
  session: Pick<Session, 'register'>,
  auth: Pick<CrossbarAuthenticator, 'authenticate'>,
): Promise<void> =>
  session.register('service.authenticate', endpoint(auth), { invoke: 'roundrobin' })
