/** Beside an external router that asks us who may join and do what: answers it, and has it end the sessions of users who are gone. */
import { TrustedProxies } from '#http/peer.ts'
import { registerAuthenticator } from '#procedures/authenticate.ts'
import { registerAuthorizer } from '#procedures/authorize.ts'
import type { Authority } from './authority.ts'
import type { Clock } from './clock.ts'
import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { DynamicAuth } from './realm/dynamic.ts'
import { DynamicSessions } from './realm/dynamic-sessions.ts'
import { Policy } from './realm/policy.ts'
import type { UserName } from './realm/realms.ts'
import type { Routing } from './routing.ts'
import { componentSession } from './wamp/autobahn-session.ts'
import type { Session } from './wamp/session.ts'

interface AnsweringPorts {
  readonly config: Config
  readonly authority: Authority
  readonly routing: Pick<Routing, 'link' | 'componentAuth'>
  readonly clock: Clock
  readonly log: Log
}

/** The answers to an external router. */
export interface Answering {
  /**
   * Answers from now on: a node that knows no users yet would refuse everybody.
   * @param own the session on the component's realm
   */
  start(own: Session): Promise<void>
  /** Ends the sessions of users. Never rejects: the router refuses what they do all the same. */
  end(users: readonly UserName[]): Promise<void>
  close(): Promise<void>
}

/** Undefined with the embedded router, and with one that knows no login of the gateway: that one does not ask. */
export function openAnswering(ports: AnsweringPorts): Answering | undefined {
  const { config, authority, routing, clock, log } = ports
  const { url, auth, realm: componentRealm } = config.wamp
  if (url === undefined || auth === undefined) return undefined
  const { realms } = authority
  const policy = new Policy({
    ...{ realms, clock, componentRealm },
    admitsStrangers: () => false,
    tickets: authority.ticketPorts,
  })
  const proxies = new TrustedProxies(config.gateway.trusted_proxies)
  const dynamic = new DynamicAuth({ policy, realms, proxies, clock, log })
  const sessions = new DynamicSessions({
    open: (realm_uri, onJoin) =>
      componentSession({
        ...routing.link,
        auth: routing.componentAuth,
        ...{ realm_uri, clock, log, onJoin },
      }),
    register: (session) => registerAuthorizer(session, dynamic),
    isOpen: (uri) => policy.hasRealm(uri),
    ...{ componentRealm, log },
  })
  return {
    async start(own) {
      await registerAuthenticator(own, dynamic)
      realms.onChange = (uris) => sessions.follow(uris)
      sessions.follow(realms.uris)
    },
    end: (users) =>
      sessions
        .end(users)
        .catch((err: unknown) => log.warn({ err }, 'the router did not end the sessions of users')),
    close: () => sessions.close(),
  }
}
