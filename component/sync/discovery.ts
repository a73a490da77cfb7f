/** Discovery: finds the gateways whose procedures are registered on the router (WAMP: Meta API). */
import { ServiceError } from '#component/errors.ts'
import { memberOf } from '#component/syntax/values.ts'
import { type Session, WampError } from '#component/wamp/session.ts'
import { sample } from './pace.ts'
import { nodeOf } from './wire.ts'

/** Milliseconds that the router may take for an answer. */
const timeoutMs = 5000
/** Calls in flight at once. */
const batch = 32

/**
 * Asks the router, which registrations in turn by chance.
 * @param enough looks at no more registrations once so many nodes are found
 * @returns the names of other nodes than `node`: all, or at least `enough`
 * @throws WampError, ServiceError when the router does not list them
 */
export async function findPeers(
  session: Pick<Session, 'call'>,
  node: string,
  enough: number,
  random: () => number,
): Promise<string[]> {
  const ask = async (procedure: string, ...args: readonly unknown[]): Promise<unknown> => {
    const { result } = session.call(procedure, { args, kwargs: {} }, {}, timeoutMs)
    const { args: answers } = await result
    return answers[0]
  }
  const ids = memberOf(await ask('wamp.registration.list'), 'exact')
  if (!Array.isArray(ids)) {
    throw new ServiceError('service.error.bad_gateway', 'the list of registrations is malformed')
  }
  const nodes = new Set<string>()
  const mixed = sample(ids, ids.length, random)
  for (let start = 0; start < ids.length && nodes.size < enough; start += batch) {
    const registrations = await Promise.all(
      mixed.slice(start, start + batch).map((id) => ask('wamp.registration.get', id).catch(isGone)),
    )
    for (const registration of registrations) {
      const uri = memberOf(registration, 'uri')
      const name = typeof uri === 'string' ? nodeOf(uri) : undefined
      if (name !== undefined && name !== node) nodes.add(name)
    }
  }
  return [...nodes]
}

/** Registrations go while they are listed. */
function isGone(error: unknown): undefined {
  if (error instanceof WampError && error.error_uri === 'wamp.error.no_such_registration') return
  throw error
}
