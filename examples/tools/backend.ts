/** The backend of the tools example: orders, and a report that tells how far it is. */
import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import autobahn from 'autobahn'

const [given] = process.argv.slice(2)
const url = given ?? `ws://${process.env.GATEWAY_GATEWAY__LISTEN ?? '127.0.0.1:18080'}/ws`

/** The gateway of this example, which is started, too, without the URL of a router. */
const gateway = given === undefined ? startGateway() : undefined

function startGateway(): ChildProcess {
  const command = join(import.meta.dirname, '../../bin/wamp-gateway.mjs')
  const configuration = join(import.meta.dirname, 'gateway.yaml')
  const started = spawn(process.execPath, [command, 'start', '--config', configuration], {
    stdio: 'inherit',
  })
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => started.kill(signal))
  started.once('exit', (code) => process.exit(process.exitCode ?? code ?? 1))
  return started
}

interface Order {
  readonly id: number
  readonly sku: string
  readonly amount: number
  readonly state: 'open' | 'sent'
}

const orders: Order[] = [
  { id: 1, sku: 'tea', amount: 2, state: 'open' },
  { id: 2, sku: 'coffee', amount: 1, state: 'sent' },
]

function getOrder([id]: readonly unknown[]): Order {
  const found = orders.find((order) => String(order.id) === id)
  if (found) return found
  throw new autobahn.Error('com.example.tools.error.no_such_order', ['there is none'], { id })
}

const listOrders = (_args: readonly unknown[], { state }: { state?: string }): Order[] =>
  orders.filter((order) => state === 'any' || order.state === state).toReversed()

function createOrder(_args: readonly unknown[], { sku, amount }: { sku: string; amount: number }) {
  const order: Order = { id: orders.length + 1, sku, amount, state: 'open' }
  orders.push(order)
  return order
}

/** Of a report: how many pages it has, and how long each of them takes; milliseconds. */
const pages = 5
const pageTime = 300

/** What a callee knows of a call; `progress` is there when the caller wants progressive results. */
interface Invocation {
  readonly progress?: (args: readonly unknown[]) => void
}

async function buildReport([month]: readonly unknown[], _kwargs: object, call: Invocation) {
  for (let page = 1; page <= pages; page++) {
    await new Promise((resolve) => setTimeout(resolve, pageTime))
    call.progress?.([`page ${page} of ${pages}`])
  }
  return { report: String(month), pages }
}

// while the gateway starts, each attempt to join would be a warning
autobahn.log.warn = () => undefined
const connection = new autobahn.Connection({
  url,
  realm: 'com.example.tools',
  max_retries: -1,
  initial_retry_delay: 0.1,
  max_retry_delay: 2,
})
let hasJoined = false

// autobahn tries again after a lost connection, but neither after a GOODBYE, as when the gateway restarts, nor after a refusal
connection.onclose = (_cause, { reason, message }) => {
  if (!reason) return
  if (hasJoined) {
    setTimeout(() => connection.open(), 1000)
    return
  }
  process.stderr.write(
    `the router refuses this backend on the realm com.example.tools: load the realm (${reason}: ${message})\n`,
  )
  // it ends with the gateway that it has started
  process.exitCode = 1
  if (gateway) gateway.kill()
  else process.exit()
}

connection.onopen = async (session) => {
  hasJoined = true
  await session.register('com.example.tools.get_order', getOrder)
  await session.register('com.example.tools.list_orders', listOrders)
  await session.register('com.example.tools.create_order', createOrder)
  await session.register('com.example.tools.build_report', buildReport)
  process.stdout.write('the orders and the report are registered\n')
}

connection.open()
