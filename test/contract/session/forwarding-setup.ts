/** The session of the gateway that sends what users call and publish, on an embedded router by the policy of a realm: what its tests share. */
import { type Identity, identityOf } from '#component/identity.ts'
import { openLog } from '#component/log.ts'
import { forwardedMember } from '#component/realm/forwarded-users.ts'
import { gatewayAuthid, Policy } from '#component/realm/policy.ts'
import type { RealmPolicy } from '#component/router/ports.ts'
import { Router } from '#component/router/router.ts'
import type { JoinAuth } from '#component/wamp/join-auth.ts'
import type { Session } from '#component/wamp/session.ts'
import { SessionPool } from '#component/wamp/session-pool.ts'
import { requestSession } from '#component/wamp/wampy-session.ts'
import { proofPorts, realmsWith } from '#test/unit/realm/doubles.ts'
import { basics, nothing, realm_uri } from './support.ts'

export const ada = { username: 'ada', password: 'pw', groups: ['staff', 'buyers'] }
export const joe = { username: 'joe', password: 'pw' }
export const backend = { username: 'backend', password: 'pw', groups: ['services'] }

const grant = (roles: readonly string[], permissions: readonly string[], uri: string) => ({
  ...{ roles, permissions, uri, match: 'prefix' },
})

/** The realm: staff may call and publish below `com.staff.`, joe may call below `com.joe.`. */
export const documentOf = (users: readonly object[]) => ({
  uri: realm_uri,
  authmethods: ['wampcra'],
  users,
  grants: [
    grant(['services'], ['wamp.register', 'wamp.subscribe'], 'com.'),
    grant(['staff'], ['wamp.call', 'wamp.publish'], 'com.staff.'),
    grant(['joe'], ['wamp.call'], 'com.joe.'),
    grant(['joe'], ['wamp.call'], 'wamp.session.count'),
  ],
})

/** A user of a request. */
export const identityFor = (
  username: string,
  authroles: readonly string[],
  authmethod = 'oauth2',
): Identity =>
  identityOf({ realm_uri, user: { username, groups: authroles, meta: {} }, authroles, authmethod })

/** ada, as a request of hers comes in. */
export const adaNow = identityFor('ada', ['staff', 'buyers'])

/** A procedure that answers with the details of its invocation, and that ada may call. */
export const staff = 'com.staff.who'

const { realm_uri: _, auth, ...options } = basics

/** The only user whom an identity provider proves here. */
const isKnown = (_uri: string, authid: string) => authid === 'olga'

/** What runs. */
export type Forwarding = Awaited<ReturnType<typeof startForwarding>>

/** Starts the router, a callee and a pool that forwards. */
export async function startForwarding() {
  const { realms } = await realmsWith()
  await realms.load(documentOf([ada, joe, backend]))
  const policy = new Policy({
    ...{ realms, clock: options.clock, componentRealm: 'service.gateway' },
    admitsStrangers: () => false,
    ...proofPorts(),
  })
  /** What the router asks in place of the policy. */
  const changed: Partial<RealmPolicy> = {}
  const asked = new Proxy(policy, {
    get: (target, name) => Reflect.get(changed, name) ?? Reflect.get(target, name).bind(target),
  })
  const router = new Router({ policy: asked })
  const { openLink } = router
  /** The lines of the log: level and message. */
  const logged: string[] = []
  const log = openLog('warn', {
    write(line) {
      const { level, msg } = JSON.parse(line) as { level: string; msg: string }
      logged.push(`${level}: ${msg}`)
    },
  })
  /** @param as how the gateway joins to forward */
  const openPool = (
    as: JoinAuth = { authmethod: 'anonymous', authid: gatewayAuthid },
    more: object = {},
  ) =>
    new SessionPool({
      ...{ ...options, log, openLink, identity: 'forwarded', authFor: () => auth },
      forwarding: {
        auth: as,
        judge: (...message) => forwardedMember({ policy, realms, isKnown }, ...message),
      },
      ...more,
    })
  const pool = openPool()
  const own = { authmethod: 'wampcra', authid: 'backend', secret: 'pw' } as const
  const callee = requestSession({ ...options, realm_uri, openLink, auth: own })
  await callee.joined(4000)
  for (const procedure of [staff, 'com.joe.who']) {
    await callee.register(procedure, (_payload, { details }) => ({ args: [details], kwargs: {} }))
  }
  return {
    ...{ realms, policy, router, changed, logged, openPool, pool, callee },
    /** The session that a call or publication of a user gets. */
    open: async (identity: Identity, uri = staff): Promise<Session> =>
      pool.session(realm_uri, identity, 4000, uri),
    async stop() {
      await pool.close()
      await callee.leave()
      await router.close()
    },
  }
}

/** The result of a call. */
export const callOn = (session: Session, procedure = staff, more: object = { disclose_me: true }) =>
  session.call(procedure, nothing, { ...more }, 4000).result
