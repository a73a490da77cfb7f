/** The WAMP sessions of a realm, as the router tells them by its meta API. */
import { ServiceError } from '#component/errors.ts'
import type { SessionPool } from '#component/wamp/session-pool.ts'

/** As many sessions are told. */
const mostSessions = 500
/** Milliseconds that the router may take for each answer. */
const timeoutMs = 5_000

/**
 * Asks by the gateway's own session in the realm.
 * @throws ServiceError `service.error.unavailable` where the router does not tell, or is away
 */
export async function sessionsOf(
  pool: Pick<SessionPool, 'openAll' | 'joined'>,
  realm_uri: string,
): Promise<unknown[]> {
  try {
    await pool.openAll([realm_uri])
    const session = pool.joined(realm_uri)
    if (!session) throw new TypeError('the gateway cannot join the realm')
    const ask = async (procedure: string, args: readonly unknown[]): Promise<unknown> =>
      (await session.call(procedure, { args, kwargs: {} }, {}, timeoutMs).result).args[0]
    const ids = await ask('wamp.session.list', [])
    const known = Array.isArray(ids) ? ids.slice(0, mostSessions) : []
    // a session may end meanwhile
    const found = await Promise.all(
      known.map((id) => ask('wamp.session.get', [id]).catch(() => undefined)),
    )
    return found.filter((one) => one !== undefined)
  } catch (cause) {
    const message = 'the router does not tell the sessions of this realm'
    throw new ServiceError('service.error.unavailable', message, { cause })
  }
}
