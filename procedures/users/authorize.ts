/** `service.authorize`: tells an external router whether a session may act on a URI, on the realm where this is registered. */
import type { CrossbarAuthenticator } from '#component/realm/crossbar-authenticator.ts'
import { asMap } from '#component/wamp/messages.ts'
import type { InvocationHandler, Session } from '#component/wamp/session.ts'
import { checkCaller } from './authenticate.ts'

/** `(session, uri, action, options)` ─▶ `{allow, disclose, cache}`. */
const endpoint =
  (auth: Pick<CrossbarAuthenticator, 'authorize'>, realm_uri: string): InvocationHandler =>
  ({ args: [session, uri, action, options] }, origin) => {
    checkCaller(origin.details)
    const [name, what] = [String(uri), String(action)]
    const answer = auth.authorize(realm_uri, asMap(session), name, what, asMap(options))
    return { args: [answer], kwargs: {} }
  }

/**
 * Registers the procedure for the router; calls go to the nodes in turn.
 * @param session on the realm to authorize for: Crossbar.io calls on the realm itself, and does not name it
 */
export const registerAuthorizer = (
  session: Pick<Session, 'register' | 'realm_uri'>,
  auth: Pick<CrossbarAuthenticator, 'authorize'>,
): Promise<void> =>
  session.register('service.authorize', endpoint(auth, session.realm_uri), {
    invoke: 'roundrobin',
  })
