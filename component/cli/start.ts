/** The entry point: configuration in, component started, signals obeyed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { type Config, ConfigError, maskConfig, readConfig } from '#component/config/config.ts'
import { optionsHelp } from '#component/config/config-docs.ts'
import { startComponent } from './component.ts'
import { type Demo, demoConfig, startDemo } from './demo.ts'
import { messageOf } from './errors.ts'
import { openLog } from './log.ts'
import { startWorkers } from './workers/primary.ts'

/** sysexits.h: something in the configuration is wrong. */
const exitConfig = 78
/** sysexits.h: an internal error. */
const exitSoftware = 70

const root = join(import.meta.dirname, '..')

const help = `wamp-gateway: HTTP in front of a WAMP backend, without code

  npm start                        the hello example, on an embedded router
  npm start -- --config FILE       your own configuration (YAML or JSON)
  npm run validate -- FILE…        checks API Specifications

  --config FILE    the configuration file
  --set KEY=VALUE  one option; may be repeated; overrides file and environment
  --help           this text
  --version        the version

The environment sets options, too: GATEWAY_WAMP__URL=ws://… is wamp.url. The options (docs/configuration.md):

${optionsHelp()}
`

function fail(message: string, code: number): never {
  process.stderr.write(`${message}\n`)
  process.exit(code)
}

function readArguments() {
  try {
    const { values } = parseArgs({
      options: {
        config: { type: 'string' },
        set: { type: 'string', multiple: true, default: [] },
        help: { type: 'boolean', default: false },
        version: { type: 'boolean', default: false },
      },
    })
    return values
  } catch (cause) {
    return fail(`${messageOf(cause)}; see --help`, exitConfig)
  }
}

function readOptions(file: string | undefined, settings: readonly string[]): Config {
  const flags = settings.map((setting): [string, string] => {
    const at = setting.indexOf('=')
    return at < 0 ? [setting, 'true'] : [setting.slice(0, at), setting.slice(at + 1)]
  })
  try {
    return readConfig(file, process.env, Object.fromEntries(flags))
  } catch (cause) {
    if (cause instanceof ConfigError) return fail(cause.message, exitConfig)
    throw cause
  }
}

const values = readArguments()
if (values.help) {
  process.stdout.write(help)
  process.exit(0)
}
if (values.version) {
  const text = readFileSync(join(root, 'package.json'), 'utf8')
  process.stdout.write(`${(JSON.parse(text) as { version: string }).version}\n`)
  process.exit(0)
}
if (
  `${process.execArgv.join(' ')} ${process.env.NODE_OPTIONS ?? ''}`.includes('insecure-http-parser')
) {
  fail(
    "Node's option --insecure-http-parser allows request smuggling: start without it",
    exitConfig,
  )
}

const isDemo =
  values.config === undefined &&
  !Object.keys(process.env).some((name) => name.startsWith('GATEWAY_')) &&
  values.set.every((setting) => setting.startsWith('workers='))

const config = readOptions(isDemo ? demoConfig : values.config, values.set)
const log = openLog(config.log.level)
log.info({ config: maskConfig(config), node_version: process.version }, 'starting')
if (process.platform === 'linux' && process.env.MALLOC_MMAP_THRESHOLD_ === undefined) {
  log.info(
    { setting: 'MALLOC_MMAP_THRESHOLD_' },
    'the environment variable is not set: with glibc, password checks leave up to 20 MB per thread allocated (docs/operations.md, "Stopping")',
  )
}

const start = config.workers > 1 ? startWorkers : startComponent
const component = await start(config, log).catch((cause: unknown) => {
  if (cause instanceof ConfigError) return fail(cause.message, exitConfig)
  log.fatal({ err: cause }, 'the component did not start')
  return fail(messageOf(cause), exitSoftware)
})

let demo: Demo | undefined
let isStopping = false

/** Leaves in the order of behaviour: Several nodes, "Draining". A second signal ends at once. */
async function stop(drainDelay: number, code: number): Promise<void> {
  if (isStopping) process.exit(1)
  isStopping = true
  demo?.stop()
  try {
    await component.stop(drainDelay)
    process.exitCode = code
  } catch (cause) {
    log.error({ err: cause }, 'the component did not stop cleanly')
    process.exitCode = 1
  }
  // an open socket of a library must not keep a stopped gateway alive
  setTimeout(() => process.exit(), 500).unref()
}

process.on('SIGTERM', () => void stop(config.gateway.drain_delay, 0))
process.on('SIGINT', () => void stop(0, 0))
process.on('uncaughtException', (cause) => {
  log.fatal({ err: cause }, 'uncaught exception')
  // after an uncaught exception, the stop has less time
  setTimeout(() => process.exit(exitSoftware), 5_000).unref()
  void stop(0, exitSoftware)
})

process.stdout.write(
  `gateway  ${component.gatewayUrls.join(' ')}\nadmin    ${component.adminUrls.join(' ')}\nrouter   ${component.routerUrl}\n`,
)
if (isDemo) {
  demo = await startDemo(component)
  if (demo === undefined) void stop(0, exitSoftware)
}
