/** `start`: the gateway as a process: configuration in, component started, signals obeyed. */
import { systemClock } from '#component/clock.ts'
import { type RunningGateway, startComponent } from '#component/component.ts'
import {
  type Config,
  ConfigError,
  maskConfig,
  optionVariables,
  readConfig,
} from '#component/config/config.ts'
import { type Demo, demoConfig, demoSettings, startDemo } from '#component/demo.ts'
import { messageOf } from '#component/errors.ts'
import { openLog } from '#component/log.ts'
import { openReload, type Reloads, watchedState } from '#component/reload/open-reload.ts'
import { startWorkers } from '#component/workers/primary.ts'
import { CommandError, exitCode, type Invocation, type Run } from './command.ts'
import { endProcess, hasLostTerminal, obeySignals } from './signals.ts'

/** `start`: reads the configuration and serves until a signal ends the process. */
export const start: Run = async (invocation) => {
  checkParser()
  const file = invocation.option('config')
  const settings = invocation.options('set')
  const isDemo =
    file === undefined &&
    optionVariables(invocation.environment).length === 0 &&
    settings.every((setting) => setting.startsWith('workers='))
  const read = () =>
    isDemo
      ? readOptions(demoConfig, [...demoSettings, ...settings], invocation.environment)
      : readOptions(file, settings, invocation.environment)
  const config = read()
  const log = openLog(config.log.level)
  log.info({ config: maskConfig(config), node_version: process.version }, 'starting')
  if (process.platform === 'linux' && process.env.MALLOC_MMAP_THRESHOLD_ === undefined) {
    log.info(
      { setting: 'MALLOC_MMAP_THRESHOLD_' },
      'the environment variable is not set: with glibc, password checks leave up to 20 MB per thread allocated (docs/operations.md, "Stopping")',
    )
  }
  const state = await watchedState(config, file)
  const open = config.workers > 1 ? startWorkers : startComponent
  const component = await open(config, log).catch((cause: unknown) => {
    if (cause instanceof ConfigError) throw new CommandError(exitCode.config, cause.message)
    log.fatal({ err: cause }, 'the component did not start')
    throw new CommandError(exitCode.software, messageOf(cause))
  })
  const reloads = openReload({
    gateway: component,
    clock: systemClock,
    file,
    ...{ config, state },
    readConfig: read,
  })
  await serve(component, config, reloads, isDemo)
  return undefined
}

/** @throws CommandError when Node's lenient HTTP parser is on */
function checkParser(): void {
  const options = `${process.execArgv.join(' ')} ${process.env.NODE_OPTIONS ?? ''}`
  if (!options.includes('insecure-http-parser')) return
  throw new CommandError(
    exitCode.config,
    "Node's option --insecure-http-parser allows request smuggling: start without it",
  )
}

function readOptions(
  file: string | undefined,
  settings: readonly string[],
  environment: Invocation['environment'],
): Config {
  const flags = settings.map((setting): [string, string] => {
    const at = setting.indexOf('=')
    return at < 0 ? [setting, 'true'] : [setting.slice(0, at), setting.slice(at + 1)]
  })
  try {
    return readConfig(file, environment, Object.fromEntries(flags))
  } catch (cause) {
    if (cause instanceof ConfigError) throw new CommandError(exitCode.config, cause.message)
    throw cause
  }
}

/** Obeys the signals of the process from now on, and prints the addresses; with the demonstration's backend, if asked for. */
async function serve(
  component: RunningGateway,
  config: Config,
  reloads: Reloads,
  isDemo: boolean,
): Promise<void> {
  const { log, logLevel } = component
  let demo: Demo | undefined
  let isStopping = false

  /** Leaves in the order of behaviour: Several nodes, "Draining". A second signal ends at once. */
  async function stop(drainDelay: number, code: number): Promise<void> {
    if (isStopping) endProcess(1)
    isStopping = true
    reloads.close()
    demo?.stop()
    try {
      await component.stop(drainDelay)
      process.exitCode = code
    } catch (cause) {
      log.error({ err: cause }, 'the component did not stop cleanly')
      process.exitCode = 1
    }
    if (hasLostTerminal()) endProcess(code)
    // an open socket of a library must not keep a stopped gateway alive
    setTimeout(() => process.exit(), 500).unref()
  }

  function stopWithTerminal(): void {
    if (!isStopping) void stop(config.gateway.drain_delay, 0)
  }

  obeySignals({
    SIGHUP() {
      if (hasLostTerminal()) stopWithTerminal()
      else reloads.reload('SIGHUP')
    },
    SIGUSR2: () => logLevel.toggleDebug('SIGUSR2'),
  })
  process.on('SIGTERM', () => void stop(config.gateway.drain_delay, 0))
  process.on('SIGINT', () => void stop(0, 0))
  process.on('uncaughtException', (cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EIO' && hasLostTerminal()) {
      stopWithTerminal()
      return
    }
    log.fatal({ err: cause }, 'uncaught exception')
    // after an uncaught exception, the stop has less time
    setTimeout(() => endProcess(exitCode.software), 5_000).unref()
    void stop(0, exitCode.software)
  })

  const urls = {
    gateway: component.gatewayUrls,
    admin: component.adminUrls,
    health: component.healthUrls,
    router: [component.routerUrl],
  }
  for (const [name, list] of Object.entries(urls)) {
    if (list.length > 0) process.stdout.write(`${name.padEnd(8)} ${list.join(' ')}\n`)
  }
  if (isDemo) {
    demo = await startDemo(component)
    if (demo === undefined) void stop(0, exitCode.software)
  }
}
