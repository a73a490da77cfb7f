/** A Python client that keeps to what RateLimit fields tell is never refused, by one process or by several. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { expect } from 'chai'
import { startGatewayProcess } from '#test/support/gateway-process.ts'
import { pythonProgram } from '#test/support/peers/python-environment.ts'

/** What rate_limit_client.py prints. */
interface Seen {
  readonly statuses: Readonly<Record<string, number>>
  readonly waits: number
}

const requests = 100

const document = {
  ...{ id: 'com.example.limited', host: '_', realm_uri: 'com.example.test' },
  versions: {
    one: {
      base_path: '/limited',
      paths: {
        '/here': {
          rate_limit: { amount: 30, window: 2 },
          get: { action: { type: 'static', body: 'here' }, response: {} },
        },
      },
    },
  },
}

/** @throws Error with what it says on stderr */
async function runClient(url: string): Promise<Seen> {
  const child = spawn(pythonProgram('python'), [join(import.meta.dirname, 'rate_limit_client.py')])
  const ended = once(child, 'close') as Promise<[number | null]>
  const printed = Promise.all([text(child.stderr), json(child.stdout).catch(() => undefined)])
  child.stdin.end(JSON.stringify({ url, requests }))
  const [[stderr, seen], [code]] = await Promise.all([printed, ended])
  if (code !== 0) throw new Error(stderr)
  return seen as Seen
}

describe('a Python client that keeps to RateLimit fields', () => {
  for (const workers of [1, 4]) {
    it(`is not refused by ${workers} ${workers === 1 ? 'process' : 'workers'}`, async () => {
      const gateway = await startGatewayProcess({ workers: String(workers) })
      try {
        await gateway.post('/api_specs', document)
        const { statuses, waits } = await runClient(`${gateway.url}/limited/here`)
        expect(statuses).to.deep.equal({ 200: requests })
        expect(waits).to.be.greaterThan(0)
      } finally {
        await gateway.stop()
      }
    })
  }
})
