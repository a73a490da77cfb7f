/** Who has logged in by a browser has WAMP sessions, however many processes the gateway has: by cookie, by ticket, through an API. */
import { once } from 'node:events'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { client_id, client_secret, FakeProvider } from '#test/unit/oidc/fake-provider.ts'

const realm_uri = 'com.example.oidc'
const page = 'https://app.example'
const ticketName = `service_ticket_${realm_uri}`

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

/** Cookies by name, as they are set. */
function keep(cookies: Map<string, string>, answer: Response): Response {
  for (const text of answer.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
    if (text.includes('Max-Age=0;')) cookies.delete(name)
    else cookies.set(name, value)
  }
  return answer
}

const fieldOf = (cookies: ReadonlyMap<string, string>): string =>
  Array.from(cookies, ([name, value]) => `${name}=${value}`).join('; ')

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
  describe(`a user who has logged in by a browser, ${what}`, function () {
    this.timeout(30_000)
    let provider: FakeProvider
    let gateway: OpenGateway
    const cookies = new Map<string, string>()
    const browse = async (url: string) =>
      keep(cookies, await fetch(url, { headers: { cookie: fieldOf(cookies) }, redirect: 'manual' }))
    const locationOf = (answer: Response) => answer.headers.get('location') ?? ''

    before(async () => {
      provider = await FakeProvider.open(Date.now)
      gateway = await start({ 'gateway.ws_allowed_origins': JSON.stringify([page]) })
      const post = (path: string, body: unknown) =>
        fetch(gateway.adminUrl + path, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      const answer = await post('/services/load_realm', {
        uri: realm_uri,
        authmethods: ['oidcrp', 'cookie', 'ticket'],
        grants: [{ permissions: ['wamp.call'], roles: ['staff'], uri: '', match: 'prefix' }],
        info: {
          oidc_providers: {
            mock: { issuer: provider.issuer, client_id, client_secret, allow_unsafe_http: true },
          },
        },
      })
      expect(answer.ok).to.equal(true)
      const { status } = await post('/api_specs', document)
      expect(status).to.equal(201)
      const begun = await browse(`${gateway.url}/v1/oidc/login`)
      const back = await browse(provider.authorize(locationOf(begun)))
      expect([back.status, locationOf(back)]).to.deep.equal([302, '/'])
    })
    after(async () => {
      await gateway.stop()
      await provider.close()
    })

    it('calls through an API as itself', async () => {
      const answer = await browse(`${gateway.url}/v1/sessions`)
      expect(answer.status).to.equal(200)
      expect(await answer.json()).to.deep.equal([1])
    })

    it('joins by its cookie from a page of a listed origin, by its ticket, and is out when it logs out', async () => {
      const cookie = fieldOf(cookies)
      const ticket = cookies.get(ticketName) ?? ''
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
      const { status } = await browse(`${gateway.url}/v1/oidc/logout`)
      expect([status, cookies.size]).to.deep.equal([302, 0])
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
