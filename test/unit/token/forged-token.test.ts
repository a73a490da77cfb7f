/** Tokens that were not issued here, or not as they are: each is refused, nearly all before any cryptography. */
import { createHmac, createPublicKey } from 'node:crypto'
import { expect } from 'chai'
import { CompactEncrypt, CompactSign, exportJWK, generateKeyPair, type JWK } from 'jose'
import {
  ada,
  decode,
  encode,
  iss,
  openTokens,
  otherRealm,
  realm_uri,
  reasonAtOnce,
  reasonOf,
  resigned,
  type Tokens,
} from './doubles.ts'

interface Case {
  readonly what: string
  readonly reason: string
  make(tokens: Tokens, token: string): string | Promise<string>
}

const algorithm = 'the algorithm of the token is not allowed'
const headerRefused = 'the header of the token is not allowed'
const malformed = 'the token is malformed'
const unknownKey = 'the signing key of the token is unknown'
const lacksClaim = 'the token lacks a required claim'
const lacksInstant = 'a time claim of the token is missing or malformed'

/** A token with another header, and the signature it had. */
const withHeader = (token: string, header: Readonly<Record<string, unknown>>): string => {
  const [, payload, signature] = token.split('.')
  return [encode({ ...decode(token, 0), ...header }), payload, signature].join('.')
}

/** The only key of the realm, as everybody can fetch it. */
const published = ({ keys }: Tokens): JWK => keys.jwks(realm_uri).keys[0] ?? {}

const pemOf = (tokens: Tokens) =>
  createPublicKey({ key: { ...published(tokens) }, format: 'jwk' }).export({
    type: 'spki',
    format: 'pem',
  })

/** Well signed with a key of the sender's own, which the header brings along. */
async function selfSigned(token: string, header: (jwk: JWK) => Record<string, unknown>) {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk = await exportJWK(publicKey)
  return new CompactSign(Buffer.from(JSON.stringify(decode(token, 1))))
    .setProtectedHeader({ ...decode(token, 0), alg: 'ES256', ...header(jwk) })
    .sign(privateKey)
}

const withClaims =
  (claims: Readonly<Record<string, unknown>>): Case['make'] =>
  (tokens, token) =>
    resigned(tokens, token, { claims })

const withKid =
  (kid: unknown): Case['make'] =>
  (_tokens, token) =>
    withHeader(token, { kid })

const start = 1_763_740_800

/** Refused at once. What has other claims is signed by the realm's own key. */
const cheap: readonly Case[] = [
  { what: 'no text', reason: malformed, make: () => '' },
  { what: 'one part', reason: malformed, make: () => 'token' },
  { what: 'five parts (JWE)', reason: malformed, make: (_tokens, token) => encrypted(token) },
  {
    what: 'a first part that is no JSON',
    reason: malformed,
    make: (_tokens, token) => `x${token}`,
  },
  {
    what: 'a list for claims',
    reason: malformed,
    make: (_tokens, token) => withPayload(token, []),
  },
  {
    what: 'null for claims',
    reason: malformed,
    make: (_tokens, token) => withPayload(token, null),
  },
  { what: 'padding', reason: malformed, make: (_tokens, token) => `${token}==` },
  { what: 'a blank', reason: malformed, make: (_tokens, token) => `${token} ` },
  { what: 'a line feed', reason: malformed, make: (_tokens, token) => `${token}\n` },
  {
    what: 'the alphabet of base64',
    reason: malformed,
    make: (_tokens, token) => token.replace(/.$/, '+'),
  },
  {
    what: 'alg none, without a signature',
    reason: malformed,
    make: (_tokens, token) => `${withHeader(token, { alg: 'none' }).replace(/[^.]*$/, '')}`,
  },
  {
    what: 'alg none',
    reason: algorithm,
    make: (_tokens, token) => withHeader(token, { alg: 'none' }),
  },
  {
    what: 'alg HS256, keyed with our public key',
    reason: malformed,
    make: (tokens, token) => hs256(token, pemOf(tokens)),
  },
  {
    what: 'alg HS256, as long as a signature of ES256',
    reason: algorithm,
    make: (tokens, token) => `${hs256(token, pemOf(tokens))}${'A'.repeat(43)}`,
  },
  {
    what: 'alg ES384',
    reason: algorithm,
    make: (_tokens, token) => withHeader(token, { alg: 'ES384' }),
  },
  {
    what: 'the type of a plain JWT',
    reason: 'the token has the wrong type',
    make: (_tokens, token) => withHeader(token, { typ: 'JWT' }),
  },
  {
    what: 'no type',
    reason: 'the token has the wrong type',
    make: (_tokens, token) => withHeader(token, { typ: undefined }),
  },
  {
    what: 'a key in the header (jwk)',
    reason: headerRefused,
    make: (_tokens, token) => selfSigned(token, (jwk) => ({ jwk })),
  },
  {
    what: 'the address of a key (jku)',
    reason: headerRefused,
    make: (_tokens, token) => selfSigned(token, () => ({ jku: 'http://127.0.0.1:1/keys' })),
  },
  {
    what: 'an unknown extension that must be understood (crit)',
    reason: headerRefused,
    make: (tokens, token) => resigned(tokens, token, { header: { crit: ['x'], x: 1 } }),
  },
  { what: 'no kid', reason: headerRefused, make: withKid(undefined) },
  { what: 'a list as kid', reason: headerRefused, make: withKid(['x']) },
  { what: 'a path as kid', reason: unknownKey, make: withKid('../../../dev/null') },
  { what: 'SQL as kid', reason: unknownKey, make: withKid("x' OR 1=1--") },
  {
    what: 'the name of a member of all objects as kid',
    reason: unknownKey,
    make: withKid('constructor'),
  },
  {
    what: 'the key of another realm',
    reason: unknownKey,
    make: async ({ keys }, token) =>
      withHeader(token, { kid: (await keys.signingKey(otherRealm)).kid }),
  },
  {
    what: 'another realm as audience',
    reason: 'the token was issued for another realm',
    make: withClaims({ aud: otherRealm }),
  },
  {
    what: 'a list with the realm as audience',
    reason: 'the token was issued for another realm',
    make: withClaims({ aud: [realm_uri] }),
  },
  { what: 'no exp', reason: lacksInstant, make: withClaims({ exp: undefined }) },
  { what: 'text as exp', reason: lacksInstant, make: withClaims({ exp: '9999999999' }) },
  { what: 'exp 1e300', reason: lacksInstant, make: withClaims({ exp: 1e300 }) },
  {
    what: 'a lifetime of a year',
    reason: 'the lifetime of the token is too long',
    make: withClaims({ exp: start + 31_536_000 }),
  },
  { what: 'exp now', reason: 'the token has expired', make: withClaims({ exp: start }) },
  { what: 'no iat', reason: lacksInstant, make: withClaims({ iat: undefined }) },
  {
    what: 'iat a day ahead',
    reason: 'the token is not valid yet',
    make: withClaims({ iat: start + 86_400, exp: start + 86_500 }),
  },
  {
    what: 'nbf in the future',
    reason: 'the token is not valid yet',
    make: withClaims({ nbf: start + 120 }),
  },
  { what: 'nbf 1e300', reason: lacksInstant, make: withClaims({ nbf: 1e300 }) },
  { what: 'no jti', reason: lacksClaim, make: withClaims({ jti: undefined }) },
  { what: 'an empty jti', reason: lacksClaim, make: withClaims({ jti: '' }) },
  { what: 'a number as sub', reason: lacksClaim, make: withClaims({ sub: 1 }) },
  { what: 'no iss', reason: lacksClaim, make: withClaims({ iss: undefined }) },
  {
    what: '9 KiB',
    reason: 'the token is too long',
    make: withClaims({ text: 'x'.repeat(9 * 1024) }),
  },
]

const wrong = 'the signature of the token is wrong'

/** Refused by the cryptography. */
const costly: readonly Case[] = [
  {
    what: 'a signature with r = s = 0',
    reason: wrong,
    make: (_tokens, token) => token.replace(/[^.]*$/, 'A'.repeat(86)),
  },
  {
    what: 'other claims under the same signature',
    reason: wrong,
    make: (_tokens, token) => withPayload(token, { ...decode(token, 1), sub: 'eve' }),
  },
  {
    what: 'a signature by a key of the sender',
    reason: wrong,
    make: (_tokens, token) => selfSigned(token, () => ({})),
  },
]

async function encrypted(token: string): Promise<string> {
  return new CompactEncrypt(Buffer.from(token))
    .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
    .encrypt(new Uint8Array(32))
}

function hs256(token: string, key: string | Buffer): string {
  const [header, payload] = withHeader(token, { alg: 'HS256' }).split('.')
  const mac = createHmac('sha256', key).update(`${header}.${payload}`).digest('base64url')
  return `${header}.${payload}.${mac}`
}

function withPayload(token: string, claims: unknown): string {
  const [header, , signature] = token.split('.')
  return [header, encode(claims), signature].join('.')
}

describe('an access token with', () => {
  for (const { what, reason, make } of cheap) {
    it(`${what} is refused before any cryptography`, async () => {
      const tokens = await openTokens()
      const { token } = await tokens.accessTokens.issue(realm_uri, iss, ada)
      const forged = await make(tokens, token)
      expect(reasonAtOnce(() => tokens.accessTokens.verify(forged, realm_uri))).to.equal(reason)
    })
  }

  for (const { what, reason, make } of costly) {
    it(`${what} is refused, each time`, async () => {
      const tokens = await openTokens()
      const { token } = await tokens.accessTokens.issue(realm_uri, iss, ada)
      const forged = await make(tokens, token)
      const verify = () => tokens.accessTokens.verify(forged, realm_uri)
      expect(reasonAtOnce(verify)).to.equal(undefined)
      expect(await reasonOf(verify)).to.equal(reason)
      expect(await reasonOf(verify)).to.equal(reason)
    })
  }

  it('claims that are signed again and allowed is accepted, so that the cases above say something', async () => {
    const tokens = await openTokens()
    const { token } = await tokens.accessTokens.issue(realm_uri, iss, ada)
    const again = await resigned(tokens, token, { claims: { nbf: start, iat: start + 120 } })
    expect(await reasonOf(() => tokens.accessTokens.verify(again, realm_uri))).to.equal(undefined)
  })

  it('the signature of a retired key is refused', async () => {
    const tokens = await openTokens()
    await tokens.accessTokens.issue(realm_uri, iss, ada)
    const { key, kid } = await tokens.keys.signingKey(realm_uri)
    await tokens.keys.rotate(realm_uri)
    tokens.pass(300 + 3600)
    const { token } = await tokens.accessTokens.issue(realm_uri, iss, ada)
    const late = await new CompactSign(Buffer.from(JSON.stringify(decode(token, 1))))
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid })
      .sign(key)
    expect(reasonAtOnce(() => tokens.accessTokens.verify(late, realm_uri))).to.equal(unknownKey)
  })
})
