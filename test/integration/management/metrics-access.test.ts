/** `/metrics` of the admin listener is given as management is: by Host and credentials, and of one realm to its readers. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

const [admin, one, other] = ['com.example.admin', 'com.example.one', 'com.example.other']

const realmOf = (uri: string) => ({
  uri,
  authmethods: ['anonymous', 'wampcra', 'oauth2'],
  users: [{ username: 'ops', groups: ['spec_reader'] }, { username: 'guest' }],
})

const specOf = (id: string, realm_uri: string) => ({
  ...{ id, host: '_', realm_uri },
  versions: {
    one: {
      base_path: `/${id}`,
      paths: { '/x': { get: { action: { type: 'static', body: id }, response: {} } } },
    },
  },
})

describe('/metrics of the admin listener', () => {
  let gateway: TestGateway
  const keys = new Map<string, string>()
  const ask = (headers: Readonly<Record<string, string>> = {}, path = '/metrics') =>
    send(gateway.adminUrl, path, { headers })
  const by = (user: string) => ({ authorization: `Bearer ${keys.get(user) ?? user}` })

  before(async () => {
    gateway = await startGateway(
      { 'admin.realm': admin, 'health.listen': '127.0.0.1:0' },
      { isEmbedded: true },
    )
    for (const uri of [admin, one, other]) {
      const body = realmOf(uri)
      await send(gateway.adminUrl, '/services/load_realm', { method: 'POST', body })
      for (const user of ['ops', 'guest']) {
        const path = `/realms/${uri}/users/${user}/api_keys`
        const issued = await send(gateway.adminUrl, path, { method: 'POST', body: {} })
        keys.set(`${user} ${uri}`, (issued.json() as { readonly api_key: string }).api_key)
      }
    }
    for (const [id, realm] of [
      ['of_one', one],
      ['of_other', other],
    ] as const) {
      expect((await gateway.load(specOf(id, realm))).body.warnings).to.deep.equal([])
      expect((await send(gateway.url, `/${id}/x`)).status).to.equal(200)
    }
  })
  after(() => gateway.stop())

  for (const [what, headers, status] of [
    ['a request of this machine', {}, 200],
    ['a scraper of this machine by name', { host: 'localhost:18081' }, 200],
    ['a page that rebinds its name', { host: 'evil.example:18081' }, 401],
    ['a name that ends like this machine', { host: 'localhost.evil.example' }, 401],
    ['a name of one that is in its network', { host: '10.0.0.1:18081' }, 401],
    ['a client behind a proxy', { 'x-forwarded-for': '203.0.113.7' }, 401],
    ['a page of another origin', { origin: 'https://evil.example' }, 403],
    ['bad credentials', by('no'), 401],
  ] as const) {
    it(`answers ${status} to ${what}, as management does`, async () => {
      const [metrics, specs] = [await ask(headers), await ask(headers, '/api_specs')]
      expect([metrics.status, specs.status]).to.deep.equal([status, status])
      if (status === 200) expect(metrics.text).to.include('of_one').and.include('of_other')
      else expect(metrics.text).to.not.include('of_one')
      expect((await ask(headers, '/ping')).status).to.equal(200)
    })
  }

  it('has everything for a reader of all realms, whatever Host is', async () => {
    const { status, text } = await ask({ ...by(`ops ${admin}`), host: 'gateway.internal' })
    expect(status).to.equal(200)
    expect(text).to.include('api="of_one"').and.include('api="of_other"')
    expect(text).to.include('process_cpu_seconds_total')
  })

  for (const [realm, own, others] of [
    [one, 'of_one', 'of_other'],
    [other, 'of_other', 'of_one'],
  ] as const) {
    for (const accept of ['text/plain', 'application/openmetrics-text']) {
      it(`has for a reader of ${realm} the series of its documents alone, as ${accept}`, async () => {
        const { status, text } = await ask({ ...by(`ops ${realm}`), accept })
        expect(status).to.equal(200)
        expect(text).to.include(`api="${own}",version="one",route="/${own}/x"`)
        expect(text).to.not.include(others)
        expect(text).to.not.include('api=""')
        const samples = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
        expect(samples.filter((line) => !line.includes(`api="${own}"`))).to.deep.equal([])
        expect(text.endsWith('# EOF\n')).to.equal(accept !== 'text/plain')
      })
    }
  }

  it('has nothing of a document once it is of another realm', async () => {
    await gateway.load(specOf('moves', one))
    await send(gateway.url, '/moves/x')
    expect((await ask(by(`ops ${one}`))).text).to.include('api="moves"')
    await gateway.load(specOf('moves', other))
    expect((await ask(by(`ops ${one}`))).text).to.not.include('moves')
    expect((await ask(by(`ops ${other}`))).text).to.include('api="moves"')
  })

  it('is 403 for users who may not manage', async () => {
    for (const realm of [admin, one]) {
      expect((await ask(by(`guest ${realm}`))).status).to.equal(403)
    }
  })
})
