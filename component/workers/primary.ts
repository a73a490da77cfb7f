/** A gateway of several processes: this one holds the listening sockets and the embedded router, the workers serve. */
import type { Logger } from 'pino'
import { systemClock } from '#component/clock.ts'
import type { RunningGateway } from '#component/component.ts'
import type { Config } from '#component/config/config.ts'
import { storeSecret } from '#component/config/store-key.ts'
import { urlsOf } from '#component/config/urls.ts'
import { Families } from '#component/metrics/families.ts'
import type { FilePatterns } from '#component/wiring/configured-files.ts'
import { LogLevel } from '#component/wiring/log-level.ts'
import { openFolder } from '#component/wiring/open-store.ts'
import { openTls } from '#component/wiring/open-tls.ts'
import { limitSources } from '#component/wiring/status/limit-status.ts'
import { loginSources } from '#component/wiring/status/login-status.ts'
import { Metrics } from '#http/management/metrics.ts'
import { ListeningSockets } from './listening-sockets.ts'
import { startRouterHost } from './router-host.ts'
import { WorkerPool, workerNames } from './worker-pool.ts'

/** Only these: what is sent to the workers grows with it. */
const filesOf = ({ realms, specs, specs_examples }: FilePatterns): FilePatterns => ({
  ...{ realms, specs, specs_examples },
})

/**
 * Starts `workers` processes that serve as one gateway; resolves when each has started.
 * @throws ConfigError for a configuration that must not be served, Error when a worker cannot start for another reason
 */
export async function startWorkers(
  config: Config,
  processLog: Logger,
  clock = systemClock,
): Promise<RunningGateway> {
  const { node, key } = openFolder(config, processLog)
  const ownName = `${node}-0`
  const log = processLog.child({ node: ownName })
  const logLevel = new LogLevel(log)
  let tls = openTls(config, clock, log)
  let files: FilePatterns = filesOf(config)
  const sockets = new ListeningSockets()
  await sockets.open(config, config.workers * config.limits.max_connections)
  const host =
    config.wamp.url === undefined
      ? await startRouterHost({ config, clock, log, node: ownName })
      : undefined
  const metrics = new Metrics({
    families: new Families({ now: () => clock.now() }),
    sources: {
      gateway_router_sessions: {
        help: 'All sessions on the embedded router.',
        read: () => host?.sessionCount() ?? 0,
      },
      ...(host && { ...limitSources(host.usage), ...loginSources(host.logins) }),
    },
  })
  const shared = {
    ...config,
    cluster: { key },
    store: { ...config.store, key: storeSecret(config, config.data_dir) },
  }
  const workers = workerNames(node, config.workers)
  const pool = new WorkerPool({
    config: { ...config, node },
    settingsOf: (name, isReplacement) => ({
      ...{ addresses: sockets.addresses, tls },
      workers,
      routerSocket: host?.socketPath,
      config: {
        ...shared,
        node: name,
        ...files,
        log: { ...config.log, level: logLevel.current },
        // a file that is refused later ends no gateway that serves
        fail_on_refused_files: config.fail_on_refused_files && !isReplacement,
      },
    }),
    refreshRouter: async () => host?.refresh(),
    metrics: () => metrics.own(),
    ...{ sockets, clock, log, logLevel },
  })
  logLevel.onChange = (level) => pool.tell('logLevel', level)
  await pool.start()
  log.info({ workers: config.workers }, 'started')
  return {
    ...urlsOf(config, sockets.addresses, (tls?.pairs.length ?? 0) > 0),
    ...{ log, logLevel },
    contents: () => pool.contents,
    tls: () => tls,
    useTls(setup) {
      tls = setup
      pool.tell('tls', setup)
    },
    loadFiles(patterns) {
      // a worker that takes the place of another one reads them, too
      files = filesOf(patterns)
      return pool.loadFiles(files)
    },
    isReady: () => pool.areAllReady,
    async stop(drainDelay) {
      log.info({ drain_delay: drainDelay }, 'stopping')
      await pool.stop(drainDelay)
      sockets.close()
      await host?.close()
      await pool.end()
      log.info('stopped')
    },
  }
}
