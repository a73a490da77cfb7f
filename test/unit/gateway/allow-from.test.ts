/** `allow_from`: which clients a path is served to, by their address. */
import { expect } from 'chai'
import { testDocument } from '#component/examples/examples.ts'
import { examplePorts } from '#test/unit/examples/ports.ts'
import { call, documentOf, FakeExchange, fixed, issuesOf, serve } from './fake-exchange.ts'

const office = { allow_from: ['10.0.0.0/8', '2001:db8::/32', '192.0.2.7'] }
const path = { ...office, get: fixed('in') }

/** What one client is answered at `/v1/x`. */
const statusFor = async (document: unknown, peer: string, line = 'GET /v1/x') =>
  (await serve(document).ask(line, { peer })).status

describe('allow_from', () => {
  for (const [peer, status] of [
    ['10.0.0.0', 200],
    ['10.255.255.255', 200],
    ['::ffff:10.1.2.3', 200],
    ['2001:db8::1', 200],
    ['192.0.2.7', 200],
    ['11.0.0.0', 403],
    ['192.0.2.6', 403],
    ['2001:db9::1', 403],
    ['::1', 403],
    ['', 403],
    ['unknown', 403],
  ] as const) {
    it(`answers ${JSON.stringify(peer)} with ${status}`, async () => {
      expect(await statusFor(documentOf({ '/x': path }), peer)).to.equal(status)
    })
  }

  it('admits every address, IPv6 too, by 0.0.0.0/0', async () => {
    const document = documentOf({ '/x': { ...path, allow_from: ['0.0.0.0/0'] } })
    for (const peer of ['1.2.3.4', '2001:db8::1', '::1']) {
      expect(await statusFor(document, peer)).to.equal(200)
    }
  })

  it('refuses before credentials are asked for, and before the body is read', async () => {
    const security = { type: 'basic' }
    const secured = { ...office, security, post: call({ args: ['{{request.body}}'] }) }
    const served = serve(documentOf({ '/x': secured }))
    const exchange = new FakeExchange('POST /v1/x', { body: '{' })
    const reply = await served.handle(exchange)
    expect([reply?.status, reply?.error?.uri]).to.deep.equal([403, 'wamp.error.not_authorized'])
    expect(reply?.headers).not.to.have.property('www-authenticate')
    expect(exchange.bodyUse).to.equal(undefined)
    expect(await statusFor(documentOf({ '/x': secured }), '10.0.0.1', 'POST /v1/x')).to.equal(401)
  })

  it('holds for OPTIONS, declared or not, and for HEAD', async () => {
    for (const more of [{}, { options: fixed() }]) {
      const document = documentOf({ '/x': { ...path, ...more } })
      for (const line of ['OPTIONS /v1/x', 'HEAD /v1/x']) {
        expect(await statusFor(document, '11.0.0.1', line)).to.equal(403)
        expect(await statusFor(document, '10.0.0.1', line)).to.be.below(300)
      }
    }
  })

  it('is inherited, and replaced by lower levels', async () => {
    const everywhere = { allow_from: ['0.0.0.0/0'] }
    const document = documentOf(
      {
        '/x': { get: fixed() },
        '/y': { ...everywhere, get: fixed() },
        '/z': { get: { ...fixed(), ...everywhere }, post: fixed() },
        '/d': { defaults: { allow_from: ['11.0.0.1'] }, get: fixed() },
      },
      { defaults: office },
    )
    const statuses = await Promise.all(
      ['GET /v1/x', 'GET /v1/y', 'GET /v1/z', 'POST /v1/z', 'GET /v1/d'].map((line) =>
        statusFor(document, '11.0.0.1', line),
      ),
    )
    expect(statuses).to.deep.equal([403, 200, 200, 403, 200])
  })

  it('holds for generated paths', async () => {
    const security = { type: 'oauth2', flow: 'client_credentials' }
    const document = documentOf({ '/x': { get: fixed() } }, { defaults: { ...office, security } })
    expect(await statusFor(document, '11.0.0.1', 'POST /v1/oauth/token')).to.equal(403)
    expect(await statusFor(document, '10.0.0.1', 'POST /v1/oauth/token')).to.equal(200)
  })

  it('may stand in a security object, and holds beside that of the place', async () => {
    const security = { type: 'basic', allow_from: ['10.1.0.0/16'] }
    const document = documentOf({ '/x': { ...path, security } })
    for (const [peer, status] of [
      ['10.1.0.1', 401],
      ['10.2.0.1', 403],
      ['11.0.0.1', 403],
    ] as const) {
      expect(await statusFor(document, peer)).to.equal(status)
    }
    const alone = documentOf({ '/x': { security, get: fixed() } })
    expect(await statusFor(alone, '10.2.0.1')).to.equal(403)
    expect(serve(alone).api.features).to.deep.equal(['allow_from'])
  })

  it('may be a variable', async () => {
    const variables = { lan: '10.0.0.0/8', office: ['{{variables.lan}}', '192.0.2.7'] }
    const get = fixed()
    const document = documentOf(
      { '/x': { allow_from: '{{variables.office}}', get } },
      { variables },
    )
    expect(await statusFor(document, '10.0.0.1')).to.equal(200)
    expect(await statusFor(document, '11.0.0.1')).to.equal(403)
  })

  it('is a feature that a gateway must know', () => {
    expect(serve(documentOf({ '/x': path })).api.features).to.deep.equal(['allow_from'])
  })

  for (const [what, allow_from, message] of [
    ['no list', '10.0.0.0/8', 'expected a list of networks, such as 10.0.0.0/8, got "10.0.0.0/8"'],
    ['an empty list', [], 'expected a list of networks, such as 10.0.0.0/8, got an empty list'],
    ['a name', ['localhost'], 'expected an IP address or address/prefix, got "localhost"'],
    ['33 bits', ['10.0.0.0/33'], 'expected an IP address or address/prefix, got "10.0.0.0/33"'],
    ['no bits', ['10.0.0.0/'], 'expected an IP address or address/prefix, got "10.0.0.0/"'],
    ['a zone', ['fe80::1%eth0'], 'expected an IP address or address/prefix, got "fe80::1%eth0"'],
    [
      'the request',
      ['{{request.headers.x}}'],
      'allow_from must be known when the specification is loaded: it may not depend on the request',
    ],
  ] as const) {
    it(`does not load with ${what}`, () => {
      const issues = issuesOf(documentOf({ '/x': { ...path, allow_from } }))
      expect(issues.map((issue) => issue.message)).to.deep.equal([message])
      const security = { type: 'basic', allow_from }
      expect(issuesOf(documentOf({ '/x': { security, get: fixed() } }))).to.have.length(1)
    })
  }

  it('is met by the examples of an operation, which may name another address', async () => {
    const examples = {
      inside: { expect: { status: 200 } },
      outside: { request: { peer: '11.0.0.1' }, expect: { status: 403 } },
    }
    const document = documentOf({ '/x': { ...office, get: { ...fixed(), examples } } })
    const { report, issues } = await testDocument(document, examplePorts)
    expect(issues).to.deep.equal([])
    expect(report?.results.flatMap(({ problems }) => problems)).to.deep.equal([])
  })
})
