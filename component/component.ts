/** Wires the parts together; starts and stops them in a stated order. */
import type { Logger } from 'pino'
import { compilingDocument } from '#component/compile/compile-document.ts'
import { ownRealms } from '#component/compile/own-realms.ts'
import { type Config, ConfigError, clusterKey } from '#component/config/config.ts'
import { storeSecret } from '#component/config/store-key.ts'
import { addressUrls } from '#component/config/urls.ts'
import type { UserName } from '#component/identity.ts'
import { collectAfter } from '#component/limits/gc-pressure.ts'
import { Quota } from '#component/limits/quota.ts'
import { damageOf, logFull, problemsOf } from '#component/wiring/health-report.ts'
import { openHttpAuthentication } from '#component/wiring/http-authentication.ts'
import { metricSources } from '#component/wiring/metrics.ts'
import { openConfiguredStore, openFolder } from '#component/wiring/open-store.ts'
import { openRouterAuthentication } from '#component/wiring/router-authentication.ts'
import { openRouterConnection, urlOfRouter } from '#component/wiring/router-connection.ts'
import { startCleanup } from '#component/wiring/store-cleanup.ts'
import { Users } from '#component/wiring/users.ts'
import type { WorkerPorts } from '#component/wiring/worker-ports.ts'
import { decodeBody, encodeBody } from '#http/codec.ts'
import { isLoopbackOnly, refusalToStart } from '#http/management/access.ts'
import { isGuessedFor, publicPath } from '#http/oidc/public-address.ts'
import { startListeners } from '#http/server.ts'
import { managementPaths, procedures, registerAll } from '#procedures/index.ts'
import { openActions } from './action/index.ts'
import { type Clock, systemClock } from './clock.ts'
import type { Route } from './gateway/api.ts'
import { Gateway } from './gateway/handle.ts'
import { loginProblem } from './oidc/settings.ts'
import { loadFiles, realmNames, specNames } from './registry/files.ts'
import { Registry } from './registry/registry.ts'
import { Replica } from './replica/replica.ts'
import { SecretBox } from './secret-box.ts'
import { Attempts } from './security/attempts.ts'
import { Sync } from './sync/sync.ts'
import { componentSession } from './wamp/autobahn-session.ts'
import { SessionPool } from './wamp/session-pool.ts'
import { runSteps, turnYielder } from './yielding.ts'

/** A started gateway. */
export interface Component {
  /** Base addresses of the gateway listener, without a slash at the end. */
  readonly gatewayUrls: readonly string[]
  readonly adminUrls: readonly string[]
  /** Where WAMP clients connect. */
  readonly routerUrl: string
  /** Whether the node is configured and has caught up with its peers. */
  isReady(): boolean
  /** Drains and stops; at most drainDelay + `gateway.drain_timeout` and a little, milliseconds. */
  stop(drainDelay: number): Promise<void>
}

/** Milliseconds that the router may take to acknowledge an event. */
const eventTimeout = 5_000

/** Milliseconds that the start waits for the router. */
const routerTimeout = 2_000

/**
 * Starts everything: store, realms, router, sessions, specifications, listeners.
 * @param worker the primary of this process, if it is a worker
 * @throws ConfigError for a configuration that must not be served
 */
export async function startComponent(
  config: Config,
  processLog: Logger,
  clock = systemClock,
  worker?: WorkerPorts,
): Promise<Component> {
  const reason = refusalToStart(config)
  if (reason !== undefined) throw new ConfigError([reason])

  const key = clusterKey(config)
  const node = openFolder(config)
  const log = processLog.child({ node })
  const store = await openConfiguredStore(config, clock, log)
  const yieldTurn = turnYielder()
  const replica = new Replica({ store: store.entries, clock, node, log, yieldTurn })
  await replica.start()
  store.health.onAway = () => void replica.refresh()
  store.health.onFull = (isFull) => logFull(isFull, log)
  worker?.refreshBy(() => replica.refresh())
  const broadcast = worker && (() => worker.refreshOthers())
  const users = new Users({
    ...{ config, replica, clock, log, node, broadcast },
    families: store.families,
    box: new SecretBox(storeSecret(config, config.data_dir)),
  })
  users.start()
  const stopCleanup = startCleanup({ store, clock, log, deletedDays: config.history.deleted_days })
  const { realms } = users

  const attempts = new Attempts(config.rate_limits)
  const budget = new Quota(config.limits.buffered_bytes)
  const stopCollecting = collectAfter(budget, clock)
  const context = { config, users, attempts, clock, log }
  const router = openRouterConnection({
    ...{ ...context, yieldTurn, budget },
    primaryRouter: worker?.router,
  })
  const sessions = new SessionPool({
    ...router.link,
    clock,
    log,
    identity: config.wamp.identity as 'session' | 'service',
    authFor: (realm_uri, identity) =>
      identity ? users.sessionTickets.authFor(identity) : router.authOf(realm_uri),
  })
  const routerAuthentication = openRouterAuthentication(context, router)
  users.onRevoked = (revoked) => {
    for (const { realm_uri, authid } of revoked.users) sessions.dismiss(realm_uri, [authid])
    router.end(revoked)
    void routerAuthentication?.end(revoked)
  }
  const own = componentSession({
    ...router.link,
    realm_uri: config.wamp.realm,
    auth: router.componentAuth,
    clock,
    log,
    onJoin: () => sync.joined(),
  })
  const sync = new Sync({ replica, session: own, clock, log, node, key, health: store.health })
  users.sessionTickets.clockOffsetOf = (other) => sync.clockOffsetOf(other)
  const actions = openActions({
    clock,
    sessions,
    codec: { decode: decodeBody, encode: encodeBody },
    allowedHosts: config.forward.allowed_hosts,
    allowedDynamicUris: config.wamp.allowed_dynamic_uris,
    viaName: node,
  })
  let baseUrl = config.gateway.public_base_url?.replace(/\/$/, '')
  const issuerBase = () => baseUrl ?? ''
  const hasPublicUrl = baseUrl !== undefined
  const isLocal = isLoopbackOnly(config.gateway.listen)
  const httpAuthentication = openHttpAuthentication(context, issuerBase)
  const { schemes, endpoints, operators } = httpAuthentication
  const gateway = new Gateway({
    ...{ clock, schemes, endpoints },
    actions: actions.table,
    cors: config.gateway.cors,
    publicPath: publicPath(baseUrl ?? ''),
  })
  const compilePorts = {
    callTimeout: config.wamp.call_timeout,
    loginProblem: (realm_uri: string, provider: string, host: string) =>
      loginProblem(realms, realm_uri, provider, isGuessedFor(host, { hasPublicUrl, isLocal })),
  }
  const registry = new Registry<Route>({
    replica,
    node,
    log,
    yieldTurn,
    compile: (document) => runSteps(compilingDocument(document, compilePorts), yieldTurn),
    prepare: ({ entries }) => sessions.openAll(ownRealms(entries, config.wamp.identity)),
    onSwap(table) {
      gateway.table = table
      httpAuthentication.issuers.follow(table.entries)
      sessions.keep(ownRealms(table.entries, config.wamp.identity))
    },
    realmExists: (realm_uri) => realms.has(realm_uri) || router.canJoin(realm_uri, sessions),
    publishEvent: (topic, kwargs) =>
      own.publish(topic, { args: [], kwargs }, { acknowledge: true }, eventTimeout),
    managementPaths: router.sharesListener ? managementPaths : [],
  })
  replica.onLost = (loser, winner) => registry.tellLost(loser, winner)
  const management = {
    ...{ registry, realms, clock },
    logins: users.logins,
    apiKeys: users.apiKeys,
    keys: users.keys,
    tickets: users.tickets,
    revocations: users.revocations,
    forgetRealm: (uri: string) => users.forgetRealm(uri),
    forgetAccount: (user: UserName) => users.forgetAccount(user),
    endUsers: (names: readonly UserName[]) => users.endUsers(names),
    componentRealm: config.wamp.realm,
    issuer: issuerBase,
    refusal: () => sync.refusal(),
    ...(broadcast && { broadcast }),
    status: () => ({
      ...sync.status(),
      conflicts: registry.conflicts(),
      damaged: replica.damaged.map(damageOf),
    }),
  }

  let waitsFor = (): string | undefined => 'joining the router'
  const waitsForNow = () =>
    waitsFor() ?? (worker?.areAllReady() === false ? 'waiting for other workers' : undefined)
  await registry.start()
  const listeners = await startListeners({
    options: config,
    clock,
    log,
    budget,
    // the access line has a fixed set of keys: masking it would cost more than making it
    accessLog: log.child({}, { redact: [] }),
    gateway,
    procedures,
    management,
    operators,
    yieldTurn,
    webSocket: router.webSocket,
    metrics: metricSources({
      sessions,
      registry,
      router,
      replica,
      health: store.health,
      sync,
    }),
    isRoute: (pattern) => gateway.table.patterns.has(pattern),
    siblings: worker?.siblings,
    listen: worker?.listen,
    isReady: () => waitsForNow() === undefined,
    problems() {
      const reason = waitsForNow()
      return reason === undefined ? problemsOf(own, replica, store.health) : [reason]
    },
  })

  baseUrl ??= addressUrls(listeners.addresses.gateway, config.gateway.tls !== undefined)[0]

  // without a router the gateway serves; the procedures are registered once it is back
  const isJoined = await own.joined(routerTimeout)
  waitsFor = () => 'fetching documents from the other gateways'
  const refusedByRouter = (cause: unknown) => {
    const found = cause instanceof Error ? cause.message : String(cause)
    const message = `the router does not allow the session of wamp.auth to register "service." on the realm ${config.wamp.realm}`
    throw new Error(`${message}: ${found}`, { cause })
  }
  await sync.start().catch(refusedByRouter)
  waitsFor = () => 'loading the configured files'
  // after the exchange: a document that the others have already is not loaded again from a file
  const files = { files: store.files, log, yieldTurn }
  await loadFiles(config.realms, {
    ...files,
    load: (d, by) => realms.load(d, by),
    namesOf: realmNames,
  })
  await loadFiles(config.specs, {
    ...files,
    load: (d, by, hash) => registry.loadUnlessThere(d, by, hash),
    namesOf: specNames,
  })
  await registerAll(own, management, log).catch(refusedByRouter)
  // without a router, a node with documents serves them; a node without documents is not ready
  const isCutOff = !isJoined && registry.size > 0
  waitsFor = () => {
    if (isCutOff || sync.isCaughtUp) return undefined
    return own.isOpen ? 'fetching documents from the other gateways' : 'joining the router'
  }
  // a node that has not caught up would refuse users that the others know
  const answer = () => routerAuthentication?.start(own, management).catch(refusedByRouter)
  if (isCutOff || sync.isCaughtUp) await answer()
  else
    sync.caughtUp
      .then(answer)
      .catch((err: unknown) => log.error({ err }, 'users cannot be authenticated on the router'))
  const routerUrl = urlOfRouter(config, listeners.addresses)
  const gatewayUrls = addressUrls(listeners.addresses.gateway, config.gateway.tls !== undefined)
  const adminUrls = addressUrls(listeners.addresses.admin, false)
  log.info({ gateway: gatewayUrls, admin: adminUrls, router: routerUrl }, 'started')

  return {
    gatewayUrls,
    adminUrls,
    routerUrl,
    isReady: () => waitsFor() === undefined,
    async stop(drainDelay) {
      log.info({ drain_delay: drainDelay }, 'stopping')
      listeners.begin()
      if (drainDelay > 0) await wait(clock, drainDelay)
      await listeners.finish()
      await sync.leave()
      await routerAuthentication?.close()
      await own.withdraw()
      await own.leave()
      await sessions.close()
      await actions.close()
      await httpAuthentication.close()
      await router.close()
      stopCleanup()
      stopCollecting()
      users.stop()
      await store.close()
      log.info('stopped')
    },
  }
}

const wait = (clock: Clock, ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve))
