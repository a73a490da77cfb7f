/** Management over HTTP by credentials: who is let in, as whom, and what of realms is managed there. */
import { expect } from 'chai'
import { RefusedLogin } from '#component/login-refusal.ts'
import type { Operator } from '#component/security/operators.ts'
import { procedures } from '#procedures/index.ts'
import { managementOf } from '#test/unit/procedures/doubles.ts'
import { document } from '#test/unit/registry/doubles.ts'
import { exchangeRaw, type Fixture, open, options, post, RawClient } from './fixture.ts'

const json = 'application/json'
const realm = 'com.example.test'

const operator = (access: Operator['access'], within?: string): Operator => ({
  realm_uri: within ?? 'com.admin',
  authid: 'lou',
  roles: [],
  access,
  ...(within !== undefined && { within }),
})

const known: Readonly<Record<string, Operator>> = {
  loader: operator('load'),
  reader: operator('read'),
  tenant: operator('load', realm),
  other: operator('load', 'com.example.other'),
  user: operator(undefined, realm),
}

const nobody = new RefusedLogin({ authmethod: 'bearer', reason: 'not known' })
const operators = { authenticate: async (text: string) => known[text] ?? nobody }

const as = (name: string) => `Authorization: Bearer ${name}`

const bare = (method: string, target: string, ...more: string[]) =>
  [`${method} ${target} HTTP/1.1`, 'Host: localhost', ...more, '', ''].join('\r\n')

const load = (body: unknown, ...more: string[]) =>
  post('/api_specs', json, JSON.stringify(body), more)

describe('management over HTTP, by credentials', () => {
  let fixture: Fixture
  let behindProxy: Fixture
  let made: Awaited<ReturnType<typeof managementOf>>

  before(async () => {
    made = await managementOf()
    await made.realms.load([
      { uri: realm, users: [{ username: 'bob' }, { username: 'lou' }] },
      { uri: 'com.example.other' },
    ])
    const management = { procedures, management: made.management, operators }
    fixture = await open(management)
    behindProxy = await open({
      ...management,
      options: { ...options, admin: { ...options.admin, realm: 'com.admin' } },
      gatewayOptions: { public_base_url: 'https://gateway.example' },
    })
  })
  after(async () => {
    await fixture.stop()
    await behindProxy.stop()
  })

  const ask = async (bytes: string | Uint8Array, port = fixture.adminPort) => {
    const answer = await exchangeRaw(port, bytes)
    return { ...answer, value: answer.body.startsWith('{') ? JSON.parse(answer.body) : undefined }
  }

  it('lets a loader load, and the log knows who it was', async () => {
    expect((await ask(load(document('a'), as('loader')))).status).to.equal(201)
    expect(made.lines.at(-1)).to.have.nested.property('0.by', 'lou@com.admin')
  })

  for (const [who, status, code] of [
    ['reader', 403, 'wamp.error.not_authorized'],
    ['user', 403, 'wamp.error.not_authorized'],
    ['other', 403, 'wamp.error.not_authorized'],
    ['nobody', 401, 'service.error.unauthorized'],
  ] as const) {
    it(`answers ${status} to a load by ${who}`, async () => {
      const answer = await ask(load(document('a'), as(who)))
      expect(answer.status).to.equal(status)
      expect(answer.value.code).to.equal(code)
      expect(/error="invalid_token"/.test(answer.headers['www-authenticate'] ?? '')).to.equal(
        status === 401,
      )
    })
  }

  it('reads nothing of who may not load', async () => {
    for (const [who, status] of [
      ['reader', 403],
      ['nobody', 401],
      ['loader', 100],
    ] as const) {
      const client = new RawClient(fixture.adminPort)
      client.send(load(document('a'), as(who), 'Expect: 100-continue').subarray(0, -2))
      expect((await client.read()).status).to.equal(status)
      client.close()
    }
  })

  it('lets a reader read, and shows to others what is theirs', async () => {
    await ask(load(document('a'), as('loader')))
    for (const [who, status] of [
      ['reader', 200],
      ['tenant', 200],
      ['other', 403],
      ['user', 403],
    ] as const) {
      expect((await ask(bare('GET', '/api_specs/a', as(who)))).status, who).to.equal(status)
    }
    const { body } = await exchangeRaw(fixture.adminPort, bare('GET', '/realms', as('tenant')))
    expect(JSON.parse(body).map(({ uri }: { uri: string }) => uri)).to.deep.equal([realm])
  })

  it('needs credentials on a listener that a proxy may be in front of, and none on the other', async () => {
    const { port, adminPort } = behindProxy
    const refused = await ask(bare('GET', '/api_specs'), port)
    expect(refused.status).to.equal(401)
    expect(refused.headers['www-authenticate']).to.equal('Bearer realm="management"')
    expect((await ask(bare('GET', '/api_specs', as('reader')), port)).status).to.equal(200)
    expect((await ask(bare('GET', '/api_specs'), adminPort)).status).to.equal(200)
  })

  it('gives passwords and keys at the paths of their users', async () => {
    const path = `/realms/${realm}/users/bob`
    const changed = await ask(post(`${path}/password`, json, '{"password":"geheim"}'))
    expect(changed.value).to.deep.equal({ uri: realm, username: 'bob', ts: 1_000 })
    const issued = await ask(post(`${path}/api_keys`, json, '', [as('tenant')]))
    expect(issued.status).to.equal(201)
    const { location = '' } = issued.headers
    expect(location).to.equal(`/api_keys/${issued.value.id}`)
    expect((await ask(bare('DELETE', location, as('other')))).status).to.equal(403)
    expect((await ask(bare('DELETE', location, as('tenant')))).status).to.equal(204)
    expect((await ask(bare('DELETE', location))).status).to.equal(404)
    expect((await ask(post(`${path}/revoke_all`, json, '{}'))).value).to.deep.equal({
      uri: realm,
      username: 'bob',
    })
    const rotated = await ask(post(`/realms/${realm}/rotate_keys`, json, '{}'))
    expect(rotated.value).to.have.all.keys('uri', 'kid', 'active_from')
  })

  it('deletes a realm', async () => {
    await made.realms.load({ uri: 'com.example.gone' })
    const request = bare('DELETE', '/realms/com.example.gone')
    expect((await ask(request)).status).to.equal(204)
    expect((await ask(request)).status).to.equal(404)
  })

  it('gives a ticket to a user without any role, for itself', async () => {
    const body = '{"expiry_time_secs":60}'
    const { status, value } = await ask(post('/services/ticket/issue', json, body, [as('user')]))
    // the credentials have no roles: there is no grant in the realm that asks for one
    expect({ status, authid: value.authid }).to.deep.equal({ status: 200, authid: 'lou' })
    const revoke = post('/services/ticket/revoke', json, JSON.stringify({ ticket: value.ticket }), [
      as('user'),
    ])
    expect((await ask(revoke)).value).to.deep.equal({ id: value.id })
    // a local request is of nobody in particular
    const own = await ask(post('/services/ticket/issue', json, '{}'))
    expect(own.status).to.equal(403)
  })
})
