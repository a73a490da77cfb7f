/** A gateway of several processes: this one holds the listening sockets and the embedded router, the workers serve. */
import type { Logger } from 'pino'
import { systemClock } from '#component/clock.ts'
import type { Config } from '#component/config/config.ts'
import { storeSecret } from '#component/config/store-key.ts'
import { urlsOf } from '#component/config/urls.ts'
import { Families } from '#component/metrics/families.ts'
import { close, parts } from '#component/parts.ts'
import type { RunningGateway } from '#component/running-gateway.ts'
import type { FilePatterns } from '#component/wiring/configured-files.ts'
import type { StartPorts } from '#component/wiring/context.ts'
import { LogLevel } from '#component/wiring/log-level.ts'
import { openFolder } from '#component/wiring/open-store.ts'
import { openTls } from '#component/wiring/open-tls.ts'
import { limitSources } from '#component/wiring/status/limit-status.ts'
import { loginSources } from '#component/wiring/status/login-status.ts'
import { Metrics } from '#http/management/metrics.ts'
import type { TlsSetup } from '#http/tls/tls-setup.ts'
import { ListeningSockets } from './listening-sockets.ts'
import { Members } from './member.ts'
import { type RouterHost, startRouterHost } from './router-host.ts'
import { WorkerPool, workerNames } from './worker-pool.ts'

/** Only these: what is sent to the workers grows with it. */
const filesOf = ({ realms, specs, specs_examples }: FilePatterns): FilePatterns => ({
  ...{ realms, specs, specs_examples },
})

/** What the primary starts with. */
interface PrimaryPorts extends StartPorts {
  /** The name that workers add their numbers to. */
  readonly gateway: string
  /** The names of all workers. */
  readonly workers: readonly string[]
  /** The configuration that all workers share. */
  readonly shared: Config
  readonly logLevel: LogLevel
  /** Milliseconds that a stop still serves everything. */
  readonly leaving: { drainDelay: number }
}

/** What a worker gets that begins now; a reload changes it. */
interface Served {
  tls: TlsSetup | undefined
  files: FilePatterns
}

// biome-ignore format: a row a part
const primaryParts = parts<PrimaryPorts>()
  .part('members', ['clock'], ({ clock }) => new Members(clock), (members) => members.end())
  .part('served', ['config', 'clock', 'log'], openServed)
  .part('sockets', ['config'], openSockets, close)
  .part('host', ['config', 'clock', 'log', 'node'], openHost, close)
  .part('metrics', ['clock', 'host'], openMetrics)
  .part('pool', ['clock', 'config', 'gateway', 'host', 'leaving', 'log', 'logLevel', 'members', 'metrics', 'served', 'shared', 'sockets', 'workers'], startPool, (pool, { leaving }) => pool.stop(leaving.drainDelay))

/**
 * Starts `workers` processes that serve as one gateway; resolves when each has started.
 * @throws ConfigError for a configuration that must not be served, Error when a worker cannot start for another reason; then
 *   nothing stays open
 */
export async function startWorkers(
  config: Config,
  processLog: Logger,
  clock = systemClock,
): Promise<RunningGateway> {
  const { node: gateway, key } = openFolder(config, processLog)
  const node = `${gateway}-0`
  const log = processLog.child({ node })
  const logLevel = new LogLevel(log)
  const workers = workerNames(gateway, config.workers)
  const store = { ...config.store, key: storeSecret(config, config.data_dir) }
  const shared = { ...config, cluster: { key }, store }
  const leaving = { drainDelay: 0 }
  const running = await primaryParts.start(
    { config, clock, log, node, gateway, workers, shared, logLevel, leaving, broadcast: undefined },
    { log },
  )
  const { pool, served, sockets } = running.parts
  log.info({ workers: config.workers }, 'started')
  return {
    ...urlsOf(config, sockets.addresses, (served.tls?.pairs.length ?? 0) > 0),
    ...{ log, logLevel },
    contents: () => pool.contents,
    tls: () => served.tls,
    useTls(setup) {
      served.tls = setup
      pool.tell('tls', setup)
    },
    loadFiles(patterns) {
      // a worker that takes the place of another one reads them, too
      served.files = filesOf(patterns)
      return pool.loadFiles(served.files)
    },
    isReady: () => pool.areAllReady,
    async stop(drainDelay) {
      log.info({ drain_delay: drainDelay }, 'stopping')
      leaving.drainDelay = drainDelay
      await running.stop()
      log.info('stopped')
    },
  }
}

type Needs<Name extends keyof PrimaryPorts> = Pick<PrimaryPorts, Name>

function openServed({ config, clock, log }: Needs<'config' | 'clock' | 'log'>): Served {
  return { tls: openTls(config, clock, log), files: filesOf(config) }
}

async function openSockets({ config }: Needs<'config'>): Promise<ListeningSockets> {
  const sockets = new ListeningSockets()
  await sockets.open(config, config.workers * config.limits.max_connections)
  return sockets
}

/** Undefined with an external router. */
async function openHost({
  config,
  ...ports
}: Needs<'config' | 'clock' | 'log' | 'node'>): Promise<RouterHost | undefined> {
  if (config.wamp.url !== undefined) return undefined
  return await startRouterHost({ ...ports, config, workers: undefined, broadcast: undefined })
}

/** The numbers of the primary itself. */
function openMetrics({
  clock,
  host,
}: Needs<'clock'> & { readonly host: RouterHost | undefined }): Metrics {
  return new Metrics({
    families: new Families({ now: () => clock.now() }),
    sources: {
      gateway_router_sessions: {
        help: 'All sessions on the embedded router.',
        read: () => host?.sessionCount() ?? 0,
      },
      ...(host && { ...limitSources(host.usage), ...loginSources(host.logins) }),
    },
  })
}

/** The other parts that the pool needs. */
interface PoolParts {
  readonly host: RouterHost | undefined
  readonly members: Members
  readonly metrics: Metrics
  readonly served: Served
  readonly sockets: ListeningSockets
}

async function startPool({
  host,
  metrics,
  served,
  shared,
  ...ports
}: Omit<PrimaryPorts, 'broadcast' | 'node'> & PoolParts): Promise<WorkerPool> {
  const { config, gateway, logLevel, sockets, workers } = ports
  const pool = new WorkerPool({
    ...ports,
    config: { ...config, node: gateway },
    settingsOf: (name, isReplacement) => ({
      ...{ addresses: sockets.addresses, tls: served.tls },
      workers,
      routerSocket: host?.socketPath,
      config: {
        ...shared,
        node: name,
        ...served.files,
        log: { ...config.log, level: logLevel.current },
        // a file that is refused later ends no gateway that serves
        fail_on_refused_files: config.fail_on_refused_files && !isReplacement,
      },
    }),
    refreshRouter: async () => host?.refresh(),
    metrics: () => metrics.own(),
  })
  logLevel.onChange = (level) => pool.tell('logLevel', level)
  await pool.start()
  return pool
}
