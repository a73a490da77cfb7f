/** Rows that strangers make: Idempotency-Keys and quotas, of which each request brings a new one. What was promised to another user holds. */
import { Agent } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { type HttpAnswer, send } from '#test/support/http-request.ts'
import type { Attack, Target } from './attack.ts'
import { pause } from './sockets.ts'

/** Clients of strangers at once. */
const clients = 20

/** Rows and bytes of a table of the store. */
function counted({ dataDir }: Target, query: string): Readonly<Record<string, number>> {
  const database = new DatabaseSync(`${dataDir}/gateway.db`, { readOnly: true })
  try {
    return Object.fromEntries(
      Object.entries(database.prepare(query).get() ?? {}).map(([name, n]) => [name, Number(n)]),
    )
  } finally {
    database.close()
  }
}

const agentFrom = (localAddress: string) => new Agent({ keepAlive: true, localAddress })

/** Sends requests from the address of strangers without a pause, each with another number. */
async function flood(signal: AbortSignal, ask: (number: number, agent: Agent) => Promise<unknown>) {
  const agent = agentFrom('127.0.0.1')
  let number = 0
  const client = async () => {
    while (!signal.aborted) await ask(number++, agent).catch(() => undefined)
  }
  await Promise.all(Array.from({ length: clients }, client))
  agent.destroy()
}

const keys = { rows: 5_000, ofOne: 500, bytes: 20_000_000 }

export const keysOfStrangers: Attack = {
  name: 'strangers-keys',
  about: `${clients} clients that bring a new Idempotency-Key with 20 kB each time, beside a user who repeats an order`,
  settings: {
    'idempotency.max_rows': String(keys.rows),
    'idempotency.max_rows_per_user': String(keys.ofOne),
    'idempotency.max_bytes': String(keys.bytes),
  },
  async run(target, signal, report) {
    const user = agentFrom('127.0.0.3')
    const order = (agent: Agent, key: string, body: string): Promise<HttpAnswer> =>
      send(target.url, target.paths.orders, {
        ...{ method: 'POST', agent, body },
        headers: { host: 'x', 'idempotency-key': key, 'content-type': 'text/plain' },
      })
    const say = (what: string, { status, text }: HttpAnswer) =>
      report(`${what}: ${status} ${text.slice(0, 100)}`)
    const first = await order(user, 'mine', 'mine')
    if (first.status !== 200) say('the first order of the user', first)
    const text = 'x'.repeat(20_000)
    const flooding = flood(signal, (number, agent) => order(agent, `key-${number}`, text))
    for (let round = 0; !signal.aborted; round++) {
      const repeat = await order(user, 'mine', 'mine')
      if (repeat.headers['idempotency-replayed'] !== 'true') say('the repeat of the user', repeat)
      const next = await order(user, `mine-${round}`, 'mine')
      if (next.status !== 200) say('a new order of the user', next)
      await pause(200, signal)
    }
    await flooding
    user.destroy()
    const query = 'select count(*) as count, sum(bytes) as bytes from idempotent_answers'
    const { count = 0, bytes = 0 } = counted(target, query)
    // each client may have one under way when the bound is reached
    const most = keys.ofOne + clients + 200
    if (count > most) report(`${count} keys are kept (${most} allowed)`)
    const mostBytes = keys.bytes * (keys.ofOne / keys.rows) + 1_000_000
    if (bytes > mostBytes) report(`${bytes} bytes of answers are kept (${mostBytes} allowed)`)
  },
}

const knownUses = 1_000

export const quotasOfStrangers: Attack = {
  name: 'strangers-quotas',
  about: `${clients} clients that each time name another tenant, for which a quota counts`,
  settings: { 'limits.rate_limit_keys': String(knownUses) },
  async run(target, signal, report) {
    const statuses = new Set<number>()
    await flood(signal, async (number, agent) => {
      const headers = { host: 'x', 'x-tenant': `tenant-${number}` }
      const { status } = await send(target.url, target.paths.metered, { agent, headers })
      statuses.add(status)
    })
    const { count = 0 } = counted(target, 'select count(*) as count from quota_usage')
    for (const status of statuses) {
      if (![200, 429, 503].includes(status)) report(`a tenant was answered by ${status}`)
    }
    if (count > knownUses) report(`${count} rows of quotas (${knownUses} allowed)`)
  },
}
