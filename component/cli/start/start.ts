/** `start`: the gateway as a process: configuration in, component started, signals obeyed. */
import { CommandError, exitCode, type Invocation, type Run } from '#component/cli/command.ts'
import { endProcess, hasLostTerminal, obeySignals, onInterrupt } from '#component/cli/signals.ts'
import { systemClock } from '#component/clock.ts'
import { startComponent } from '#component/component.ts'
import { changedOptions } from '#component/config/changed-options.ts'
import {
  type Config,
  ConfigError,
  keysOf,
  optionVariables,
  readConfig,
} from '#component/config/config.ts'
import { maskConfig } from '#component/config/mask-config.ts'
import { openProcessLog, type ProcessLog } from '#component/log.ts'
import { openReload, type Reloads, watchedState } from '#component/reload/open-reload.ts'
import type { RunningGateway } from '#component/running-gateway.ts'
import { fieldText } from '#component/terminal/log-line.ts'
import { startWorkers } from '#component/workers/primary.ts'
import { refusalsToStart } from '#http/management/access.ts'
import { announce } from './announcement.ts'
import {
  type Demo,
  demoCommand,
  demoConfig,
  demoSettings,
  isDemonstration,
  startDemo,
} from './demo.ts'
import { explain, textOf } from './failure.ts'

/** `start`: reads the configuration and serves until a signal ends the process. */
export const start: Run = async (invocation) => {
  checkParser()
  const file = invocation.option('config')
  const settings = invocation.options('set')
  const variables = optionVariables(invocation.environment)
  const isDemo = isDemonstration(file, [
    ...settings.map((setting) => flagOf(setting)[0]),
    ...variables.map(([name]) => keysOf(name).join('.')),
  ])
  const read = () =>
    isDemo
      ? readOptions(demoConfig, [...demoSettings, ...settings], invocation.environment)
      : readOptions(file, settings, invocation.environment)
  const config = read()
  const wrong = refusalsToStart(config)
  if (wrong.length > 0) throw new CommandError(exitCode.config, wrong.join('\n'))
  const { workers } = config
  const { progress } = invocation
  const options = { ...config.log, isShared: workers > 1, isQuietAtStart: true }
  const processLog = openProcessLog(options, progress)
  const { log } = processLog
  if (processLog.isForPeople) tellOptions(config, isDemo)
  else {
    const { pid, version: node_version } = process
    log.info({ pid, config: maskConfig(config), node_version }, 'starting')
  }
  // with glibc, password checks leave up to 20 MB per thread allocated: docs/operations.md, "Stopping"
  if (process.platform === 'linux' && process.env.MALLOC_MMAP_THRESHOLD_ === undefined)
    log.debug({ setting: 'MALLOC_MMAP_THRESHOLD_' }, 'the environment variable is not set')
  const state = await watchedState(config, file)
  const open =
    workers > 1 ? startWorkers(config, log) : startComponent(config, log, systemClock, { progress })
  const component = await open.catch((cause: unknown) => {
    progress.clear()
    throw startError(cause, config, processLog)
  })
  const reloadPorts = {
    gateway: component,
    clock: systemClock,
    file,
    config,
    state,
    readConfig: read,
  }
  await serve(component, config, { processLog, reloads: openReload(reloadPorts) }, isDemo)
  return undefined
}

/** Prints the options that differ from their defaults. The demonstration prints none, because the user has chosen none. */
function tellOptions(config: Config, isDemo: boolean): void {
  const changed = isDemo ? [] : Object.entries(changedOptions(config))
  const words = changed.map(([key, value]) => `${key}=${fieldText(value)}`)
  if (words.length > 0) process.stdout.write(`options  ${words.join(' ')}\n`)
}

/** The error that ends a failed start. An error of the system without a known explanation is logged with its stack. */
function startError(
  cause: unknown,
  config: Config,
  { log, isForPeople }: ProcessLog,
): CommandError {
  const explanation = explain(cause, config)
  const text = textOf(explanation)
  const { problem: reason, hint } = explanation
  if (cause instanceof ConfigError) {
    if (!isForPeople) log.fatal({ reason, hint }, 'the component did not start')
    return new CommandError(exitCode.config, text)
  }
  // people read standard error in the same place
  if (!isForPeople || hint === undefined)
    log.fatal({ err: cause, hint }, 'the component did not start')
  return new CommandError(exitCode.software, text)
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

/** The key and the value of one `--set`. */
function flagOf(setting: string): readonly [key: string, value: string] {
  const at = setting.indexOf('=')
  return at < 0 ? [setting, 'true'] : [setting.slice(0, at), setting.slice(at + 1)]
}

function readOptions(
  file: string | undefined,
  settings: readonly string[],
  environment: Invocation['environment'],
): Config {
  try {
    return readConfig(file, environment, Object.fromEntries(settings.map(flagOf)))
  } catch (cause) {
    if (cause instanceof ConfigError)
      throw new CommandError(exitCode.config, textOf(explain(cause)))
    throw cause
  }
}

/** Obeys the signals of the process from now on, and tells that it serves; with the demonstration's backend, if asked for. */
async function serve(
  component: RunningGateway,
  config: Config,
  { processLog, reloads }: { readonly processLog: ProcessLog; readonly reloads: Reloads },
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
  onInterrupt(systemClock, () => void stop(0, 0))
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

  const out = (text: string) => void process.stdout.write(text)
  if (isDemo) {
    demo = await startDemo(component.routerUrl, {
      onLine: (line) =>
        processLog.isForPeople ? out(`hello | ${line}\n`) : log.info({ program: 'hello' }, line),
      onError: (line) => void process.stderr.write(`hello | ${line}\n`),
      onEnd: () => log.error({ program: 'hello' }, 'the backend of the example has ended'),
    })
    if (demo === undefined) return await stop(0, exitCode.software)
  }
  const command = isDemo ? demoCommand(component.gatewayUrls[0] ?? '') : undefined
  const told = { gateway: component, processLog, clock: systemClock, command, out }
  await announce({ ...told, isStopping: () => isStopping })
}
