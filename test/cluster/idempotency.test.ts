/**
 * Requests with an Idempotency-Key, each sent three times at once to two gateways on one PostgreSQL that are killed again and again: a
 * callee in Python acts for each key at most once. Needs Debian's PostgreSQL.
 */
import { expect } from 'chai'
import { randomFrom } from '#test/fuzz/random.ts'
import { type PythonPeer, startPythonPeer } from '#test/python/peer.ts'
import { type Postgres, startPostgres } from '#test/support/peers/postgres.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { clusterKey, holdsWithin, postJson } from './cluster.ts'
import { ClusterNode } from './cluster-node.ts'
import { startRouterProcess } from './router-process.ts'

const realm_uri = 'com.example.test'
const keys = rounds(400, 10_000)
/** Keys under way at once. */
const atOnce = 32
const copies = 3

const response = { on_result: { body: '{{action.result.args |> head}}' }, on_error: {} }
const document = {
  ...{ id: 'com.example.charges', host: '_', realm_uri },
  versions: {
    '1.0': {
      base_path: '/v1',
      paths: {
        '/charges': {
          ...{ timeout: 500, idempotency: { required: true } },
          post: {
            action: {
              type: 'wamp_call',
              procedure: 'com.example.charge',
              args: ['{{request.headers.idempotency-key}}'],
            },
            response: { ...response, on_result: { ...response.on_result, status_code: 201 } },
          },
        },
        '/counts': {
          timeout: 20_000,
          get: { action: { type: 'wamp_call', procedure: 'com.example.charges' }, response },
        },
      },
    },
  },
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** What a client gets in the end. */
interface Final {
  readonly status: number
  readonly text: string
}

describe('two gateways on one PostgreSQL that are killed', function () {
  this.timeout(rounds(180_000, 1_800_000))
  let server: Postgres
  let router: Awaited<ReturnType<typeof startRouterProcess>>
  let callee: PythonPeer
  const nodes: ClusterNode[] = []

  before(async () => {
    server = await startPostgres()
    router = await startRouterProcess()
    callee = await startPythonPeer(router.url, realm_uri, 'charger.py')
    const settings = {
      'store.url': await server.database(),
      'store.key': 'the key of all these gateways',
      'cluster.key': clusterKey,
      'wamp.url': router.url,
    }
    for (const name of ['node-1', 'node-2']) {
      const node = await ClusterNode.make({ name, settings })
      nodes.push(node)
      await node.start()
    }
    const { status } = await postJson(`${nodes[0]?.adminUrl}/api_specs`, document)
    expect(status).to.be.oneOf([200, 201])
  })
  after(async () => {
    for (const node of nodes) await node.discard()
    await callee?.stop()
    await router?.stop()
    await server?.remove()
  })

  it('perform a request with a key at most once, and give all its copies one answer', async () => {
    const random = randomFrom(21)
    const any = (): ClusterNode => nodes[Math.floor(random() * nodes.length)] as ClusterNode

    /** Sends as a client does: again after a lost connection, and while it is told that it may. */
    const send = async (key: string): Promise<Final> => {
      for (;;) {
        const answer = await fetch(`${any().url}/v1/charges`, {
          method: 'POST',
          headers: { 'idempotency-key': key },
          signal: AbortSignal.timeout(10_000),
        })
          .then(async (got) => ({ got, text: await got.text() }))
          .catch(() => undefined)
        if (answer) {
          const { got, text } = answer
          const isReplayed = got.headers.has('idempotency-replayed')
          const isUnknown = got.status === 409 && !got.headers.has('retry-after')
          if (got.status === 201 || isReplayed || isUnknown) return { status: got.status, text }
          expect(got.status, text).to.be.oneOf([404, 409, 502, 503, 504])
        }
        await pause(50 + random() * 100)
      }
    }

    const finals = new Map<string, readonly Final[]>()
    let next = 0
    const client = async () => {
      while (next < keys) {
        const key = `key-${next}`
        next += 1
        finals.set(key, await Promise.all(Array.from({ length: copies }, () => send(key))))
      }
    }
    let isOver = false
    let kills = 0
    const killer = async () => {
      while (!isOver) {
        await pause(100 + random() * 400)
        const node = any()
        await node.end('SIGKILL')
        kills += 1
        await node.start()
      }
    }
    const killing = killer()
    await Promise.all(Array.from({ length: atOnce }, client))
    isOver = true
    await killing

    let counts: Readonly<Record<string, number>> = {}
    const told = await holdsWithin(60_000, async () => {
      const answer = await fetch(`${nodes[0]?.url}/v1/counts`).catch(() => undefined)
      if (answer?.status !== 200) return false
      counts = (await answer.json()) as Record<string, number>
      return true
    })
    expect(told).to.equal(true)
    const twice = Object.entries(counts).filter(([, count]) => count > 1)
    expect(twice).to.deep.equal([])
    let answered = 0
    for (const [key, all] of finals) {
      const good = all.filter(({ status }) => status === 201)
      // copies that are told before the answer is kept do not know it
      expect(new Set(good.map(({ text }) => text)).size, key).to.be.at.most(1)
      if (good.length === 0) continue
      answered += 1
      expect(counts[key], key).to.equal(1)
    }
    console.log(
      `      ${keys} keys × ${copies}, ${kills} kills: ${Object.keys(counts).length} acted for, none twice; ${answered} answered, ${keys - answered} unknown`,
    )
    expect(kills).to.be.greaterThan(1)
    // a kill leaves at most the keys that are under way unknown
    expect(keys - answered).to.be.at.most(kills * atOnce)
  })
})
