/** A gateway in this process: the list of its parts, started in order and stopped in the reverse order. */
import type { Logger } from 'pino'
import type { Config } from '#component/config/config.ts'
import { ConfiguredFiles, type FilesLoaded } from '#component/wiring/configured-files.ts'
import { openContext } from '#component/wiring/context.ts'
import * as joining from '#component/wiring/joining.ts'
import { drain, listeningNeeds, openListeners, tlsOf } from '#component/wiring/listening.ts'
import { LogLevel } from '#component/wiring/log-level.ts'
import { managementNeeds, managementOf } from '#component/wiring/management.ts'
import { metricNeeds, metricSources } from '#component/wiring/metric-sources.ts'
import { deliver, openOutbox, outboxNeeds } from '#component/wiring/open-outbox.ts'
import * as open from '#component/wiring/open-parts.ts'
import { openRegistrar, register, registrarNeeds } from '#component/wiring/open-registrar.ts'
import { openFolder } from '#component/wiring/open-store.ts'
import type { ProcessPorts } from '#component/wiring/process-parts.ts'
import { listenRawSocket } from '#component/wiring/rawsocket-listener.ts'
import { Readiness } from '#component/wiring/readiness.ts'
import { followRevocations } from '#component/wiring/revocation.ts'
import { openRouterAuthentication } from '#component/wiring/router-authentication.ts'
import { openRouterConnection } from '#component/wiring/router-connection.ts'
import { leave, openOwn, openPool } from '#component/wiring/router-sessions.ts'
import { openServing } from '#component/wiring/serving.ts'
import { watchStore } from '#component/wiring/store-cleanup.ts'
import type { WorkerPorts } from '#component/wiring/worker-ports.ts'
import type { Handler } from '#http/handler.ts'
import { performForHost } from '#procedures/index.ts'
import { systemClock } from './clock.ts'
import { close, parts, stop } from './parts.ts'
import type { Change } from './replica/entry.ts'
import type { RunningGateway } from './running-gateway.ts'
import { noProgress, type Progress } from './terminal/progress.ts'

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

/** How a process starts. */
export interface StartSetup {
  /** The primary of this process, if it is a worker. */
  readonly worker?: WorkerPorts
  /** Told while the configured files are loaded. */
  readonly progress?: Progress
  /** Ends the start: what has started is stopped. */
  readonly signal?: AbortSignal
}

// biome-ignore format: a row a part
const processParts = parts<ProcessPorts>()
  .part('state', ['config', 'clock', 'log', 'node', 'workers', 'broadcast'], openContext, stop)
  .part('context', ['state'], ({ state }) => state.parts)
  .part('cleanup', ['context', 'worker'], watchStore, stop)
  .part('router', ['context', 'worker'], openRouterConnection, close)
  .part('pool', ['context', 'router'], openPool, close)
  .part('address', ['config'], open.openAddress)
  .part('schemas', ['context'], open.openSchemas)
  .part('examples', ['context', 'schemas'], open.openExamples)
  .part('serving', ['address', 'context', 'examples', 'pool', 'worker'], openServing, close)
  .part('own', ['context', 'router'], openOwn, leave)
  .part('authentication', ['context', 'router'], openRouterAuthentication, close)
  .part('registrar', registrarNeeds, openRegistrar)
  .part('outbox', outboxNeeds, openOutbox)
  .part('sync', ['context', 'key', 'own', 'serving'], joining.openSync, (sync) => sync.leave())
  .part('revocation', ['authentication', 'context', 'pool', 'router', 'serving'], followRevocations)
  .part('tls', ['context', 'worker'], tlsOf)
  .part('documents', ['context', 'own', 'pool', 'registrar', 'router', 'schemas', 'serving', 'sync'], open.startDocuments, stop)
  .part('registry', ['documents'], ({ documents }) => documents.registry)
  .part('sharing', ['context', 'own', 'serving', 'sync'], open.openSharing, stop)
  .part('console', ['context', 'own', 'registry', 'sync'], open.openConsole)
  .part('loginLists', ['context', 'serving', 'sync'], open.openLoginLists)
  .part('upstreams', ['context', 'serving', 'sync'], open.openUpstreamLists)
  .part('procedureLists', ['context', 'registrar', 'sync'], open.openProcedureLists)
  .part('tracing', ['context', 'registry', 'schemas', 'serving', 'sync'], open.startTracing, stop)
  .part('files', ['context', 'examples', 'registry'], (needs) => new ConfiguredFiles(needs))
  .part('management', managementNeeds, managementOf)
  .part('metrics', metricNeeds, metricSources)
  .part('readiness', ['starting', 'files', 'own', 'sync', 'worker'], (needs) => new Readiness(needs))
  .waits('joining the router')
  .part('listening', listeningNeeds, openListeners, drain)
  .part('joined', ['own'], joining.join)
  .waits('fetching documents from the other gateways')
  .part('exchange', ['own', 'sharing', 'sync'], joining.exchange)
  .waits('loading the configured files')
  .part('loaded', ['clock', 'config', 'files', 'progress', 'sync'], joining.loadFiles, (end) => end())
  .part('procedures', ['log', 'management', 'own'], joining.registerProcedures)
  .part('logins', joining.loginNeeds, joining.answerLogins)
  .part('registrations', ['registrar'], register, (_registered, { registrar }) => registrar.stop())
  .part('rawsocket', ['config', 'log', 'router'], ({ config, log, router }) => listenRawSocket(config, router.own, log), close)
  .part('delivering', ['outbox', 'serving'], deliver, (_delivering, { outbox }) => outbox.stop())

/**
 * Starts everything: store, realms, router, sessions, specifications, listeners.
 * @throws ConfigError for a configuration that must not be served; whatever is thrown, nothing stays open
 */
export async function startComponent(
  config: Config,
  processLog: Logger,
  clock = systemClock,
  { worker, progress = noProgress, signal }: StartSetup = {},
): Promise<Component> {
  const { node, key } = openFolder(config, processLog)
  const log = processLog.child({ node })
  // the access line has a fixed set of keys: masking it would cost more than making it
  const accessLog = log.child({}, { redact: [] })
  const logLevel = new LogLevel(log, accessLog)
  const running = await processParts.start(
    {
      ...{ config, clock, log, node, key, accessLog, logLevel, worker, progress },
      workers: worker?.workers,
      broadcast: worker && (() => worker.refreshOthers()),
    },
    { log, signal },
  )
  const { files, listening, management, readiness, registry, serving, sync } = running.parts
  const { listeners, urls } = listening
  const { gatewayUrls: gateway, adminUrls: admin, healthUrls: health, routerUrl: router } = urls
  log.info({ gateway, admin, health, router }, 'started')
  return {
    ...urls,
    ...{ log, logLevel },
    handler: () => listeners.handler(serving.gateway),
    contents: () => ({ apiSpecs: registry.size, refusedFiles: files.refused.length }),
    tls: () => listeners.tls.setup,
    useTls: (setup) => listeners.tls.use(setup),
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
    isReady: () => readiness.waitsFor === undefined,
    async stop(drainDelay) {
      log.info({ drain_delay: drainDelay }, 'stopping')
      listeners.begin()
      if (drainDelay > 0) await new Promise<void>((resolve) => clock.after(drainDelay, resolve))
      await running.stop()
      log.info('stopped')
    },
  }
}
