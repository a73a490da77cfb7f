/** Requests that other pages have a browser send with its cookies, and tickets that are worth nothing. */
import { expect } from 'chai'
import { type Fixture, open } from '#test/integration/http-fixture.ts'
import { Browser, gatewayOf } from '#test/integration/oidc-gateway.ts'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { type LoginNode, openLogins, realm_uri, StillClock } from '#test/unit/oidc/login-fixture.ts'
import { type BadInput, row, suitePrefix } from './cases.ts'
import { ask, expectRefusal, post } from './sockets.ts'

const ticketName = `service_ticket_${realm_uri}`
const csrfName = `service_csrf_${realm_uri}`

describe(`${suitePrefix}csrf`, () => {
  let provider: FakeProvider
  let clock: StillClock
  let node: LoginNode
  let browser: Browser
  let fixture: Fixture

  beforeEach(async () => {
    clock = new StillClock()
    provider = await FakeProvider.open(() => clock.now())
    node = await openLogins(provider, { clock })
    browser = new Browser(gatewayOf(node, realm_uri))
    await browser.logIn(provider)
    fixture = await open()
  })
  afterEach(async () => {
    await fixture.stop()
    await node.close()
    await provider.close()
  })

  const token = () => ({ 'x-csrf-token': browser.cookies.get(csrfName) ?? '' })

  /** As the row says. */
  async function refuses(entry: BadInput, asked: ReturnType<Browser['ask']>): Promise<void> {
    const { status, value } = await asked
    expect(status).to.equal(entry.expected.status)
    expect(value).to.have.property('code', entry.expected.code)
  }

  function test(index: number, check: (entry: BadInput) => Promise<void>): void {
    const entry = row(index)
    it(`${index} csrf: ${entry.input.what}`, () => check(entry))
  }

  test(140, async (entry) => {
    await refuses(entry, browser.ask('POST /v1/me'))
    expect((await browser.ask('POST /v1/me', token())).status).to.equal(200)
  })

  test(141, async (entry) => {
    const lines = ['X-CSRF-Token: a', 'X-CSRF-Token: a']
    expectRefusal(await ask(fixture.port, post('/v1/x', 'application/json', '{}', lines)), entry)
  })

  test(142, async (entry) => {
    const type = { 'content-type': 'text/plain' }
    const body = { body: 'a=b' }
    await refuses(entry, browser.ask('POST /v1/me', type, body))
    const { status } = await browser.ask('POST /v1/me', { ...type, ...token() }, body)
    expect(status).to.equal(415)
  })

  test(143, async (entry) => {
    const stranger = new Browser(gatewayOf(node, realm_uri))
    provider.person = { sub: 'sub-2', preferred_username: 'eve', roles: [] }
    await stranger.logIn(provider)
    for (const planted of ['planted', stranger.cookies.get(csrfName) ?? '']) {
      browser.cookies.set(csrfName, planted)
      await refuses(entry, browser.ask('POST /v1/me', { 'x-csrf-token': planted }))
    }
  })

  test(144, async (entry) => {
    const ticket = browser.cookies.get(ticketName) ?? ''
    const [head, claims, signature = ''] = ticket.split('.')
    const bytes = Buffer.from(signature, 'base64url').map((byte) => byte ^ 1)
    const forged = [head, claims, Buffer.from(bytes).toString('base64url')].join('.')
    const other = 'com.example.other'
    const { ticket: foreign } = await node.tickets.issue(other, {
      ...{ iss: 'https://x', authid: 'ada', authmethod: 'oidcrp', authroles: [], lifetime: 60 },
      scope: { realm: other, client_id: 'all', device_id: 'all' },
    })
    for (const bad of [forged, foreign, 'x.y.z']) {
      browser.cookies.set(ticketName, bad)
      await refuses(entry, browser.ask('GET /v1/me'))
      await refuses(entry, browser.ask('POST /v1/me', token()))
    }
    browser.cookies.set(ticketName, ticket)
    expect((await browser.ask('GET /v1/me')).status).to.equal(200)
    const cookies = [...browser.cookies]
    await browser.get('/v1/oidc/logout')
    for (const [name, value] of cookies) browser.cookies.set(name, value)
    await refuses(entry, browser.ask('GET /v1/me'))
    browser.cookies.clear()
    await browser.logIn(provider)
    clock.ms += 2_592_001_000
    await refuses(entry, browser.ask('GET /v1/me'))
  })
})
