/** The keys of issuers: when they are fetched, and what holds while an issuer is away, slow, or hostile. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { issuerSources } from '#component/wiring/status/issuer-status.ts'
import { untilHolds } from '#test/support/running/until.ts'
import type { Answer } from './fake-issuer.ts'
import { answerTo, type Foreign, openForeign } from './fixture.ts'

const metadata = '/.well-known/openid-configuration'
const away = '503 the keys of the issuer of the token cannot be fetched now'
const forged = '401 the signature of the token is wrong'
const unknown = '401 the signing key of the token is unknown'

describe('the keys of an issuer', () => {
  let node: Foreign
  beforeEach(async () => {
    node = await openForeign('corp')
  })
  afterEach(() => node.close())

  const answer = async (token: string) => answerTo(() => node.ask(token))
  const breakKeys = (how: Answer = { status: 500 }) => {
    node.server.answers = { '/jwks': how }
  }

  it('are fetched once for many tokens at once, by the metadata of the issuer', async () => {
    const tokens = await Promise.all(
      ['a', 'b', 'c'].map((sub) => node.server.token({ claims: { sub } })),
    )
    const answers = await Promise.all(tokens.map(answer))
    expect(answers).to.deep.equal(['ok corp|a', 'ok corp|b', 'ok corp|c'])
    expect(node.server.asked).to.deep.equal([metadata, '/jwks'])
  })

  it('are fetched where the realm says, without metadata', async () => {
    await node.declare({ jwks_uri: `${node.server.url}/jwks` })
    expect(await answer(await node.server.token())).to.equal('ok corp|ada')
    expect(node.server.asked).to.deep.equal(['/jwks'])
  })

  it('are found by the metadata of RFC 8414 where there is no other', async () => {
    const { url } = node.server
    node.server.answers = {
      [metadata]: { status: 404 },
      '/.well-known/oauth-authorization-server': { body: { issuer: url, jwks_uri: `${url}/jwks` } },
    }
    expect(await answer(await node.server.token())).to.equal('ok corp|ada')
  })

  it('verify a token once, and a known token without a fetch', async () => {
    const token = await node.server.token()
    await answer(token)
    expect(node.tokens.lookups).to.deep.equal({ hit: 0, miss: 1 })
    expect(node.ask(token)).to.have.property('authid', 'corp|ada')
    expect(node.tokens.lookups).to.deep.equal({ hit: 1, miss: 1 })
    expect(node.server.asked).to.have.length(2)
  })

  it('are fetched again when they are ten minutes old, and a moment earlier without anybody waiting', async () => {
    const token = await node.server.token()
    await answer(token)
    node.pass(539)
    expect(node.ask(token)).to.have.property('authid', 'corp|ada')
    expect(node.server.asked).to.have.length(2)
    node.pass(1)
    expect(node.ask(token)).to.have.property('authid', 'corp|ada')
    await untilHolds(() => node.keys.all[0]?.age === 0)
    node.pass(700)
    expect(await answer(token)).to.equal('ok corp|ada')
    expect(node.server.asked).to.have.length(6)
  })

  it('refuse a known token once they are others', async () => {
    const token = await node.server.token()
    await answer(token)
    await node.server.rotate('k2')
    node.pass(600)
    expect(await answer(token)).to.equal(unknown)
  })

  it('are fetched for a new kid, at most once in 30 seconds', async () => {
    await answer(await node.server.token())
    await node.server.rotate('k2')
    const token = await node.server.token()
    node.pass(29)
    expect(await answer(token)).to.equal(unknown)
    expect(node.server.asked).to.have.length(2)
    node.pass(1)
    const both = await Promise.all([token, token].map(answer))
    expect(both).to.deep.equal(['ok corp|ada', 'ok corp|ada'])
    expect(node.server.asked).to.have.length(4)
    for (const kid of ['x1', 'x2', 'x3']) {
      expect(await answer(await node.server.token({ header: { kid } }))).to.equal(unknown)
    }
    expect(node.server.asked).to.have.length(4)
  })

  it('are fetched for a signature that fits no key of its kid, at most once in 30 seconds', async () => {
    await answer(await node.server.token())
    await node.server.rotate('k1')
    const token = await node.server.token()
    node.pass(29)
    expect(await answer(token)).to.equal(forged)
    expect(node.server.asked).to.have.length(2)
    node.pass(1)
    const both = await Promise.all([token, token].map(answer))
    expect(both).to.deep.equal(['ok corp|ada', 'ok corp|ada'])
    expect(node.server.asked).to.have.length(4)
    const [head = '', payload = '', signature = ''] = token.split('.')
    const other = (signature.startsWith('A') ? 'B' : 'A') + signature.slice(1)
    for (let turn = 0; turn < 3; turn++) {
      expect(await answer([head, payload, other].join('.'))).to.equal(forged)
    }
    expect(node.server.asked).to.have.length(4)
    node.pass(30)
    breakKeys()
    expect(await answer([head, payload, other].join('.')), 'while it is away').to.equal(forged)
    expect(await answer(token)).to.equal('ok corp|ada')
  })

  it('serve on for a day while the issuer is away; then its tokens get 503', async () => {
    const token = await node.server.token({ claims: { exp: 1_763_740_800 + 172_800 } })
    await node.declare({ max_lifetime_secs: 172_800 })
    expect(await answer(token)).to.equal('ok corp|ada')
    breakKeys()
    for (let hour = 1; hour < 24; hour++) {
      node.pass(3600)
      expect(await answer(token), `hour ${hour}`).to.equal('ok corp|ada')
    }
    node.pass(3599)
    expect(await answer(token)).to.equal('ok corp|ada')
    node.pass(1)
    expect(await answer(token)).to.equal(away)
    node.server.answers = {}
    node.pass(30)
    expect(await answer(token)).to.equal('ok corp|ada')
    const lines = node.logged.filter(([, text]) => String(text).includes('keys'))
    const { url: issuer } = node.server
    const reason = `${issuer}/jwks returned the status 500`
    expect(lines).to.deep.equal([
      [{ issuer, reason }, 'the keys of an issuer cannot be fetched: the known keys serve on'],
      [{ issuer }, 'the keys of an issuer are there again'],
    ])
  })

  it('that are away make no request wait a second time', async () => {
    const token = await node.server.token()
    await answer(token)
    breakKeys()
    node.pass(700)
    await answer(token)
    breakKeys({ isNever: true })
    node.pass(700)
    expect(node.ask(token)).to.have.property('authid', 'corp|ada')
  })

  it('may have a new one while the issuer is away, so that its tokens get 503', async () => {
    await answer(await node.server.token())
    await node.server.rotate('k2')
    breakKeys()
    node.pass(60)
    const token = await node.server.token()
    expect(await answer(token)).to.equal(away)
    expect(await answer(token)).to.equal(away)
    expect(node.server.asked).to.have.length(4)
  })

  const hostile: readonly (readonly [what: string, answers: Record<string, Answer>])[] = [
    ['refuses', { '/jwks': { status: 500 } }],
    ['says that there are none', { '/jwks': { status: 204 } }],
    ['answers with a page', { '/jwks': { body: '<html>' } }],
    ['answers with a list', { '/jwks': { body: [] } }],
    ['answers with a map without keys', { '/jwks': { body: { keys: 'k1' } } }],
    ['answers with more than 512 KiB', { '/jwks': { body: 'x'.repeat(524_289) } }],
    [
      'redirects',
      { '/jwks': { status: 302, headers: { location: '/others' }, body: { keys: [] } } },
    ],
    ['redirects its metadata', { [metadata]: { status: 301, headers: { location: '/others' } } }],
    [
      'has metadata of another issuer',
      { [metadata]: { body: { issuer: 'https://x.example', jwks_uri: 'https://x.example/jwks' } } },
    ],
    ['has metadata without keys', { [metadata]: { body: { issuer: 'self' } } }],
    [
      'leads to a link-local address',
      { [metadata]: { body: { issuer: 'self', jwks_uri: 'http://169.254.169.254/jwks' } } },
    ],
    [
      'leads to no web address',
      { [metadata]: { body: { issuer: 'self', jwks_uri: 'file:///etc/passwd' } } },
    ],
  ]
  for (const [what, answers] of hostile) {
    it(`are away when it ${what}: 503 with Retry-After, and 5 seconds later the next attempt`, async () => {
      const honest = JSON.stringify(answers).replaceAll('"self"', JSON.stringify(node.server.url))
      node.server.answers = JSON.parse(honest)
      const token = await node.server.token()
      const refusal = await Promise.resolve()
        .then(() => node.ask(token))
        .catch((error: unknown) => error)
      if (!(refusal instanceof ServiceError)) throw new Error('expected a refusal')
      expect([refusal.status, refusal.headers]).to.deep.equal([503, { 'retry-after': '5' }])
      const { length } = node.server.asked
      node.pass(4)
      expect(await answer(token)).to.equal(away)
      expect(node.server.asked).to.have.length(length)
      node.server.answers = {}
      node.pass(1)
      expect(await answer(token)).to.equal('ok corp|ada')
    })
  }

  it('are away when they do not come in time', async () => {
    breakKeys({ isNever: true })
    const asking = answer(await node.server.token())
    while (!node.server.asked.includes('/jwks')) await node.server.nextRequest()
    node.clock.elapse()
    expect(await asking).to.equal(away)
  })

  it('are those of their issuer, also where two have the same kid', async () => {
    await node.close()
    node = await openForeign('corp', 'partner')
    const [corp, partner] = node.servers
    if (!corp || !partner) throw new Error('expected two issuers')
    const token = await partner.token()
    expect(await answerTo(() => node.ask(token, 'partner'))).to.equal('ok partner|ada')
    expect(await answerTo(() => node.ask(token, 'corp'))).to.equal(
      '401 the token comes from another issuer',
    )
    const forged = await partner.token({ claims: { iss: corp.url } })
    expect(await answerTo(() => node.ask(forged, 'corp'))).to.equal(
      '401 the signature of the token is wrong',
    )
    expect(await answerTo(async () => node.ask(await corp.token(), 'corp'))).to.equal('ok corp|ada')
  })

  it('are told in metrics: how often they were fetched, with which result, and how old they are', async () => {
    const { gateway_jwks_fetches_total: fetches, gateway_jwks_age_seconds: age } = issuerSources(
      node.keys,
    )
    expect([fetches?.read(), age?.read()]).to.deep.equal([[], []])
    const token = await node.server.token()
    breakKeys()
    await answer(token)
    const issuer = node.server.url
    expect(age?.read()).to.deep.equal([])
    node.server.answers = {}
    node.pass(5)
    await answer(token)
    node.pass(7)
    expect(fetches?.read()).to.deep.equal([
      { labels: { issuer, result: 'ok' }, value: 1 },
      { labels: { issuer, result: 'failed' }, value: 1 },
    ])
    expect(age?.read()).to.deep.equal([{ labels: { issuer }, value: 7 }])
  })
})
