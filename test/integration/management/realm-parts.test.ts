/** One user or one grant of a realm, set and deleted, and the versions that this leaves: over HTTP and over WAMP. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpAnswer, send } from '#test/support/http-request.ts'
import { type CallingClient, plainClients } from '#test/support/peers/wamp-clients.ts'

const uri = 'com.example.parts'
const grant = { permissions: ['wamp.call'], uri: 'com.books.', match: 'prefix', roles: ['staff'] }
const document = {
  uri,
  authmethods: ['password'],
  users: [{ username: 'ada lovelace', password: 'p', groups: ['staff'] }],
  grants: [grant],
}

describe('the parts of a realm', () => {
  let gateway: TestGateway
  let client: CallingClient
  before(async () => {
    gateway = await startGateway()
    client = await plainClients.wampy(gateway.routerUrl, 'service.gateway')
  })
  after(async () => {
    await client.close()
    await gateway.stop()
  })
  beforeEach(async () => {
    const { status } = await send(gateway.adminUrl, '/realms', { method: 'POST', body: document })
    expect(status).to.be.oneOf([200, 201])
  })

  const ask = (
    method: string,
    rest: string,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {},
  ) => send(gateway.adminUrl, `/realms/${uri}${rest}`, { method, body, headers })
  const shown = async () => (await ask('GET', '')).json() as typeof document
  const codeOf = (answer: HttpAnswer) => [
    answer.status,
    (answer.json() as { readonly code: string }).code,
  ]

  it('are set by PUT: 201 for what is new, 200 for what is changed', async () => {
    const added = await ask('PUT', '/users/bob%20b', { password: 'x', groups: ['staff'] })
    expect(added.status, added.text).to.equal(201)
    expect(added.json()).to.deep.include({ uri, username: 'bob b', warnings: [] })
    expect(added.headers.etag).to.equal((await ask('GET', '')).headers.etag)
    const changed = await ask('PUT', '/users/ada%20lovelace', { groups: null })
    expect(changed.status).to.equal(200)
    expect((await shown()).users).to.deep.equal([
      { username: 'ada lovelace' },
      { username: 'bob b', groups: ['staff'] },
    ])
    const granted = await ask('PUT', '/grants', { ...grant, permissions: ['wamp.publish'] })
    expect([
      granted.status,
      (await ask('PUT', '/grants', { ...grant, uri: 'x' })).status,
    ]).to.deep.equal([200, 201])
    expect((await shown()).grants.map(({ permissions }) => permissions)).to.deep.equal([
      ['wamp.publish'],
      ['wamp.call'],
    ])
  })

  it('are deleted', async () => {
    expect((await ask('DELETE', '/users/ada%20lovelace')).status).to.equal(204)
    expect((await ask('DELETE', '/users/ada%20lovelace')).status).to.equal(404)
    const { permissions: _, ...named } = grant
    expect((await ask('POST', '/grants/delete', named)).status).to.equal(200)
    expect(codeOf(await ask('POST', '/grants/delete', named))).to.deep.equal([
      ...[404, 'service.error.not_found'],
    ])
    expect(await shown()).to.deep.include({ users: [], grants: [] })
  })

  it('are the same over WAMP', async () => {
    const user = { username: 'eve', password: 'x' }
    const set = await client.call('service.set_user', [uri, user])
    expect(set.args[0]).to.deep.include({ uri, username: 'eve', warnings: [] })
    await client.call('service.set_grant', [], { uri, grant: { ...grant, roles: 'eve' } })
    const whole = await shown()
    expect([whole.users.length, whole.grants.length]).to.deep.equal([2, 2])
    await client.call('service.delete_grant', [uri, { ...grant, roles: 'eve' }])
    await client.call('service.delete_user', [], { uri, username: 'eve' })
    const { ts: _, ...rest } = (await shown()) as typeof document & { readonly ts: number }
    expect(rest.users.map(({ username }) => username)).to.deep.equal(['ada lovelace'])
    expect(rest.grants).to.deep.equal(document.grants)
  })

  it('are refused with every issue by pointers into the part', async () => {
    const refused = await ask('PUT', '/users/eve', { password: '', groups: 5 })
    expect(refused.status).to.equal(400)
    const { details } = refused.json() as { readonly details: readonly { path: string }[] }
    expect(details.map(({ path }) => path)).to.have.members(['/password', '/groups'])
    const other = await ask('PUT', '/users/eve', { username: 'bob' })
    expect(codeOf(other)).to.deep.equal([400, 'wamp.error.invalid_argument'])
    const plain = await ask('PUT', '/users/eve', '{}', { 'content-type': 'text/plain' })
    expect(plain.status).to.equal(415)
  })

  it('can be required to be of the version that was read, by If-Match', async () => {
    const stale = { 'if-match': String((await ask('GET', '')).headers.etag) }
    expect((await ask('PUT', '/users/eve', {}, stale)).status).to.equal(201)
    for (const answer of [
      await ask('PUT', '/users/bob', {}, stale),
      await ask('DELETE', '/users/eve', undefined, stale),
      await ask('PUT', '/grants', grant, stale),
      await ask('DELETE', '', undefined, stale),
      await send(gateway.adminUrl, '/realms', { method: 'POST', body: document, headers: stale }),
    ]) {
      expect(codeOf(answer)).to.deep.equal([412, 'service.error.conflict'])
    }
    const known = await ask('GET', '', undefined, {
      'if-none-match': String((await ask('GET', '')).headers.etag),
    })
    expect(known.status).to.equal(304)
  })

  it('leave versions that are read, compared and brought back', async () => {
    const hash = String((await ask('GET', '')).headers.etag).slice(1, -1)
    const before = await shown()
    await ask('PUT', '/users/eve', { password: 'x' })
    const versions = (await ask('GET', '/versions')).json() as readonly { hash: string }[]
    expect(versions[1]).to.include({ hash, is_current: false })
    expect((await ask('GET', `/versions/${hash}`)).json()).to.deep.equal(before)
    const added = { username: 'eve', password: '[masked]' }
    const difference = [{ path: '/users/1', kind: 'added', to: added }]
    expect((await ask('GET', `/versions/${hash}/diff`)).json()).to.deep.equal(difference)
    const called = await client.call('service.diff_realm', [uri, hash, versions[0]?.hash])
    expect(called.args).to.deep.equal([difference])
    expect((await ask('POST', '/rollback', { hash })).status).to.equal(200)
    expect((await shown()).users).to.deep.equal(before.users)
    expect((await ask('DELETE', '')).status).to.equal(204)
    const back = await ask('POST', '/rollback', { hash })
    expect([back.status, back.headers.location]).to.deep.equal([201, `/realms/${uri}`])
  })
})
