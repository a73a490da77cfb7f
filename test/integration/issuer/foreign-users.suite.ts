/** Users who bring access tokens of another issuer, over HTTP and as WAMP clients, on any router that the gateway decides for. */
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { openLog } from '#component/log.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { Session } from '#component/wamp/session.ts'
import { untilTrue } from '#test/contract/session/support.ts'
import type { TestGateway } from '#test/support/gateway.ts'
import { joinRefusal, joinUser } from '#test/support/peers/wamp-user.ts'
import { FakeIssuer } from '#test/unit/issuer/fake-issuer.ts'

/** The realm of the users. */
const realm = 'com.example.realm'
const procedure = 'com.example.orders.list'
const password = 'the password of the backend'

const authmethods = ['jwt', 'ticket', 'wampcra']

const realmWith = (issuer: FakeIssuer, more: object = {}) => ({
  ...{ uri: realm, authmethods, groups: [{ name: 'staff' }, { name: 'backend' }] },
  users: [{ username: 'backend', password, groups: ['backend'] }],
  sources: authmethods.map((authmethod) => ({
    ...{ usernames: 'all', authmethod, cidr: '0.0.0.0/0' },
  })),
  grants: [
    { permissions: ['wamp.call'], roles: ['staff', 'corp|auditor'], uri: procedure },
    { permissions: ['wamp.register'], roles: ['backend'], uri: 'com.example.', match: 'prefix' },
  ],
  info: {
    jwt_issuers: {
      corp: {
        ...issuer.settings,
        ...{ role_claim: 'roles', role_mapping: { editor: 'staff' }, clock_tolerance_secs: 0 },
      },
    },
  },
  ...more,
})

const document = {
  ...{ id: 'com.example.orders', host: '_', realm_uri: realm },
  versions: {
    one: {
      base_path: '/v1',
      paths: {
        '/orders': {
          security: { type: 'jwt', issuer: 'corp', scopes: ['orders:read'] },
          get: {
            action: { type: 'wamp_call', procedure },
            response: {
              on_result: { body: '{{action.result.args |> head}}' },
              on_error: {
                status_code: '{{status_codes |> get({{action.error.error_uri}}, 500)}}',
                body: '{{action.error.error_uri}}',
              },
            },
          },
        },
      },
    },
  },
}

/** A gateway, and where WAMP clients join its realms. */
export interface ForeignGateway extends Pick<TestGateway, 'adminUrl' | 'load' | 'url'> {
  readonly routerUrl: string
  stop(): Promise<void>
}

/** @param refusal why WAMP clients are refused there */
export function testForeignUsers(
  where: string,
  start: () => Promise<ForeignGateway>,
  refusal: string,
): void {
  describe(`users with tokens of another issuer, ${where}`, () => {
    let issuer: FakeIssuer
    let gateway: ForeignGateway
    let backend: Session

    const loadRealm = async (more: object = {}) => {
      const answer = await fetch(`${gateway.adminUrl}/realms`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(realmWith(issuer, more)),
      })
      expect(answer.ok, await answer.text()).to.equal(true)
    }

    const ask = async (token?: string) => {
      const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
      const answer = await fetch(`${gateway.url}/v1/orders`, { headers })
      const challenge = answer.headers.get('www-authenticate')
      return { status: answer.status, body: await answer.json(), challenge }
    }

    const tokenOf = (sub: string, roles: readonly string[], claims: object = {}) =>
      issuer.token({ claims: { sub, roles, ...claims } })

    const join = (authid: string, secret: string) =>
      joinUser(gateway.routerUrl, realm, { authmethod: 'ticket', authid, secret })
    const refusalOf = (authid: string, secret: string) =>
      joinRefusal(gateway.routerUrl, realm, { authmethod: 'ticket', authid, secret })

    before(async () => {
      issuer = await FakeIssuer.open(Date.now)
      gateway = await start()
      await loadRealm()
      const loaded = await gateway.load(document)
      expect([loaded.status, loaded.body.warnings]).to.deep.equal([201, []])
      const session = componentSession({
        ...{ serializer: 'json', clock: systemClock, log: openLog('silent') },
        ...{ url: gateway.routerUrl, realm_uri: realm },
        auth: { authmethod: 'wampcra', authid: 'backend', secret: password },
      })
      backend = session
      expect(await session.joined(20_000), session.lastReason).to.equal(true)
      await untilTrue(async () => {
        await session.register(procedure, (_payload, { details }) => ({
          args: [details.caller_authid ?? 'somebody'],
          kwargs: {},
        }))
        return true
      })
    })
    after(async () => {
      await backend?.leave()
      await gateway?.stop()
      await issuer.close()
    })

    it('call over HTTP as themselves, with the roles that a mapping or the name of the issuer gives them', async () => {
      for (const role of ['editor', 'auditor']) {
        const { status, body } = await ask(await tokenOf('ada', [role]))
        expect([status, body], role).to.deep.equal([200, 'corp|ada'])
      }
      for (const role of ['staff', 'backend', 'gateway']) {
        const { status } = await ask(await tokenOf('bob', [role]))
        expect(status, role).to.equal(403)
      }
    })

    it('are told what is missing, and where the metadata of the version are', async () => {
      const metadata = `${gateway.url}/.well-known/oauth-protected-resource/v1`
      const where = `resource_metadata="${metadata}"`
      const none = await ask()
      expect([none.status, none.challenge]).to.deep.equal([
        401,
        `Bearer realm="${realm}", ${where}`,
      ])
      const bad = await ask(await tokenOf('ada', ['editor'], { aud: 'billing' }))
      const reason = 'the token was issued for another audience'
      expect([bad.status, bad.challenge]).to.deep.equal([
        401,
        `Bearer realm="${realm}", error="invalid_token", error_description="${reason}", ${where}`,
      ])
      const less = await ask(await tokenOf('ada', ['editor'], { scope: 'openid' }))
      expect(less.status).to.equal(403)
      expect(less.challenge)
        .to.contain('error="insufficient_scope"')
        .and.contain(`scope="orders:read", ${where}`)
      const found = await fetch(metadata)
      expect([found.status, await found.json()]).to.deep.equal([
        200,
        {
          resource: `${gateway.url}/v1`,
          authorization_servers: [issuer.url],
          scopes_supported: ['orders:read'],
          bearer_methods_supported: ['header'],
        },
      ])
    })

    it('join as WAMP clients by their token, and may do what their roles allow', async () => {
      const ada = await join('corp|ada', await tokenOf('ada', ['editor']))
      expect(await ada.attempt('call', procedure)).to.be.oneOf(['somebody', 'corp|ada'])
      expect(await ada.attempt('register', 'com.example.mine')).to.equal(
        'wamp.error.not_authorized',
      )
      const bob = await join('corp|bob', await tokenOf('bob', ['staff']))
      expect(await bob.attempt('call', procedure)).to.equal('wamp.error.not_authorized')
      await Promise.all([ada.leave(), bob.leave()])
    })

    it('do not join by the token of others, or one that does not hold', async () => {
      const now = Math.floor(Date.now() / 1000)
      for (const [what, authid, token] of [
        ['another user', 'corp|bob', await tokenOf('ada', ['editor'])],
        ['the claim alone', 'ada', await tokenOf('ada', ['editor'])],
        ['a user of the realm', 'backend', await tokenOf('backend', ['editor'])],
        ['another audience', 'corp|ada', await tokenOf('ada', ['editor'], { aud: 'billing' })],
        ['expired', 'corp|ada', await tokenOf('ada', [], { iat: now - 60, exp: now - 1 })],
        ['unsigned', 'corp|ada', `${(await tokenOf('ada', ['editor'])).slice(0, -4)}AAAA`],
        ['another issuer', 'corp|ada', await tokenOf('ada', [], { iss: 'https://other.example' })],
      ] as const) {
        expect(await refusalOf(authid, token), what).to.equal(refusal)
      }
    })

    it('are out when their token expires', async () => {
      const exp = Math.floor(Date.now() / 1000) + 3
      const token = await tokenOf('ada', ['editor'], { exp })
      const ada = await join('corp|ada', token)
      await ada.ended
      expect(await refusalOf('corp|ada', token)).to.equal(refusal)
    })

    it('are out when the realm gives up their issuer', async () => {
      const token = await tokenOf('ada', ['editor'])
      const ada = await join('corp|ada', token)
      expect((await ask(token)).status).to.equal(200)
      await loadRealm({ info: {} })
      const { status, challenge } = await ask(token)
      expect(status).to.equal(401)
      expect(challenge).to.contain('the realm accepts no tokens of the issuer of this path')
      expect(await ada.attempt('call', procedure).catch(() => 'ended')).to.not.equal('somebody')
      expect(await refusalOf('corp|ada', token)).to.equal(refusal)
      await loadRealm()
      expect((await ask(token)).status).to.equal(200)
    })
  })
}
