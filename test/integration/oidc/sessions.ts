/** Who has logged in by a browser has WAMP sessions, however many processes the gateway has: by cookie, by ticket, through an API. */
import { once } from 'node:events'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { FakeProvider } from '#test/unit/oidc/fake-provider.ts'
import { Browser, endSession, providerOf, realmOf } from './example-apis.ts'

const realm_uri = 'com.example.oidc'
const page = 'https://app.example'
const shop = { realm_uri, base: '/v1' }

/** How many sessions there are whose role is that of the provider's users. */
const count = {
  action: { type: 'wamp_call', procedure: 'wamp.session.count', args: [['staff']] },
  response: { on_result: { body: '{{action.result.args}}' }, on_error: {} },
}

const document = {
  id: 'com.example.oidc',
  host: '_',
  realm_uri,
  defaults: { security: { type: 'oidc', provider: 'mock' } },
  versions: {
    one: { base_path: '/v1', paths: { '/sessions': { get: count } } },
  },
}

/** Joins the realm; the message that ends the handshake. */
async function join(gateway: OpenGateway, headers: Record<string, string>, details: object) {
  const socket = new WebSocket(`${gateway.url.replace('http', 'ws')}/ws`, ['wamp.2.json'], {
    headers,
  })
  await once(socket, 'open')
  const next = async (): Promise<unknown[]> => {
    const [data] = await once(socket, 'message')
    return JSON.parse(String(data))
  }
  const send = (...message: unknown[]) => socket.send(JSON.stringify(message))
  send(1, realm_uri, { roles: { caller: {} }, ...details })
  return { socket, send, next, first: await next() }
}
/** A gateway with the embedded router. */
interface OpenGateway {
  readonly url: string
  readonly adminUrl: string
  stop(): Promise<unknown>
}

/** @param start opens the gateway with these options, by dotted key */
export function testSessionsOfBrowsers(
  what: string,
  start: (settings: Readonly<Record<string, string>>) => Promise<OpenGateway>,
): void {
  describe(`a user who has logged in by a browser, ${what}`, () => {
    let provider: FakeProvider
    let gateway: OpenGateway
    const browser = new Browser()

    before(async () => {
      provider = await FakeProvider.open(Date.now)
      gateway = await start({ 'gateway.ws_allowed_origins': JSON.stringify([page]) })
      const post = (path: string, body: unknown) =>
        fetch(gateway.adminUrl + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      const uri = 'wamp.session.count' // reserved: a grant opens it by its name
      const grants = [{ permissions: ['wamp.call'], roles: ['staff'], uri, match: 'exact' }]
      const realm = realmOf(shop, providerOf(provider), { grants })
      const answer = await post('/services/load_realm', realm)
      expect(answer.ok).to.equal(true)
      const { status } = await post('/api_specs', document)
      expect(status).to.equal(201)
      const back = await browser.logIn(gateway.url, shop, provider)
      expect(back.location).to.equal('/')
    })
    after(async () => {
      await gateway.stop()
      await provider.close()
    })

    it('calls through an API as itself', async () => {
      const answer = await browser.visit(gateway.url, '/v1/sessions')
      expect([answer.status, answer.json()]).to.deep.equal([200, [1]])
    })

    it('is out when the provider ends its session, over HTTP and over WAMP', async () => {
      provider.twist = { claims: { sid: 's1' } }
      const guest = new Browser()
      await guest.logIn(gateway.url, shop, provider)
      provider.twist = {}
      const cookie = guest.field
      const byCookie = await join(gateway, { cookie, origin: page }, { authmethods: ['cookie'] })
      const byTicket = await join(gateway, {}, { authmethods: ['ticket'], authid: 'ada' })
      byTicket.send(5, guest.ticketOf(shop), {})
      expect((await byTicket.next())[0], 'WELCOME').to.equal(2)

      const ends = [byCookie.next(), byTicket.next()]
      const { status } = await endSession(gateway.url, shop, await provider.logoutToken())
      expect(status).to.equal(200)
      for (const end of ends) expect((await end)[0], 'GOODBYE').to.equal(6)
      for (const { socket } of [byCookie, byTicket]) socket.terminate()
      // as many as reach every worker
      for (let asked = 0; asked < 6; asked++) {
        const late = await fetch(`${gateway.url}/v1/sessions`, { headers: { cookie } })
        expect(late.status).to.equal(401)
      }
      expect((await browser.visit(gateway.url, '/v1/sessions')).status, 'others').to.equal(200)
    })

    it('joins by its cookie from a page of a listed origin, by its ticket, and is out when it logs out', async () => {
      const [cookie, ticket] = [browser.field, browser.ticketOf(shop)]
      const byCookie = await join(gateway, { cookie, origin: page }, { authmethods: ['cookie'] })
      expect(byCookie.first[0]).to.equal(2)
      expect(byCookie.first[2]).to.include({
        authid: 'ada',
        authrole: 'staff',
        authmethod: 'oidcrp',
      })

      const byTicket = await join(gateway, {}, { authmethods: ['ticket'], authid: 'ada' })
      expect(byTicket.first.slice(0, 2)).to.deep.equal([4, 'ticket'])
      byTicket.send(5, ticket, {})
      const welcome = await byTicket.next()
      expect(welcome[2]).to.include({ authid: 'ada', authrole: 'staff' })

      const ends = [byCookie.next(), byTicket.next()]
      const { status } = await browser.visit(gateway.url, '/v1/oidc/logout')
      expect([status, browser.cookies.size]).to.deep.equal([302, 0])
      for (const end of ends) expect((await end)[0], 'GOODBYE').to.equal(6)
      for (const { socket } of [byCookie, byTicket]) socket.terminate()

      const again = await join(gateway, { cookie, origin: page }, { authmethods: ['cookie'] })
      expect(again.first[0]).to.equal(3)
      again.socket.terminate()
      const late = await fetch(`${gateway.url}/v1/sessions`, { headers: { cookie } })
      expect(late.status).to.equal(401)
    })
  })
}
