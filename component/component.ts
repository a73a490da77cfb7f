/** Wires the parts together; starts and stops them in a stated order. */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Logger } from 'pino'
import { refusalToStart } from '#http/access.ts'
import { decodeBody, encodeBody } from '#http/codec.ts'
import { startListeners } from '#http/server.ts'
import { procedures, registerAll } from '#procedures/index.ts'
import { openActions } from './action/index.ts'
import { breather } from './breather.ts'
import { type Clock, systemClock } from './clock.ts'
import { type Config, ConfigError } from './config.ts'
import type { CompiledOperation } from './gateway/api.ts'
import { Gateway } from './gateway/handle.ts'
import { lineSink } from './log.ts'
import { metricSources } from './metric-sources.ts'
import { nodeName } from './node-name.ts'
import { Realms } from './realm/realms.ts'
import { compileDocument } from './registry/compile-document.ts'
import { loadFiles, realmNames, specNames } from './registry/files.ts'
import { Registry } from './registry/registry.ts'
import { openRouting } from './routing.ts'
import { closedSchemes } from './security/scheme.ts'
import { openStore } from './store/database.ts'
import { addressUrls } from './urls.ts'
import { componentSession } from './wamp/autobahn-session.ts'
import { SessionPool } from './wamp/session-pool.ts'

/** A started gateway. */
export interface Component {
  /** Base addresses of the gateway listener, without a slash at the end. */
  readonly gatewayUrls: readonly string[]
  readonly adminUrls: readonly string[]
  /** Where WAMP clients connect. */
  readonly routerUrl: string
  /** Drains and stops; at most drainDelay + `gateway.drain_timeout` and a little, milliseconds. */
  stop(drainDelay: number): Promise<void>
}

/** How long an event may take to be acknowledged, in milliseconds. */
const eventTimeout = 5_000

/** How long the start waits for the router, in milliseconds. */
const routerTimeout = 5_000

/**
 * Starts everything: store, realms, router, sessions, specifications, listeners.
 * @throws ConfigError for a configuration that must not be served
 */
export async function startComponent(
  config: Config,
  log: Logger,
  clock = systemClock,
): Promise<Component> {
  const reason = refusalToStart(config)
  if (reason !== undefined) throw new ConfigError([reason])

  const node = openFolder(config)
  const url = config.store.url ?? `sqlite:${join(config.data_dir, 'gateway.db')}`
  const store = await openStore(url, clock).catch((cause: unknown) => {
    if (cause instanceof TypeError) throw new ConfigError([cause.message], { cause })
    const found = cause instanceof Error ? cause.message : String(cause)
    throw new Error(`store ${url}: ${found}`, { cause })
  })
  const realms = new Realms({ store: store.realms, clock, node, log, environment: process.env })
  await realms.start()

  const routing = openRouting({ config, realms, clock, log })
  const sessions = new SessionPool({
    ...routing.link,
    clock,
    log,
    authFor: (realm_uri) => routing.authOf(realm_uri),
  })
  const own = componentSession({
    ...routing.link,
    realm_uri: config.wamp.realm,
    auth: routing.componentAuth,
    clock,
    log,
  })
  const actions = openActions({
    clock,
    sessions,
    codec: { decode: decodeBody, encode: encodeBody },
    allowedHosts: config.forward.allowed_hosts,
    allowedDynamicUris: config.wamp.allowed_dynamic_uris,
    viaName: node,
  })
  const gateway = new Gateway({
    clock,
    actions: actions.table,
    schemes: closedSchemes,
    cors: config.gateway.cors,
  })
  const breathe = breather()
  const registry = new Registry<CompiledOperation>({
    store: store.specs,
    clock,
    node,
    log,
    compile: (document) =>
      compileDocument(document, { clock, callTimeout: config.wamp.call_timeout, breathe }),
    breathe,
    onSwap(table) {
      gateway.table = table
      for (const { realm_uri } of table.entries) sessions.open(realm_uri)
    },
    realmExists: (realm_uri) => realms.has(realm_uri) || routing.canJoin(realm_uri, sessions),
    publishEvent: (topic, kwargs) =>
      own.publish(topic, { args: [], kwargs }, { acknowledge: true }, eventTimeout),
    sharesListener: routing.sharesListener,
  })
  const management = { registry, realms }

  let isReady = false
  await registry.start()
  const listeners = await startListeners({
    options: config,
    clock,
    log,
    accessLog: lineSink(log),
    gateway,
    procedures,
    management,
    webSocket: routing.webSocket,
    metrics: metricSources({ sessions, registry, routing }),
    isReady: () => isReady,
  })

  const files = { files: store.files, log }
  await loadFiles(config.realms, {
    ...files,
    load: (d, by) => realms.load(d, by),
    namesOf: realmNames,
  })
  await loadFiles(config.specs, {
    ...files,
    load: (d, by) => registry.load(d, by),
    namesOf: specNames,
  })
  // a router that is away keeps nothing from being served: the procedures follow when it is back
  await own.joined(routerTimeout)
  await registerAll(own, management, log).catch((cause: unknown) => {
    const found = cause instanceof Error ? cause.message : String(cause)
    const message = `the router does not let the session of wamp.auth register service. on the realm ${config.wamp.realm}`
    throw new Error(`${message}: ${found}`, { cause })
  })
  isReady = true
  const routerUrl = routing.urlOf(listeners.addresses)
  const gatewayUrls = addressUrls(listeners.addresses.gateway, config.gateway.tls !== undefined)
  const adminUrls = addressUrls(listeners.addresses.admin, false)
  log.info({ node, gateway: gatewayUrls, admin: adminUrls, router: routerUrl }, 'started')

  return {
    gatewayUrls,
    adminUrls,
    routerUrl,
    async stop(drainDelay) {
      log.info({ drain_delay: drainDelay }, 'stopping')
      listeners.begin()
      if (drainDelay > 0) await wait(clock, drainDelay)
      await listeners.finish()
      await own.leave()
      await sessions.close()
      await actions.close()
      await routing.close()
      await store.close()
      log.info({ node }, 'stopped')
    },
  }
}

/** Makes `data_dir`; what is wrong with it is told by the name of the option. */
function openFolder({ node, data_dir }: Config): string {
  try {
    mkdirSync(data_dir, { recursive: true })
    return nodeName(node, data_dir)
  } catch (cause) {
    const found = cause instanceof Error ? cause.message : String(cause)
    throw new ConfigError([`option "data_dir": ${found}`], { cause })
  }
}

const wait = (clock: Clock, ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve))
