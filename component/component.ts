/** Wires the parts together; starts and stops them in a stated order. */
import type { Logger } from 'pino'
import { SharedSchemas } from '#component/compile/schemas/shared-schemas.ts'
import type { Config } from '#component/config/config.ts'
import { type GatewayUrls, urlsOf } from '#component/config/urls.ts'
import { Examples } from '#component/examples/examples.ts'
import { features } from '#component/spec/features.ts'
import {
  ConfiguredFiles,
  type FilePatterns,
  type FilesLoaded,
} from '#component/wiring/configured-files.ts'
import { LiveConsole } from '#component/wiring/console/live-console.ts'
import { openContext } from '#component/wiring/context.ts'
import { openDocuments } from '#component/wiring/documents/open-documents.ts'
import { rehearsalPorts } from '#component/wiring/explain/rehearsal-ports.ts'
import { LogLevel } from '#component/wiring/log-level.ts'
import { openLoginQuestions } from '#component/wiring/logins/login-questions.ts'
import { managementOf } from '#component/wiring/management.ts'
import { openFolder } from '#component/wiring/open-store.ts'
import { openTls } from '#component/wiring/open-tls.ts'
import { UsageSharing } from '#component/wiring/policies/usage-sharing.ts'
import { openRouterAuthentication } from '#component/wiring/router-authentication.ts'
import { openRouterConnection } from '#component/wiring/router-connection.ts'
import { openSessions } from '#component/wiring/router-sessions.ts'
import { openServing } from '#component/wiring/serving.ts'
import { metricSources, problemsOf } from '#component/wiring/status/node-status.ts'
import { sessionWaits } from '#component/wiring/status/session-status.ts'
import { followLag } from '#component/wiring/status/sync-status.ts'
import { watchStore } from '#component/wiring/store-cleanup.ts'
import { Regrants } from '#component/wiring/streams/regrants.ts'
import { followUsers, mayBeRevoked } from '#component/wiring/streams/stream-rights.ts'
import { Tracing } from '#component/wiring/tracing/tracing.ts'
import type { WorkerPorts } from '#component/wiring/worker-ports.ts'
import type { Handler } from '#http/handler.ts'
import { type Listeners, startListeners } from '#http/server.ts'
import type { TlsSetup } from '#http/tls/tls-setup.ts'
import { performForHost, procedures, registerAll } from '#procedures/index.ts'
import { systemClock } from './clock.ts'
import { messageOf } from './errors.ts'
import type { Log } from './log.ts'
import type { Change } from './replica/entry.ts'
import { sealingBy } from './sync/sealing.ts'
import { Sync } from './sync/sync.ts'
import { noProgress, type Progress } from './terminal/progress.ts'
import { version } from './version.ts'

/** How much a gateway has loaded. */
export interface Contents {
  /** API Specifications, whether from files, from the store or from other gateways. */
  readonly apiSpecs: number
  /** Configured files that were refused when they were last read. */
  readonly refusedFiles: number
}

/** A started gateway, of one process or several. */
export interface RunningGateway extends GatewayUrls {
  /** What it has loaded; of several processes, as one of them told when it was ready. */
  contents(): Contents
  /** Whether the node is configured and has caught up with its peers. */
  isReady(): boolean
  /** For what the process itself logs. */
  readonly log: Log
  readonly logLevel: LogLevel
  /** What HTTPS is served with now; undefined without `gateway.tls`. */
  tls(): TlsSetup | undefined
  /** Serves HTTPS with this from now on, if the gateway listener serves HTTPS. */
  useTls(setup: TlsSetup): void
  /**
   * Loads the configured files that have changed since they were last loaded.
   * @throws Error while changes are refused; then nothing was loaded
   */
  loadFiles(patterns: FilePatterns): Promise<FilesLoaded>
  /** Drains and stops; at most drainDelay + `gateway.drain_timeout` and a little, milliseconds. */
  stop(drainDelay: number): Promise<void>
}

/** A gateway in this process. */
export interface Component extends RunningGateway {
  /** Shows the files that another process of this gateway has refused. */
  showRefused(refused: FilesLoaded['refused']): void
  /**
   * Performs a management procedure with all rights.
   * @param uri `service.load_api_spec` and so on
   * @throws ServiceError for a refusal, `wamp.error.no_such_procedure` for an unknown one
   */
  manage(uri: string, args: readonly unknown[]): Promise<unknown>
  /** Sets the one listener to changes of API Specifications, once they are live or gone here, whichever node has made them. */
  watch(listener: (changes: readonly Change[]) => void): void
  /** Serves requests of a server that is not the gateway's own. */
  handler(): Handler
}

/** Open streams of a process that stops are ended within this time, if not within half of `gateway.drain_timeout`; milliseconds. */
const longestFarewell = 5_000

/** Milliseconds that the start waits for the router. */
const routerTimeout = 2_000

/**
 * Starts everything: store, realms, router, sessions, specifications, listeners.
 * @param worker the primary of this process, if it is a worker
 * @param progress told while the configured files are loaded
 * @throws ConfigError for a configuration that must not be served; whatever is thrown, nothing stays open
 */
export async function startComponent(
  config: Config,
  processLog: Logger,
  clock = systemClock,
  worker?: WorkerPorts,
  progress: Progress = noProgress,
): Promise<Component> {
  const { node, key } = openFolder(config, processLog)
  const log = processLog.child({ node })
  // the access line has a fixed set of keys: masking it would cost more than making it
  const accessLog = log.child({}, { redact: [] })
  const logLevel = new LogLevel(log, accessLog)
  const broadcast = worker && (() => worker.refreshOthers())
  const workers = worker?.workers
  const context = await openContext({ config, clock, log, node, workers, broadcast })
  const { store, replica, users, budget, yieldTurn, telemetry, families } = context
  const { health, isShared: isStoreShared } = store
  const stopCleanup = watchStore(context)
  worker?.refreshBy(() => replica.refresh())

  const router = openRouterConnection(context, worker?.router)
  const rejoined = () => {
    serving.policies.purgeAll()
    void sync.joined()
  }
  const onWaited = sessionWaits(context.families)
  const sessions = openSessions(context, router, rejoined, onWaited)
  const { own, pool } = sessions
  const routerAuthentication = openRouterAuthentication(context, router)
  users.onRevoked = (revoked) => {
    // first: streams are told that they are not authorized, not that a session has ended
    serving.reauthentication.recheck(mayBeRevoked(revoked))
    for (const { realm_uri, authid } of revoked.users) pool.dismiss(realm_uri, [authid])
    router.end(revoked)
    void routerAuthentication?.end(revoked)
  }
  const program = { version: version(), features }
  const shared = { replica, health, isStoreShared, workers }
  const sealing = sealingBy(key)
  const sync = new Sync({ ...shared, session: own, clock, log, node, sealing, program })
  store.onEntries = () => void replica.refresh()
  followLag(sync, context.families)
  users.sessionTickets.clockOffsetOf = (other) => sync.clockOffsetOf(other)
  let baseUrl = config.gateway.public_base_url?.replace(/\/$/, '')
  const issuer = () => baseUrl ?? ''
  const schemas = new SharedSchemas({ clock, log, yieldTurn, families })
  const examples = new Examples({
    compile: {
      callTimeout: config.wamp.call_timeout,
      schemas: { validators: schemas.validators },
    },
    rehearsal: rehearsalPorts(config, node),
    ...{ clock, yieldTurn },
  })
  const serving = openServing(context, pool, issuer, (one) => examples.holding(one))
  const { streams, reauthentication, policies } = serving
  sync.onPurged = ({ id, tags }) => policies.purge(id, tags)
  const regrants = new Regrants({ streams, clock, yieldTurn })
  followUsers({ users, reauthentication, regrants })
  const documents = openDocuments(context, router, sessions, serving, schemas, sync)
  const { registry } = documents
  const liveConsole = new LiveConsole(context, { own, sync, registry })
  const ticketLists = openLoginQuestions(context, serving.authentication.keptLogins, sync)
  const tracing = new Tracing(context, { serving, pool, registry, schemas, sync })
  const { exchange: usage } = serving.policies
  const usageSharing = new UsageSharing({ usage, sync, session: own, clock })
  const files = new ConfiguredFiles(context, registry, examples)
  const parts = {
    ...{ own, pool, router, registry, files, replica, health, schemas, sync, tracing },
    ...{ usageSharing, serving, users, examples, logLevel, issuer, liveConsole, ticketLists },
    ...{ logins: context.logins, usage: context.usage, documents },
  }
  const management = managementOf(context, parts, worker)

  let waitsFor = (): string | undefined => 'joining the router'
  const waitsForNow = () =>
    waitsFor() ?? (worker?.areAllReady() === false ? 'waiting for other workers' : undefined)
  let listeners: Listeners | undefined
  const close = async () => {
    tracing.stop()
    liveConsole.stop()
    const { drain_timeout } = config.gateway
    const drained = serving.openStreams.drain(Math.min(drain_timeout / 2, longestFarewell))
    await listeners?.finish()
    await drained
    await usageSharing.stop()
    await documents.stop()
    await sync.leave()
    await routerAuthentication?.close()
    await own.withdraw()
    await own.leave()
    await pool.close()
    await serving.close()
    await router.close()
    stopCleanup()
    await context.close()
  }
  const begin = async () => {
    const tls = worker ? worker.tls : openTls(config, clock, log)
    await registry.start()
    tracing.start()
    listeners = await startListeners({
      ...{ options: config, tls, clock, log, accessLog, budget },
      ...{ procedures, management, yieldTurn, telemetry, families },
      gateway: serving.gateway,
      operators: serving.authentication.operators,
      webSocket: router.webSocket,
      metrics: metricSources(parts),
      ...{ logins: context.logins, usage: context.usage },
      streams: serving.streamMetrics,
      watched: liveConsole.requests,
      servedPaths: () => serving.gateway.servedPaths(),
      siblings: worker?.siblings,
      console: { node, ...program, events: liveConsole.events },
      listen: worker?.listen,
      isReady: () => waitsForNow() === undefined,
      problems() {
        const reason = waitsForNow()
        const problems = problemsOf({ own, replica, health, sync, refused: files.refused })
        return reason === undefined ? problems : [reason, ...problems]
      },
    })

    const open = listeners
    liveConsole.state = () => ({ inFlight: open.inFlight, isReady: waitsForNow() === undefined })
    const urls = urlsOf(config, open.addresses, open.tls.isSecure)
    baseUrl ??= urls.gatewayUrls[0]

    // without a router the gateway serves; the procedures are registered once it is back
    const isJoined = await own.joined(routerTimeout)
    waitsFor = () => 'fetching documents from the other gateways'
    const refusedByRouter = (cause: unknown) => {
      const found = messageOf(cause)
      const message = `the router does not allow the session of wamp.auth to register "service." on the realm ${config.wamp.realm}`
      throw new Error(`${message}: ${found}`, { cause })
    }
    await sync.start().catch(refusedByRouter)
    usageSharing.start()
    waitsFor = () => 'loading the configured files'
    // after the exchange: a document that the others have already is not loaded again from a file
    await files.start(config, progress)
    await registerAll(own, management, log).catch(refusedByRouter)
    // without a router, a node serves the documents that it has, or that its database has; one without is not ready
    const isCutOff = !isJoined && (registry.size > 0 || isStoreShared)
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
    const { gatewayUrls, adminUrls, healthUrls, routerUrl } = urls
    log.info(
      { gateway: gatewayUrls, admin: adminUrls, health: healthUrls, router: routerUrl },
      'started',
    )
    return { urls, handler: () => open.handler(serving.gateway) }
  }
  const { urls, handler } = await begin().catch(async (cause: unknown) => {
    await close()
    throw cause
  })

  return {
    ...urls,
    ...{ log, logLevel, handler },
    contents: () => ({ apiSpecs: registry.size, refusedFiles: files.refused.length }),
    tls: () => listeners?.tls.setup,
    useTls: (setup) => listeners?.tls.use(setup),
    async loadFiles(patterns) {
      const refusal = sync.refusal()
      if (refusal) throw refusal
      return await files.load(patterns)
    },
    showRefused(refused) {
      files.refused = refused
    },
    manage: (uri, args) => performForHost(uri, args, management),
    watch(listener) {
      registry.onChanged = listener
    },
    isReady: () => waitsFor() === undefined,
    async stop(drainDelay) {
      log.info({ drain_delay: drainDelay }, 'stopping')
      listeners?.begin()
      if (drainDelay > 0) await new Promise<void>((resolve) => clock.after(drainDelay, resolve))
      await close()
      log.info('stopped')
    },
  }
}
