/** The backend of the live example: a counter that publishes each change, a report that tells how far it is, and the page that shows both. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import autobahn from 'autobahn'

const folder = import.meta.dirname
const [given] = process.argv.slice(2)
const url = given ?? `ws://${process.env.GATEWAY_GATEWAY__LISTEN ?? '127.0.0.1:18080'}/ws`

/** The gateway of this example, which is started, too, without the URL of a router. */
const gateway = given === undefined ? startGateway() : undefined

function startGateway(): ChildProcess {
  const command = join(folder, '../../bin/wamp-gateway.mjs')
  const configuration = join(folder, 'gateway.yaml')
  const started = spawn(process.execPath, [command, 'start', '--config', configuration], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => started.kill(signal))
  started.once('exit', (code) => process.exit(process.exitCode ?? code ?? 1))
  return started
}

const page = readFileSync(join(folder, 'index.html'), 'utf8')

/** Of a report: how many steps it takes, and how long each of them; milliseconds. */
const steps = 10
const stepTime = 250

/** What a callee knows of a call; `progress` is there when the caller wants progressive results. */
interface Invocation {
  readonly progress?: (args: readonly unknown[]) => void
}

async function buildReport([name]: readonly unknown[], _kwargs: object, call: Invocation) {
  for (let step = 1; step <= steps; step++) {
    await new Promise((resolve) => setTimeout(resolve, stepTime))
    call.progress?.([(100 * step) / steps])
  }
  return { report: String(name), pages: steps }
}

// while the gateway starts, each attempt to join would be a warning
autobahn.log.warn = () => undefined
const connection = new autobahn.Connection({
  url,
  realm: 'com.example.live',
  max_retries: -1,
  initial_retry_delay: 0.1,
  max_retry_delay: 2,
})
let hasJoined = false
let count = 0

// autobahn tries again after a lost connection, but neither after a GOODBYE, as when the gateway restarts, nor after a refusal
connection.onclose = (_cause, { reason, message }) => {
  if (!reason) return
  if (hasJoined) {
    setTimeout(() => connection.open(), 1000)
    return
  }
  process.stderr.write(
    `the router refuses this backend on the realm com.example.live: load the realm (${reason}: ${message})\n`,
  )
  // it ends with the gateway that it has started
  process.exitCode = 1
  if (gateway) gateway.kill()
  else process.exit()
}

connection.onopen = async (session) => {
  hasJoined = true
  /** The router retains the last event of the topic, so that whoever subscribes knows the count at once. */
  const tellCount = () =>
    session.publish('com.example.live.on_count', [count], {}, { acknowledge: true, retain: true })
  await session.register('com.example.live.page', () => page)
  await session.register('com.example.live.report', buildReport)
  await session.register('com.example.live.add', async () => {
    count += 1
    await tellCount()
    return count
  })
  await tellCount()
  process.stdout.write('the page, the counter and the report are registered\n')
}

connection.open()
