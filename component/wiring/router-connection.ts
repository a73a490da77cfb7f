/** The router of this node: the embedded one, or those that `wamp.url` names; and how sessions reach it. */
import { type Config, ConfigError, rawSocketUrls, routerUrls } from '#component/config/config.ts'
import { messageOf } from '#component/errors.ts'
import { LogThrottle, linePerMinute } from '#component/limits/log-throttle.ts'
import type { Log } from '#component/log.ts'
import { gatewayAuthid } from '#component/realm/policy.ts'
import { Router, type RouterOptions } from '#component/router/router.ts'
import type { Revoked } from '#component/token/revocation.ts'
import { credentials, type JoinAuth } from '#component/wamp/join-auth.ts'
import { Failback } from '#component/wamp/routers/failback.ts'
import { rawSocketAddress } from '#component/wamp/routers/router-url.ts'
import { Routers } from '#component/wamp/routers/routers.ts'
import type { SessionPool } from '#component/wamp/session-pool.ts'
import { routerMember } from '#component/wamp/session-record.ts'
import { requestSession } from '#component/wamp/wampy-session.ts'
import { isLoopbackOnly } from '#http/management/access.ts'
import type { WebSocketTarget } from '#http/websocket.ts'
import type { WiringContext } from './context.ts'
import { openPolicy } from './policy.ts'
import { isLocalRawSocket } from './rawsocket-listener.ts'
import type { PrimaryRouter, WorkerPorts } from './worker-ports.ts'

/** The paths of the socket by which other processes of this gateway reach the embedded router: for themselves, for clients. */
export const routerPaths = { gateway: '/gateway', clients: '/ws' }

/** The parts of its router that the component uses. */
export interface RouterConnection {
  /** Options of a session to the router. */
  readonly link: {
    readonly url?: string
    readonly routers?: Routers
    readonly openLink?: Router['openLink']
    readonly serializer: Config['wamp']['serializer']
    readonly registrationCheckMs?: number
  }
  readonly componentAuth: JoinAuth
  authOf(realm_uri: string): JoinAuth
  /** Whether the gateway can join a realm that no document declares. */
  canJoin(realm_uri: string, sessions: SessionPool): boolean | Promise<boolean>
  readonly webSocket: WebSocketTarget
  /** The embedded router, if it is in this process. */
  readonly own?: Router
  /** Ends the sessions of revoked users, if the embedded router is in this process. */
  end(revoked: Revoked): void
  /** The number of sessions on the embedded router; undefined unless it is in this process. */
  sessionCount(): number | undefined
  /** How many sessions a call could reach; undefined unless the embedded router is in this process. */
  calleesOf(realm_uri: string, procedure: string): number | undefined
  close(): Promise<void>
}

/** Milliseconds between two checks of the registrations on an external router. */
const registrationCheckMs = 10_000

const anonymousAuth: JoinAuth = { authmethod: 'anonymous' }

/** The parts that the connection needs. */
interface RouterNeeds {
  readonly context: WiringContext
  readonly worker: WorkerPorts | undefined
}

/** Opens the embedded router, unless the primary has it, or points at the configured one. */
export function openRouterConnection({ context, worker }: RouterNeeds): RouterConnection {
  const { auth, realms } = context.config.wamp
  if (auth !== undefined) checkAuth('wamp.auth', auth as JoinAuth)
  for (const [uri, other] of Object.entries(realms)) {
    checkAuth(`wamp.realms.${uri}`, other as JoinAuth)
  }
  const urls = routerUrls(context.config)
  if (urls) return externalRouter(context, new Routers(urls))
  return worker?.router ? routerOfPrimary(context, worker.router) : embeddedRouter(context)
}

/** Reports an incomplete login at the start, not at the first session. */
function checkAuth(option: string, auth: JoinAuth): void {
  try {
    credentials(auth)
  } catch (cause) {
    throw new ConfigError([`option "${option}": ${messageOf(cause)}`], { cause })
  }
}

/** A router that is not in this process. */
const elsewhere = {
  end: () => undefined,
  sessionCount: () => undefined,
  calleesOf: () => undefined,
  close: () => Promise.resolve(),
}

function externalRouter(context: WiringContext, routers: Routers): RouterConnection {
  const { config } = context
  const { auth = anonymousAuth, realms, serializer } = config.wamp
  const failback = routers.count > 1 ? openFailback(context, routers) : undefined
  return {
    link: { routers, serializer, registrationCheckMs },
    componentAuth: auth as JoinAuth,
    authOf: (realm_uri) => (realms[realm_uri] ?? anonymousAuth) as JoinAuth,
    canJoin: (realm_uri, sessions) => sessions.canJoin(realm_uri),
    // the router that answers for the sessions of this process
    webSocket: {
      kind: 'pipe',
      get url() {
        const { url } = routers
        return url === undefined || rawSocketAddress(url) ? undefined : url
      },
    },
    ...elsewhere,
    close: async () => failback?.close(),
  }
}

/** Goes back to the first router of a list, which a session on the component's realm watches. */
function openFailback({ clock, config, log }: WiringContext, routers: Routers): Failback {
  const {
    auth = anonymousAuth,
    failback_after: afterMs,
    realm: realm_uri,
    serializer,
  } = config.wamp
  const quiet: Log = {
    ...{ trace: log.trace.bind(log), debug: log.debug.bind(log), info: log.debug.bind(log) },
    ...{ warn: log.debug.bind(log), error: log.error.bind(log), fatal: log.fatal.bind(log) },
  }
  return new Failback({
    ...{ clock, routers, afterMs },
    open: (url = '', onJoin) =>
      requestSession({
        ...{ url, serializer, clock, realm_uri, onJoin, auth: auth as JoinAuth },
        log: quiet,
      }),
    onUse: () => {
      const line = routerMember(routers.url)
      if (routers.isFirst) log.info(line, 'the first router of the list is used again')
      else log.warn(line, 'another router of the list is used')
    },
  })
}

/** The embedded router, and a way to end the sessions of revoked users. */
interface OpenRouter {
  readonly router: Router
  end(revoked: Revoked): void
}

/** Tells of messages that get lost: one line a minute about each procedure or topic. */
function lossLog(
  { clock, log }: Pick<WiringContext, 'clock' | 'log'>,
  what: string,
): NonNullable<RouterOptions['onUnreadable']> {
  const throttle = new LogThrottle(clock, linePerMinute)
  return ({ realm, authid, uri, problem }) => {
    if (!throttle.admits(`${realm} ${uri}`)) return
    log.warn({ realm, authid, uri, problem }, what)
  }
}

/** Makes the embedded router, which follows the realms. */
export function openRouter(context: WiringContext): OpenRouter {
  const { config, yieldTurn, budget, clock, log, usage } = context
  const { realms } = context.users
  const { gateway, router: own } = config
  // behind a public URL or a proxy, a loopback address is not local
  const isLocal =
    isLoopbackOnly(gateway.listen) &&
    (own.listen === undefined || isLoopbackOnly(own.listen)) &&
    rawSocketUrls(config).every(isLocalRawSocket) &&
    gateway.public_base_url === undefined &&
    gateway.trusted_proxies.length === 0
  const policy = openPolicy(context, isLocal)
  const router = new Router({
    policy,
    clock,
    ...{ budget, usage, yieldTurn },
    maxSessions: config.limits.wamp_sessions,
    pingIntervalMs: own.ping_interval,
    pingTimeoutMs: own.ping_timeout,
    limits: {
      perSession: config.limits.subscriptions_per_session,
      perRealm: config.limits.subscriptions_per_realm,
    },
    onUnreadable: lossLog(context, 'a message of a WAMP client cannot be read'),
    onUnsent: lossLog(context, 'an event cannot be encoded for a subscriber'),
    onError: (err) => log.error({ err }, 'the router failed on a message'),
  })
  // sessions that the realm would no longer admit are closed
  realms.onChange = (uris) => {
    for (const uri of uris) {
      if (policy.hasRealm(uri)) {
        router.closeSessions(uri, (session) => !policy.isWelcome(session))
        router.judgeAnew(uri)
      } else router.closeRealm(uri)
    }
  }
  return {
    router,
    end({ users, hasTokens }) {
      for (const { realm_uri, authid } of users) {
        router.closeSessions(realm_uri, (session) => session.authid === authid)
      }
      if (!hasTokens) return
      for (const uri of realms.uris) {
        router.closeSessions(uri, (session) => session.isRevoked?.() === true)
      }
    },
  }
}

/** The same for an embedded router in this process and in the primary. */
const embeddedCommons = (config: Config) => ({
  componentAuth: { authmethod: 'anonymous', authid: gatewayAuthid } as const,
  authOf(realm_uri: string) {
    const auth = (config.wamp.realms[realm_uri] ?? anonymousAuth) as JoinAuth
    // an authid without credentials would be the gateway itself, which requests never are
    return auth.authmethod === 'anonymous' ? anonymousAuth : auth
  },
  canJoin: () => false,
})

function embeddedRouter(context: WiringContext): RouterConnection {
  const { router, end } = openRouter(context)
  return {
    ...embeddedCommons(context.config),
    own: router,
    link: { openLink: router.openLink, serializer: 'json' },
    webSocket: {
      kind: 'embedded',
      accept: (request, socket, head, peer, cookie) =>
        router.handleUpgrade(request, socket, head, peer, { cookie }),
    },
    end,
    sessionCount: () => router.sessionCount,
    calleesOf: (realm_uri, procedure) => router.calleesOf(realm_uri, procedure),
    close: () => router.close(),
  }
}

function routerOfPrimary(
  { config, users }: WiringContext,
  primaryRouter: PrimaryRouter,
): RouterConnection {
  const { socketPath } = primaryRouter
  // a load is acknowledged once the router follows it
  users.realms.onChange = () => primaryRouter.refresh()
  // a ticket is issued once the router can verify it
  users.keys.onChange = () => primaryRouter.refresh()
  return {
    ...embeddedCommons(config),
    link: {
      url: `ws+unix:${socketPath}:${routerPaths.gateway}`,
      serializer: config.wamp.serializer,
    },
    webSocket: { kind: 'pipe', url: `ws://router${routerPaths.clients}`, socketPath },
    ...elsewhere,
    end: () => void primaryRouter.refresh(),
  }
}
