/** What strangers reach of a gateway that is not on loopback, or behind a proxy: routed paths, and no management. */
import { expect } from 'chai'
import { hello } from '#test/support/examples/hello.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { npmStartFails } from '#test/support/npm-start.ts'

/** The router of a gateway on its own listener. */
const routerOf = (url: string) => `${url.replace('http', 'ws')}/ws`

const welcome = 2
const abort = 3

/** Ways to ask for the component's realm. */
const attempts: readonly Readonly<Record<string, unknown>>[] = [
  {},
  { authmethods: ['anonymous'] },
  { authmethods: ['anonymous'], authid: 'anonymous' },
  { authmethods: ['anonymous'], authid: 'gateway' },
  { authid: 'gateway' },
  { authid: 'gateway', authrole: 'gateway' },
  ...['ticket', 'wampcra', 'cryptosign', 'cookie', 'tls', 'scram', 'none', ''].map((method) => ({
    authmethods: [method],
    authid: 'gateway',
  })),
  { authmethods: [], authid: 'gateway' },
  { authmethods: ['ticket', 'anonymous'], authid: 'gateway', authextra: { trusted: true } },
]

const management = [
  ['GET', '/api_specs'],
  ['POST', '/api_specs'],
  ['GET', '/api_specs/x'],
  ['GET', '/api_specs/x/info'],
  ['DELETE', '/api_specs/x'],
  ['POST', '/services/load_api_spec'],
  ['POST', '/services/get_api_spec'],
  ['POST', '/services/list_api_specs'],
  ['POST', '/services/delete_api_spec'],
  ['POST', '/services/validate_api_spec'],
  ['POST', '/services/load_realm'],
  ['POST', '/services/list_realms'],
  ['GET', '/realms'],
  ['POST', '/realms'],
  ['GET', '/realms/com.example.test'],
  ['GET', '/ping'],
  ['GET', '/ready'],
  ['GET', '/metrics'],
] as const

const notLoopback = {
  'bound to every address': { 'gateway.listen': '0.0.0.0:0' },
  'bound to loopback and every address': { 'gateway.listen': '["127.0.0.1:0","0.0.0.0:0"]' },
}

for (const [where, settings] of Object.entries(notLoopback)) {
  describe(`a gateway ${where}, without credentials`, () => {
    let gateway: TestGateway
    before(async () => {
      gateway = await startGateway(settings)
    })
    after(() => gateway.stop())

    const urls = () =>
      gateway.component.gatewayUrls.map((url) => url.replace('0.0.0.0', '127.0.0.1'))

    for (const [method, path] of management) {
      it(`answers 404 to ${method} ${path}`, async () => {
        for (const url of urls()) {
          const answer = await send(url, path, { method, ...(method === 'POST' && { body: {} }) })
          expect(answer.status).to.equal(404)
        }
      })
    }

    for (const details of attempts) {
      it(`does not let in at /ws on the component's realm: ${JSON.stringify(details)}`, async () => {
        for (const url of urls()) {
          const [code] = await hello(routerOf(url), 'service.gateway', { details })
          expect(code).to.equal(abort)
        }
      })
    }

    it('lets in at /ws on other realms as their documents say', async () => {
      const load = (body: object) =>
        send(gateway.adminUrl, '/services/load_realm', { method: 'POST', body })
      await load({ uri: 'com.example.closed', allow_connections: false })
      await load({ uri: 'com.example.tickets', authmethods: ['ticket'] })
      for (const url of urls()) {
        expect((await hello(routerOf(url), 'com.example.test'))[0]).to.equal(welcome)
        expect((await hello(routerOf(url), 'com.example.closed'))[0]).to.equal(abort)
        expect((await hello(routerOf(url), 'com.example.unknown'))[0]).to.equal(abort)
        const asAnonymous = { authmethods: ['anonymous'] }
        expect(
          (await hello(routerOf(url), 'com.example.tickets', { details: asAnonymous }))[0],
        ).to.equal(abort)
      }
    })
  })
}

describe('a gateway on loopback', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway()
  })
  after(() => gateway.stop())

  it("lets clients of this machine in on the component's realm, never as the gateway", async () => {
    const [code, , details] = await hello(routerOf(gateway.url), 'service.gateway', {
      details: { authid: 'gateway' },
    })
    expect(code).to.equal(welcome)
    expect(details).to.deep.include({ authid: 'anonymous', authrole: 'anonymous' })
  })

  for (const name of [
    'X-Forwarded-For',
    'X-Forwarded-Host',
    'X-Forwarded-Proto',
    'X-Real-IP',
    'Forwarded',
    'Via',
  ]) {
    const headers = { [name]: '127.0.0.1' }
    it(`behind a proxy that sends ${name}, is closed to who comes through it`, async () => {
      for (const url of [gateway.url, gateway.adminUrl]) {
        const answer = await send(url, '/api_specs', { headers })
        expect(answer.status).to.equal(401)
        expect(answer.headers).to.have.property('www-authenticate')
      }
      const [code] = await hello(routerOf(gateway.url), 'service.gateway', { headers })
      expect(code).to.equal(abort)
    })
  }

  it('is closed to a page whose name was pointed at this machine', async () => {
    const answer = await send(gateway.adminUrl, '/api_specs', { host: 'evil.example' })
    expect(answer.status).to.equal(401)
    const page = { host: 'evil.example', origin: 'http://evil.example' }
    const [code] = await hello(routerOf(gateway.url), 'service.gateway', { headers: page })
    expect(code).to.equal(abort)
  })
})

describe('an admin listener off loopback, without credentials', () => {
  for (const listen of ['0.0.0.0:0', '[::]:0', '["127.0.0.1:0","0.0.0.0:0"]']) {
    it(`on ${listen}: the process exits with 78 and names the setting`, async () => {
      const { code, stderr } = await npmStartFails({
        'admin.listen': listen,
        data_dir: '/nonexistent/never-made',
      })
      expect(stderr).to.include('admin.listen')
      expect(code).to.equal(78)
    })
  }
})
