/** Tokens of other issuers that are refused, and what is asked of the issuer before that. */
import { expect } from 'chai'
import { CompactSign } from 'jose'
import type { TokenChanges } from './fake-issuer.ts'
import { answerTo, type Foreign, openForeign } from './fixture.ts'

/** What is refused before the issuer is asked for its keys. */
const unasked: readonly (readonly [what: string, changes: TokenChanges, reason: string])[] = [
  [
    'with jku',
    { header: { jku: 'https://evil.example/keys' } },
    'the header of the token is not allowed',
  ],
  [
    'with x5u',
    { header: { x5u: 'https://evil.example/cert' } },
    'the header of the token is not allowed',
  ],
  [
    'with a key in it',
    { header: { jwk: { kty: 'EC' } } },
    'the header of the token is not allowed',
  ],
  [
    'with a certificate in it',
    { header: { x5c: ['MII'] } },
    'the header of the token is not allowed',
  ],
  ['with crit', { header: { crit: ['x'], x: 1 } }, 'the header of the token is not allowed'],
  ['with a kid that is no text', { header: { kid: 7 } }, 'the header of the token is not allowed'],
  ['of another type', { header: { typ: 'logout+jwt' } }, 'the token has the wrong type'],
  [
    'of another issuer',
    { claims: { iss: 'https://other.example' } },
    'the token comes from another issuer',
  ],
  ['without iss', { claims: { iss: undefined } }, 'the token comes from another issuer'],
  [
    'for another audience',
    { claims: { aud: 'billing' } },
    'the token was issued for another audience',
  ],
  [
    'for other audiences',
    { claims: { aud: ['billing', 'account'] } },
    'the token was issued for another audience',
  ],
  ['for no audience', { claims: { aud: undefined } }, 'the token was issued for another audience'],
  ['that has expired', { claims: { exp: 1_763_740_770 } }, 'the token has expired'],
  [
    'without exp',
    { claims: { exp: undefined } },
    'a time claim of the token is missing or malformed',
  ],
  [
    'with exp as a text',
    { claims: { exp: '1763744400' } },
    'a time claim of the token is missing or malformed',
  ],
  [
    'with iat as a text',
    { claims: { iat: 'now' } },
    'a time claim of the token is missing or malformed',
  ],
  ['not valid yet', { claims: { nbf: 1_763_740_831 } }, 'the token is not valid yet'],
  ['from the future', { claims: { iat: 1_763_740_831 } }, 'the token is not valid yet'],
  [
    'that lives too long',
    { claims: { exp: 1_763_740_800 + 86_401 } },
    'the lifetime of the token is too long',
  ],
  [
    'that lives too long from now',
    { claims: { iat: undefined, exp: 1_763_740_800 + 86_401 } },
    'the lifetime of the token is too long',
  ],
  [
    'of no user',
    { claims: { sub: undefined } },
    'the claim that names the user is missing or malformed',
  ],
  [
    'of a user with an invisible name',
    { claims: { sub: 'a\u202Eda' } },
    'the claim that names the user is missing or malformed',
  ],
]

describe('a token of another issuer is refused, and nothing is fetched:', () => {
  let node: Foreign
  before(async () => {
    node = await openForeign('corp')
  })
  after(() => node.close())
  afterEach(() => {
    expect(node.server.asked).to.deep.equal([])
  })

  for (const [what, changes, reason] of unasked) {
    it(what, async () => {
      const token = await node.server.token(changes)
      expect(await answerTo(() => node.ask(token))).to.equal(`401 ${reason}`)
    })
  }

  it('one without a required claim', async () => {
    await node.declare({ required_claims: { tid: 'a', 'ext.level': [2, 3] } })
    const lacks = '401 the token lacks a required claim'
    for (const claims of [
      {},
      { tid: 'a' },
      { tid: 'b', ext: { level: 2 } },
      { tid: 'a', ext: { level: 1 } },
    ]) {
      const token = await node.server.token({ claims })
      expect(await answerTo(() => node.ask(token)), JSON.stringify(claims)).to.equal(lacks)
    }
    await node.declare()
  })

  it('no token at all, or one that is malformed', async () => {
    const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const now = Math.floor(node.clock.ms / 1000)
    const claims = part({ iss: node.server.url, aud: 'orders', sub: 'ada', exp: now + 60 })
    for (const [text, reason] of [
      ['x', 'the token is malformed'],
      ['a.b', 'the token is malformed'],
      ['a.b.c', 'the token is malformed'],
      [`${part([1])}.${claims}.c`, 'the token is malformed'],
      [`${part({ alg: 'ES256' })}.${part('text')}.c`, 'the token is malformed'],
      [`${'x'.repeat(16_384)}.b.c`, 'the token is too long'],
      [`${part({ alg: 'none' })}.${claims}.x`, 'the algorithm of the token is not allowed'],
      [`${part({ alg: 'HS256' })}.${claims}.x`, 'the algorithm of the token is not allowed'],
      [`${part({ alg: 'PS256' })}.${claims}.x`, 'the algorithm of the token is not allowed'],
      [`${part({})}.${claims}.x`, 'the algorithm of the token is not allowed'],
    ] as const) {
      expect(await answerTo(() => node.ask(text)), text.slice(0, 60)).to.equal(`401 ${reason}`)
    }
  })

  it('one that is signed with the public key of the issuer as a secret', async () => {
    const secret = Buffer.from(JSON.stringify(node.server.jwks[0]))
    const claims = { iss: node.server.url, aud: 'orders', sub: 'ada', exp: node.clock.ms }
    const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .sign(secret)
    const refusal = '401 the algorithm of the token is not allowed'
    expect(await answerTo(() => node.ask(token))).to.equal(refusal)
  })

  it('one of an issuer that the realm does not have', async () => {
    const token = await node.server.token()
    const refusal = '401 the realm accepts no tokens of the issuer of this path'
    for (const name of ['other', 'toString', '__proto__', 'undefined']) {
      expect(await answerTo(() => node.ask(token, name)), name).to.equal(refusal)
    }
  })

  it('one in a realm that does not serve jwt', async () => {
    const token = await node.server.token()
    await node.declare({}, { authmethods: ['ticket'] })
    const refusal = '401 the realm accepts no tokens of the issuer of this path'
    expect(await answerTo(() => node.ask(token))).to.equal(refusal)
    await node.declare()
  })
})

describe('a token of another issuer', () => {
  let node: Foreign
  beforeEach(async () => {
    node = await openForeign('corp')
  })
  afterEach(() => node.close())

  it('is refused when another one has signed it, under a kid of the issuer', async () => {
    const other = await openForeign('corp')
    const claims = { iss: node.server.url }
    const token = await other.server.token({ claims, header: { kid: 'k1' } })
    await other.close()
    expect(await answerTo(() => node.ask(token))).to.equal(
      '401 the signature of the token is wrong',
    )
  })

  it('is refused when its claims were changed', async () => {
    const [header, , signature] = (await node.server.token()).split('.')
    const [, claims] = (await node.server.token({ claims: { sub: 'eve' } })).split('.')
    const token = [header, claims, signature].join('.')
    expect(await answerTo(() => node.ask(token))).to.equal(
      '401 the signature of the token is wrong',
    )
  })

  it('is refused when its key is for another algorithm, or for encryption', async () => {
    const token = await node.server.token()
    for (const change of [{ alg: 'ES384' }, { use: 'enc' }, { key_ops: ['sign'] }]) {
      const keys = node.server.jwks.map((jwk) => ({ ...jwk, ...change }))
      node.server.answers = { '/jwks': { body: { keys } } }
      expect(await answerTo(() => node.ask(token)), JSON.stringify(change)).to.equal(
        '401 the signing key of the token is unknown',
      )
      node.pass(700)
    }
  })

  it('is refused when the answer has a private key or a broken one', async () => {
    const token = await node.server.token()
    for (const change of [{ x: 'AA' }, { crv: 'P-256', y: undefined }]) {
      const keys = node.server.jwks.map((jwk) => ({ ...jwk, ...change }))
      node.server.answers = { '/jwks': { body: { keys } } }
      expect(await answerTo(() => node.ask(token)), JSON.stringify(change)).to.equal(
        '401 the issuer has no usable key for the token',
      )
      node.pass(700)
    }
  })

  it('without a kid passes by the one key that fits, and is refused where several do', async () => {
    const token = await node.server.token({ header: { kid: undefined } })
    expect(await answerTo(() => node.ask(token))).to.equal('ok corp|ada')
    await node.server.addKey('k2')
    node.pass(700)
    const refusal = '401 the issuer has no usable key for the token'
    expect(await answerTo(() => node.ask(token))).to.equal(refusal)
  })

  it('passes within the tolerance of clocks, and not a second longer', async () => {
    const token = await node.server.token()
    node.pass(3600 + 29)
    expect(await answerTo(() => node.ask(token))).to.equal('ok corp|ada')
    node.pass(1)
    expect(await answerTo(() => node.ask(token))).to.equal('401 the token has expired')
  })

  for (const typ of ['at+jwt', 'JWT', 'jwt', 'application/at+jwt', undefined]) {
    it(`passes with the typ ${typ}`, async () => {
      const token = await node.server.token({ header: { typ } })
      expect(await answerTo(() => node.ask(token))).to.equal('ok corp|ada')
    })
  }

  for (const alg of ['RS256', 'EdDSA']) {
    it(`passes with a signature by ${alg}`, async () => {
      await node.server.addKey('other', alg)
      expect(await answerTo(async () => node.ask(await node.server.token()))).to.equal(
        'ok corp|ada',
      )
    })
  }
})
