/** The program of one worker: a whole gateway, but for the listening sockets and the embedded router, which are in the primary. */
import { systemClock } from '#component/clock.ts'
import { type Component, startComponent } from '#component/component.ts'
import { ConfigError } from '#component/config/config.ts'
import { messageOf } from '#component/errors.ts'
import { openProcessLog } from '#component/log.ts'
import { progressOn } from '#component/terminal/progress.ts'
import type { WorkerPorts } from '#component/wiring/worker-ports.ts'
import { type MetricValues, noMetrics } from '#http/management/metrics.ts'
import { Channel } from './ipc-channel.ts'
import type { Settings, ToPrimary, ToWorker } from './ipc-messages.ts'
import { WorkerListener } from './worker-listener.ts'

/** sysexits.h: something in the configuration is wrong; an internal error. */
const [exitConfig, exitSoftware] = [78, 70]

/** How long a stop may take after an uncaught exception, and otherwise beyond `drain_timeout`; milliseconds. */
const brokenLimit = 5_000
const stopGrace = 10_000

/** The rest of the log is written within this time; milliseconds. */
const logGrace = 1_000

/** How long a token may be waited for that another worker fetches, metadata of its server included; milliseconds. */
const tokenLimit = 12_000

/** Milliseconds between two checks of whether the worker is ready. */
const readyInterval = 50

let workerListener: WorkerListener | undefined
let component: Component | undefined
let readMetrics = (): Promise<MetricValues> => Promise.resolve(noMetrics)
let refresh = (): Promise<void> => Promise.resolve()
let hearHealth: Parameters<WorkerPorts['hearHealth']>[0] = () => undefined
let areAllReady = false
let drainTimeout = 0
let { log } = openProcessLog({ level: 'info', format: 'auto', isShared: true })
/** Changes that came while this worker was starting. */
const early: ((component: Component) => void)[] = []

const primary = new Channel<ToWorker, ToPrimary>(
  process,
  {
    start: (settings) => void start(settings),
    take: (listener, socket) => (socket && workerListener?.take(listener, socket)) ?? false,
    allReady: () => {
      areAllReady = true
    },
    metrics: () => readMetrics(),
    refresh: () => refresh(),
    health: (told) => hearHealth(told),
    logLevel: (level) => {
      log.level = level
      change(({ logLevel }) => logLevel.follow(level))
    },
    tls: (setup) => change((gateway) => gateway.useTls(setup)),
    refusedFiles: (refused) => change((gateway) => gateway.showRefused(refused)),
    loadFiles(patterns) {
      if (!component) throw new Error('the worker is starting')
      return component.loadFiles(patterns)
    },
    stop: (drainDelay) => stop(drainDelay),
  },
  systemClock,
)

/** Changes the gateway, as soon as it has started. */
function change(make: (gateway: Component) => void): void {
  if (component) make(component)
  else early.push(make)
}

async function start(settings: Settings): Promise<void> {
  const { config, workers, addresses, tls, routerSocket } = settings
  const progress = progressOn(process.stderr, systemClock)
  const options = { ...config.log, isShared: true, isQuietAtStart: true }
  const processLog = openProcessLog(options, progress)
  log = processLog.log.child({ node: config.node })
  const ownListener = new WorkerListener({
    addresses,
    onOpen: () => primary.tell('open', null),
    onClose: () => primary.tell('closed', null),
  })
  workerListener = ownListener
  const ports: WorkerPorts = {
    ...{ tls, workers },
    listen: ownListener.listen,
    siblings: {
      answerBy: (read) => {
        readMetrics = read
      },
      // without an answer of the primary, at least this process is shown
      gather: () => primary.ask('gather', null).catch(() => []),
    },
    router:
      routerSocket === undefined
        ? undefined
        : {
            socketPath: routerSocket,
            refresh: () => primary.ask('refreshRouter', null),
          },
    areAllReady: () => areAllReady,
    refreshBy: (own) => {
      refresh = own
    },
    tellHealth: (told) => primary.tell('health', told),
    hearHealth: (hear) => {
      hearHealth = hear
    },
    tokenShare: {
      ask: (question) => primary.ask('token', question, { limit: tokenLimit }),
      tell: (news) => primary.tell('tokenNews', news),
    },
    setLogLevel: (level, by) => primary.ask('setLogLevel', { level, by }),
    refreshOthers: () =>
      primary
        .ask('refreshOthers', null)
        .catch((err: unknown) =>
          log.warn(
            { err },
            'the other workers could not be told of a change: they read it with their next heartbeat',
          ),
        ),
  }
  drainTimeout = config.gateway.drain_timeout
  try {
    component = await startComponent(config, processLog.log, systemClock, {
      worker: ports,
      progress,
    })
    for (const make of early) make(component)
    processLog.hasStarted()
    primary.tell('started', null)
    awaitReadiness(component)
  } catch (cause) {
    const isConfig = cause instanceof ConfigError
    const message = messageOf(cause)
    if (!isConfig) log.fatal({ err: cause }, 'the worker did not start')
    await primary.ask('failed', { message, isConfig }).catch(() => {})
    process.exit(isConfig ? exitConfig : exitSoftware)
  }
}

function awaitReadiness(started: Component): void {
  if (started.isReady()) primary.tell('ready', started.contents())
  else systemClock.after(readyInterval, () => awaitReadiness(started))
}

let stopped: Promise<void> | undefined

/** Stops once, however often it is called. */
function stop(drainDelay: number): Promise<void> {
  stopped ??= component?.stop(drainDelay) ?? Promise.resolve()
  return stopped
}

function end(code: number): void {
  stop(0)
    .catch((err: unknown) => log.error({ err }, 'the worker did not stop cleanly'))
    .finally(() => process.exit(code))
}

/**
 * Ends after the primary has stopped this worker, or has ended: no connection arrives any more. An exit would retry to write the rest
 * of the log, without end where nobody reads it (sonic-boom 4.2.1, `flushSync`): it comes once all is written, or not at all.
 */
function endAlone(): void {
  const kill = () => process.kill(process.pid, 'SIGKILL')
  setTimeout(kill, drainTimeout + stopGrace).unref()
  stop(0)
    .catch((err: unknown) => log.error({ err }, 'the worker did not stop cleanly'))
    .finally(() => {
      setTimeout(kill, logGrace)
      log.flush((failure: NodeJS.ErrnoException | null | undefined) => {
        // all is written; a pipe cannot be synced
        if (!failure || failure.code === 'EINVAL') process.exit(0)
      })
    })
}

process.once('disconnect', endAlone)
// it may have gone while this program was being read
if (!process.connected) endAlone()
// these may go to all processes of a terminal or a service: the primary decides and tells the workers
for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR2']) process.on(signal, () => {})
process.on('SIGTERM', () => primary.tell('leave', null))
process.on('uncaughtException', (cause) => {
  log.fatal({ err: cause }, 'uncaught exception')
  setTimeout(() => process.exit(exitSoftware), brokenLimit).unref()
  end(exitSoftware)
})
