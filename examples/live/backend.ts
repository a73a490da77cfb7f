/** The backend of the live example: a counter that publishes each change, a report that tells how far it is, and the page that shows both. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import autobahn from 'autobahn'

const folder = import.meta.dirname
const [given] = process.argv.slice(2)
const url = given ?? `ws://${process.env.GATEWAY_GATEWAY__LISTEN ?? '127.0.0.1:18080'}/ws`

// without the URL of a router the gateway of this example is started, too
if (given === undefined) {
  const configuration = join(folder, 'gateway.yaml')
  const command = ['wamp-gateway', 'start', '--config', configuration]
  const gateway = spawn('npx', command, { stdio: 'inherit' })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => gateway.kill(signal))
  gateway.once('exit', (code) => process.exit(code ?? 1))
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
  process.exit(1)
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
