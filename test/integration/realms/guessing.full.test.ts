/** Guessing passwords of a whole gateway, over HTTP and WAMP: what is limited, and who gets in all the same. */
import { expect } from 'chai'
import {
  basicOf,
  passwords,
  shopDocument,
  shopRealm,
  shopRealmWith,
} from '#test/support/examples/example-api.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { joinRefusal } from '#test/support/peers/wamp-user.ts'

/** Of one user, a minute. */
const failures = 3

const refused = 'wamp.error.authentication_failed'

describe('guessing', () => {
  let gateway: TestGateway
  beforeEach(async () => {
    const settings = {
      'rate_limits.user_failures': String(failures),
      'gateway.trusted_proxies': '[127.0.0.1]',
    }
    gateway = await startGateway(settings, { isEmbedded: true })
    const body = shopRealmWith()
    expect((await send(gateway.adminUrl, '/realms', { method: 'POST', body })).status).to.equal(200)
    await gateway.mustLoad(shopDocument)
  })
  afterEach(() => gateway?.stop())

  const ask = (address: string, user: 'ada' | 'bob', password: string = passwords[user]) =>
    send(gateway.url, '/shop/oauth/token', {
      method: 'POST',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        authorization: basicOf('app', passwords.app),
        'x-forwarded-for': address,
      },
      body: new URLSearchParams({ grant_type: 'password', username: user, password }).toString(),
    })
  /** The statuses of so many requests at once, by how many have them. */
  const together = async (count: number, one: () => ReturnType<typeof ask>) => {
    const answers = await Promise.all(Array.from({ length: count }, one))
    const counts: Record<number, number> = {}
    for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
    return counts
  }

  it('at once over HTTP has no more answers than one after the other', async () => {
    const guess = () => ask('192.0.2.1', 'ada', 'wrong')
    expect(await together(25, guess)).to.deep.equal({ 400: failures, 429: 25 - failures })
    const { status, headers, text } = await ask('192.0.2.1', 'ada')
    expect(status, text).to.equal(429)
    expect(Number(headers['retry-after'])).to.be.within(1, 60)
    expect(JSON.parse(text)).to.include({ error: 'temporarily_unavailable' })
    expect((await ask('198.51.100.1', 'ada')).status, 'the user, elsewhere').to.equal(200)
    expect((await ask('192.0.2.1', 'bob')).status, 'another, by the same client').to.equal(200)
  })

  it('is not what many do who log in at once', async () => {
    expect(await together(15, () => ask('192.0.2.1', 'ada'))).to.deep.equal({ 200: 15 })
  })

  it('from everywhere keeps the user out only where it has not been', async () => {
    expect((await ask('192.0.2.1', 'ada')).status).to.equal(200)
    for (let network = 1; network <= 10; network += 1) {
      const guess = () => ask(`10.0.0.${network}`, 'ada', 'wrong')
      expect(await together(failures, guess)).to.deep.equal({ 400: failures })
    }
    expect((await ask('10.0.0.99', 'ada')).status).to.equal(429)
    expect((await ask('192.0.2.1', 'ada')).status).to.equal(200)
  })

  for (const authmethod of ['ticket', 'wampcra'] as const) {
    it(`over WAMP by ${authmethod} is limited, too, and looks like a wrong password`, async () => {
      const join = (authid: 'ada' | 'bob', secret: string) =>
        joinRefusal(gateway.routerUrl, shopRealm, { authid, authmethod, secret })
      for (let i = 0; i < failures; i += 1) expect(await join('ada', 'wrong')).to.equal(refused)
      expect(await join('ada', passwords.ada)).to.equal(refused)
      expect(await join('bob', passwords.bob)).to.equal('joined')
      expect((await ask('192.0.2.1', 'ada')).status, 'elsewhere').to.equal(200)
    })
  }
})
