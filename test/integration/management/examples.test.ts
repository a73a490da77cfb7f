/** Examples at a running gateway: tested over HTTP and over WAMP, judged before a load, and those of files. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { plainClients } from '#test/support/peers/wamp-clients.ts'
import { runCli } from '#test/unit/cli/terminal.ts'

const text = readFileSync(join(import.meta.dirname, '../../cases/examples/orders.json'), 'utf8')
const good = { ...JSON.parse(text), realm_uri: 'com.example.test' }
const bad = JSON.parse(JSON.stringify(good).replace('"status":404', '"status":405'))
const failure = {
  path: '/versions/1.0/paths/~1orders~1:id/get/examples/unknown/expect/status',
  message: 'expected 405, found 404',
}

/** What the answers to tests and loads hold. */
interface Told {
  readonly passed?: number
  readonly failed?: number
  readonly warnings?: readonly unknown[]
  readonly details?: readonly unknown[]
}

describe('the examples of a document at a running gateway', () => {
  let folder: string
  let gateway: TestGateway

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-examples-'))
    gateway = await startGateway()
  })
  after(async () => {
    await gateway.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  const post = async (path: string, body: unknown) => {
    const answer = await send(gateway.adminUrl, path, { method: 'POST', body })
    return { status: answer.status, body: answer.json() as Told }
  }
  const ids = async () => {
    const answer = await send(gateway.adminUrl, '/api_specs')
    return (answer.json() as { id: string }[]).map(({ id }) => id)
  }

  it('are tested over HTTP; nothing is loaded', async () => {
    const { status, body } = await post('/services/test_api_spec', bad)
    expect([status, body.passed, body.failed]).to.deep.equal([200, 2, 1])
    expect(await ids()).to.deep.equal([])
  })

  it('are tested over WAMP', async () => {
    const client = await plainClients.wampy(gateway.routerUrl, 'service.gateway')
    try {
      const { args } = await client.call('service.test_api_spec', [good])
      expect(args?.[0]).to.include({ passed: 3, failed: 0 })
    } finally {
      await client.close()
    }
  })

  it('of a document that does not load are not tested: its issues are told', async () => {
    const { status, body } = await post('/services/test_api_spec', { id: 'a' })
    expect(status).to.equal(400)
    expect(body.details).to.not.be.empty
  })

  it('refuse a load that asks for it, and every failure is told at its place', async () => {
    const { status, body } = await post('/api_specs?examples=refuse', bad)
    expect([status, body.details]).to.deep.equal([400, [failure]])
    expect(await ids()).to.deep.equal([])
  })

  it('warn of a load that asks for it, and say nothing otherwise', async () => {
    const { status, body } = await post('/api_specs?examples=warn', bad)
    expect([status, body.warnings]).to.deep.equal([201, [failure]])
    const plain = await post('/api_specs', bad)
    expect([plain.status, plain.body.warnings]).to.deep.equal([200, []])
    expect((await post('/api_specs?examples=refuse', good)).body.warnings).to.deep.equal([])
  })

  it('are refused in a mode that does not exist', async () => {
    const { status, body } = await post('/api_specs?examples=maybe', good)
    expect([status, body.details]).to.deep.equal([400, undefined])
  })

  it('are judged by "load --examples"', async () => {
    const file = join(folder, 'bad.json')
    writeFileSync(file, JSON.stringify(bad))
    const load = (...args: readonly string[]) =>
      runCli(['load', '--admin', gateway.adminUrl, ...args, file])
    const refused = await load('--examples', 'refuse')
    expect(refused.code).to.equal(1)
    expect(refused.out).to.include('expected 405, found 404')
    const warned = await load('--examples', 'warn')
    expect([warned.code, warned.out.includes('warning')]).to.deep.equal([0, true])
  })
})

describe('the examples of the configured files', () => {
  let folder: string
  let gateway: TestGateway | undefined

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-examples-'))
    writeFileSync(join(folder, 'bad.spec.json'), JSON.stringify(bad))
    const realm = { uri: bad.realm_uri, authmethods: ['anonymous'] }
    writeFileSync(join(folder, 'realm.json'), JSON.stringify(realm))
  })
  afterEach(async () => {
    await gateway?.stop()
    rmSync(folder, { recursive: true, force: true })
  })

  for (const [mode, served] of [
    ['off', 1],
    ['warn', 1],
    ['refuse', 0],
  ] as const) {
    it(`with specs_examples ${mode}: ${served} of 1 is served`, async () => {
      gateway = await startGateway({
        specs: JSON.stringify([join(folder, '*.spec.json')]),
        realms: JSON.stringify([join(folder, 'realm.json')]),
        specs_examples: mode,
      })
      const answer = await send(gateway.adminUrl, '/api_specs')
      expect(answer.json()).to.have.length(served)
    })
  }
})
