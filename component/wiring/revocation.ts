/** Ends what users have open once their credentials are revoked, on whichever node. */

import type { Needs } from './process-parts.ts'
import { Regrants } from './streams/regrants.ts'
import { followUsers, mayBeRevoked } from './streams/stream-rights.ts'

/** Follows the users of the process from now on. */
export function followRevocations({
  authentication,
  context,
  pool,
  router,
  serving,
}: Needs<'authentication' | 'context' | 'pool' | 'router' | 'serving'>): void {
  const { users } = context
  const { reauthentication, streams } = serving
  users.onRevoked = (revoked) => {
    // first: streams are told that they are not authorized, not that a session has ended
    reauthentication.recheck(mayBeRevoked(revoked))
    for (const { realm_uri, authid } of revoked.users) pool.dismiss(realm_uri, [authid])
    router.end(revoked)
    void authentication?.end(revoked)
  }
  followUsers({ users, reauthentication, regrants: new Regrants({ ...context, streams }) })
}
