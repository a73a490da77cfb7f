/** What loading a realm says of the keys of its issuers of access tokens. */
import { expect } from 'chai'
import type { InvalidSpecError } from '#component/errors.ts'
import { shownRealm } from '#component/realm/documents/shown-realm.ts'
import { realmsWith } from '#test/unit/realm/doubles.ts'

const uri = 'com.example.test'
const least = { issuer: 'https://id.example', audience: ['orders'] }

/** The issues, or the warnings of a realm that was loaded. */
async function findingsOf(issuers: unknown) {
  const { realms } = await realmsWith()
  return realms.load({ uri, authmethods: ['jwt'], info: { jwt_issuers: issuers } }).then(
    ([loaded]) => loaded?.warnings.map(({ path, message }) => `warning ${path}: ${message}`),
    (error: InvalidSpecError) => error.issues.map(({ path, message }) => `${path}: ${message}`),
  )
}

const at = '/info/jwt_issuers'

describe('the keys of an issuer', () => {
  for (const [what, entry] of [
    ['the least', {}],
    ['a private address over https', { issuer: 'https://10.0.0.7' }],
    ['no keys named', { jwks_uri: null }],
    ['http in tests', { issuer: 'http://127.0.0.1:1', allow_unsafe_http: true }],
    ['every key', { jwks_uri: 'https://id.example/keys?v=2', algorithms: ['PS256', 'Ed25519'] }],
    ['a claim with the name of a secret', { required_claims: { token_use: ['access', 1, true] } }],
    ['a mapping to several roles', { role_mapping: { a: ['b', 'c'], d: 'spec_loader' } }],
  ] as const) {
    it(`are taken without a word: ${what}`, async () => {
      expect(await findingsOf({ corp: { ...least, ...entry } })).to.deep.equal([])
    })
  }

  for (const [key, value, message] of [
    ['issuer', undefined, 'issuer is missing: expected the URL of the issuer'],
    ['issuer', 'id.example', 'expected an absolute URL of http or https without a query'],
    ['issuer', 'https://x?tenant=1', 'expected an absolute URL of http or https without a query'],
    ['issuer', 'http://id.example', 'expected https, or allow_unsafe_http: true'],
    ['jwks_uri', 'http://id.example/keys', 'expected https, or allow_unsafe_http: true'],
    ['jwks_uri', 'ftp://id.example', 'expected an absolute URL of http or https'],
    ['audience', undefined, 'audience is missing: expected a list of at least one audience'],
    ['audience', [], 'expected a list of at least one audience, got an empty list'],
    ['audience', 'orders', 'expected a list of at least one audience'],
    ['typ', [], 'expected a list of at least one type, got an empty list'],
    ['role_mapping', ['staff'], 'expected a map of roles, or of lists of roles, got a list'],
    ['max_lifetime_secs', 0, 'expected an integer of seconds from 1 to 2592000'],
    ['clock_tolerance_secs', 301, 'expected an integer of seconds from 0 to 300'],
    ['allow_unsafe_http', 'yes', 'expected true or false'],
  ] as const) {
    it(`are refused: ${key} ${JSON.stringify(value)}`, async () => {
      // JSON has no key without a value
      const entry = JSON.parse(JSON.stringify({ ...least, [key]: value }))
      expect(await findingsOf({ corp: entry })).to.deep.equal([`${at}/corp/${key}: ${message}`])
    })
  }

  for (const algorithm of ['none', 'HS256', 'RSA-OAEP', 'rs256', '']) {
    it(`do not admit the algorithm "${algorithm}"`, async () => {
      const entry = { ...least, algorithms: ['RS256', algorithm] }
      expect(await findingsOf({ corp: entry })).to.deep.equal([
        `${at}/corp/algorithms/1: expected one of RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519`,
      ])
    })
  }

  for (const name of ['', 'a|b', 'a b', 'ä', 'x'.repeat(65)]) {
    it(`have a name that can begin an authid, which this is not: "${name}"`, async () => {
      const message = 'expected a name of 1 to 64 letters, digits, and . _ -'
      expect(await findingsOf({ [name]: least })).to.deep.equal([`${at}/${name}: ${message}`])
    })
  }

  it('are warned of when they are unknown', async () => {
    expect(await findingsOf({ corp: { ...least, audiences: ['x'] } })).to.deep.equal([
      `warning ${at}/corp/audiences: the key "audiences" is unknown and is ignored; did you mean audience?`,
    ])
  })

  it('are shown, whatever the names of issuers, claims and roles', () => {
    const entry = {
      ...least,
      required_claims: { token_use: 'access' },
      role_mapping: { secret: 'a' },
    }
    const document = { uri, info: { jwt_issuers: { token: entry } } }
    expect(shownRealm(document)).to.deep.equal(document)
  })
})
