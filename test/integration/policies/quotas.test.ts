/** Quotas of running gateways: over a restart, of several workers, and what is left of them after kill -9. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect } from 'chai'
import { startGateway } from '#test/support/gateway.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'

const response = { on_result: {}, on_error: {} }
const quota = { name: 'ever', amount: 10, window: 2_678_400, per: 'all' }

const documentWith = (rule: object) => ({
  ...{ id: 'quotas', host: '_', realm_uri: 'com.example.test' },
  versions: {
    one: {
      base_path: '/quotas',
      paths: {
        '/x': { quota: rule, get: { action: { type: 'static', body: 'here' }, response } },
      },
    },
  },
})

/** What is told of `service.get_usage`. */
interface Usage {
  readonly id: string
  readonly quotas: readonly Readonly<Record<string, unknown>>[]
}

/** One request, and what is left as its answer tells. */
async function ask(url: string): Promise<{ readonly status: number; readonly left: number }> {
  const { status, headers } = await send(url, '/quotas/x')
  return { status, left: Number(/;r=(\d+)/.exec(String(headers.ratelimit))?.[1]) }
}

async function askOften(url: string, times: number): Promise<number[]> {
  const statuses: number[] = []
  for (let count = 0; count < times; count++) statuses.push((await ask(url)).status)
  return statuses
}

/** Units that a store on SQLite has. */
function storedUnits(folder: string): number {
  const database = new DatabaseSync(join(folder, 'gateway.db'), { readOnly: true })
  try {
    const row = database.prepare('select coalesce(sum(used), 0) as used from quota_usage').get()
    return Number(row?.used)
  } finally {
    database.close()
  }
}

describe('the quotas of a running gateway', () => {
  let folder: string
  const running: GatewayProcess[] = []
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'quotas-'))
  })
  afterEach(async () => {
    await Promise.all(running.splice(0).map(killAll))
    rmSync(folder, { recursive: true, force: true })
  })

  it('go on after a restart, and tell names to nobody who reads the store', async () => {
    const settings = { data_dir: folder }
    const first = await startGateway(settings, { isEmbedded: true })
    await first.load(documentWith({ ...quota, per: '{{request.headers.x-name}}' }))
    const headers = { 'x-name': 'ann-whose-name-is-secret' }
    const askAs = () => send(first.url, '/quotas/x', { headers })
    for (let count = 0; count < 4; count++) expect((await askAs()).status).to.equal(200)
    const usageOf = async (query: string) =>
      (await send(first.adminUrl, `/api_specs/quotas/usage${query}`)).json() as Usage
    const used = {
      ...{ name: 'ever', path: '/versions/one/paths/~1x/quota', window: 2_678_400, amount: 10 },
      usage: [{ sharer: 'value ann-whose-name-is-secret', used: 4, amount: 10 }],
    }
    for (const query of ['', '?key=ann-whose-name-is-secret', `?key=${used.usage[0]?.sharer}`]) {
      const { id, quotas } = await usageOf(query.replace(' ', '%20'))
      expect(id).to.equal('quotas')
      expect(quotas).to.have.length(1)
      expect(quotas[0]).to.deep.include(used)
      expect(Number(quotas[0]?.window_end) - Number(quotas[0]?.window_start)).to.equal(
        2_678_400_000,
      )
    }
    expect((await usageOf('?key=bea')).quotas[0]?.usage).to.deep.equal([])
    expect((await send(first.adminUrl, '/api_specs/other/usage')).status).to.equal(404)
    await first.stop()
    expect(storedUnits(folder)).to.equal(4)
    const database = new DatabaseSync(join(folder, 'gateway.db'), { readOnly: true })
    const rows = database.prepare('select * from quota_usage').all()
    database.close()
    expect(rows).to.have.length(1)
    expect(JSON.stringify(rows)).not.to.include('ann')

    const second = await startGateway(settings, { isEmbedded: true })
    const again = await send(second.url, '/quotas/x', { headers })
    expect(again.headers.ratelimit).to.match(/^"ever";r=5;t=\d+$/)
    const others = await send(second.url, '/quotas/x', { headers: { 'x-name': 'bea' } })
    expect(others.headers.ratelimit).to.match(/^"ever";r=9;t=\d+$/)
    await second.stop()
  })

  it('are told with the amount that holds for each user', async () => {
    const gateway = await startGateway({ data_dir: folder }, { isEmbedded: true })
    const realm = {
      ...{ uri: 'com.example.shares', authmethods: ['password'] },
      users: ['ann', 'bea', 'cai'].map((username) => ({
        ...{ username, password: `of ${username}` },
        ...(username !== 'cai' && { groups: ['partners'] }),
      })),
    }
    await send(gateway.adminUrl, '/realms', { method: 'POST', body: realm })
    const rule = {
      name: 'ever',
      amount: 50,
      window: 2_678_400,
      by: { partners: 1_000, bea: 2_000 },
    }
    const { status } = await gateway.load({
      ...documentWith(rule),
      ...{ realm_uri: realm.uri, defaults: { security: { type: 'basic' } } },
    })
    expect(status).to.equal(201)
    for (const { username, password } of realm.users) {
      const text = Buffer.from(`${username}:${password}`).toString('base64')
      const headers = { authorization: `Basic ${text}` }
      expect((await send(gateway.url, '/quotas/x', { headers })).status).to.equal(200)
    }
    const answer = await send(gateway.adminUrl, '/api_specs/quotas/usage')
    const [found] = (answer.json() as Usage).quotas
    const sharer = (name: string) => `user ${realm.uri} ${name}`
    expect(found?.amount).to.equal(50)
    expect(found?.usage).to.have.deep.members([
      { sharer: sharer('ann'), used: 1, amount: 1_000 },
      { sharer: sharer('bea'), used: 1, amount: 2_000 },
      { sharer: sharer('cai'), used: 1, amount: 50 },
    ])
    await gateway.stop()
  })

  it('refuse with 429 and count it', async () => {
    const gateway = await startGateway({ data_dir: folder }, { isEmbedded: true })
    await gateway.load(documentWith({ ...quota, amount: 2 }))
    expect(await askOften(gateway.url, 3)).to.deep.equal([200, 200, 429])
    const refused = await send(gateway.url, '/quotas/x')
    expect(refused.json()).to.include({ code: 'service.error.quota_exceeded' })
    expect(Number(refused.headers['retry-after'])).to.be.within(1, 2_678_400 * 1.1 + 1)
    const metrics = (await send(gateway.adminUrl, '/metrics')).text
    expect(metrics).to.match(
      /^gateway_quota_exceeded_total\{api="quotas",version="one",route="\/quotas\/x",limit="ever",mode="enforce"\} 2$/m,
    )
    await gateway.stop()
  })

  it('are counted together by the workers of a gateway, and a killed gateway forgets at most what was not written yet', async () => {
    const settings = { data_dir: folder, node: 'one' }
    const [amount, written, late] = [1_000, 40, 7]
    const first = await startGatewayProcess({ ...settings, workers: '2' })
    running.push(first)
    await first.post('/api_specs', documentWith({ ...quota, amount }))
    expect(new Set(await askOften(first.url, written))).to.deep.equal(new Set([200]))
    await until('the use is in the store', () => storedUnits(folder) === written, 20_000)
    await askOften(first.url, late)
    await killAll(first)

    const second = await startGatewayProcess(settings)
    running.push(second)
    const known = await ask(second.url)
    expect(amount - 1 - known.left).to.be.within(written, written + late)
    expect(await second.stop()).to.equal(0)
  })
})

/** At once: a worker without its primary would leave in order. */
async function killAll(gateway: GatewayProcess): Promise<void> {
  for (const pid of gateway.workers().values()) process.kill(pid, 'SIGKILL')
  await gateway.kill('SIGKILL')
}
