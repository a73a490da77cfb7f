/** Loads are back after a restart: after a stop in order, and after `kill -9` in the middle of loads, again and again. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { startGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { npmStart, type StartedGateway } from '#test/support/npm-start.ts'
import { plainClients } from '#test/support/peers/wamp-clients.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { until } from '#test/support/running/until.ts'
import { staticDocument } from './faces.ts'

const kills = rounds(4, 20)
/** Documents that are loaded again and again until the process is gone. */
const loaders = 8

describe('a restart', function () {
  this.timeout(180_000)
  let data_dir: string

  beforeEach(() => {
    data_dir = mkdtempSync(join(tmpdir(), 'gateway-restart-'))
  })
  afterEach(() => rmSync(data_dir, { recursive: true, force: true }))

  it('after a stop in order brings every load back, and no deletion is undone', async () => {
    const [kept, gone] = [staticDocument('kept', 'kept'), staticDocument('gone', 'gone')]
    const first = await startGateway({ data_dir })
    expect((await first.load(kept)).status).to.equal(201)
    expect((await first.load(gone)).status).to.equal(201)
    await send(first.adminUrl, `/api_specs/${gone.id}`, { method: 'DELETE' })
    const before = await send(first.adminUrl, `/api_specs/${kept.id}`)
    await first.stop()

    const second = await startGateway({ data_dir })
    const after = await send(second.adminUrl, `/api_specs/${kept.id}`)
    expect(after.json()).to.deep.equal(before.json())
    expect(after.headers.etag).to.equal(before.headers.etag)
    expect((await send(second.url, '/kept/body')).json()).to.equal('kept')
    expect((await send(second.url, '/gone/body')).status).to.equal(404)
    expect((await send(second.adminUrl, `/api_specs/${gone.id}`)).status).to.equal(404)
    await second.stop()
  })

  it('compiles no document that was compiled before, until a request asks for it', async () => {
    const metric = async (url: string) =>
      /^gateway_documents_compiled_total (\d+)$/m.exec((await send(url, '/metrics')).text)?.[1]
    const first = await startGateway({ data_dir })
    for (const name of ['one', 'two']) await first.load(staticDocument(name, name))
    await first.load(staticDocument('one', 'one again'))
    expect(await metric(first.adminUrl), 'loads are compiled in any case').to.equal('0')
    await first.stop()

    const second = await startGateway({ data_dir })
    expect((await send(second.url, '/one/body', { method: 'DELETE' })).status).to.equal(405)
    for (let time = 0; time < 3; time++) {
      expect((await send(second.url, '/one/body')).json()).to.equal('one again')
    }
    expect(await metric(second.adminUrl)).to.equal('1')
    expect((await send(second.url, '/two/body')).json()).to.equal('two')
    expect(await metric(second.adminUrl)).to.equal('2')
    await second.stop()
  })

  it(`after kill -9 in the middle of loads brings every acknowledged load back, ${kills} times`, async () => {
    /** By document: the greatest number acknowledged, and the greatest sent. */
    const acknowledged = new Map<string, number>()
    const sent = new Map<string, number>()
    let total = 0

    let gateway: StartedGateway = await npmStart({ data_dir })
    await send(gateway.adminUrl, '/realms', {
      method: 'POST',
      body: { uri: 'com.example.test', authmethods: ['anonymous'] },
    })

    for (let round = 0; round < kills; round++) {
      const { adminUrl, url, routerUrl } = gateway
      let isKilled = false
      let done = 0

      const overHttp = async (document: object) => {
        const { status } = await send(adminUrl, '/api_specs', { method: 'POST', body: document })
        return status < 300
      }
      const client = await plainClients.wampy(routerUrl, 'service.gateway')
      const overWamp = async (document: object) => {
        await client.call('service.load_api_spec', [document])
        return true
      }
      /** Loads a higher number each time until the process is gone. */
      const load = async (index: number) => {
        const name = `restart${index}`
        const face = index % 2 === 0 ? overHttp : overWamp
        while (!isKilled) {
          const number = (sent.get(name) ?? 0) + 1
          sent.set(name, number)
          const isAcknowledged = await face(staticDocument(name, number)).catch(() => false)
          if (!isAcknowledged) return
          acknowledged.set(name, number)
          done++
        }
      }
      const all = Array.from({ length: loaders }, (_, index) => load(index))
      const enough = 5 + ((round * 7) % 40)
      await until(`${enough} loads are acknowledged`, () => done >= enough)
      const killed = gateway.kill()
      isKilled = true
      await killed
      const answers = await Promise.race([
        Promise.all(all).then(() => 'all'),
        wait(60_000, 'some hang', { ref: false }),
      ])
      expect(answers).to.equal('all')
      await client.close().catch(() => undefined)
      total += done
      expect(url).to.not.equal('')

      gateway = await npmStart({ data_dir })
      for (const [name, number] of acknowledged) {
        const answer = await send(gateway.url, `/${name}/body`)
        expect(answer.status, `${name} after kill ${round + 1}`).to.equal(200)
        expect(answer.json()).to.be.within(number, sent.get(name) ?? 0)
        acknowledged.set(name, answer.json() as number)
      }
      expect(acknowledged.size).to.be.greaterThan(0)
    }
    expect(await gateway.stop()).to.equal(0)
    expect(total).to.be.greaterThan(kills * 5 - 1)
  })
})
