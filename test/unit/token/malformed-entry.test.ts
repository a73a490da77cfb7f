/** Entries of another node or version that are no keys: they count for nothing, and harm nothing. */
import { expect } from 'chai'
import { type Document, hashOf, type Kind } from '#component/replica/entry.ts'
import { ApiKeys } from '#component/token/api-key.ts'
import { ada, iss, openTokens, realm_uri, reasonOf, type Tokens } from './doubles.ts'
import { MemoryKeyUses } from './memory-key-uses.ts'

/** Takes a document as if another node had it. */
async function take({ replica, now }: Tokens, kind: Kind, id: string, document: Document) {
  const stamp = { ms: now() * 1000 + 1000, counter: 0, node: 'z' }
  const entry = { kind, id, stamp, parent: null, hash: hashOf(document), document }
  expect(await replica.merge([entry])).to.deep.equal({ merged: 1, refused: [] })
}

describe('an entry that is no key of a realm', () => {
  for (const document of [
    { realm_uri },
    { realm_uri, kid: 'k', public_jwk: {}, active_from: 'now' },
    { realm_uri, kid: 'k', public_jwk: {}, active_from: 1e300 },
    { realm_uri, kid: 'k', public_jwk: null, active_from: 1 },
    { realm_uri, kid: 7, public_jwk: {}, active_from: 1 },
  ]) {
    it(`leaves the keys as they are: ${JSON.stringify(document)}`, async () => {
      const tokens = await openTokens()
      const { keys, accessTokens } = tokens
      const { token } = await accessTokens.issue(realm_uri, iss, ada)
      const before = keys.jwks(realm_uri)
      await take(tokens, 'realm_key', 'k', document)
      expect(keys.jwks(realm_uri)).to.deep.equal(before)
      expect(await reasonOf(() => accessTokens.verify(token, realm_uri))).to.equal(undefined)
      const { active_from } = await keys.rotate(realm_uri)
      expect(active_from).to.equal(tokens.now() + 300)
      expect(keys.jwks(realm_uri).keys).to.have.length(2)
    })
  }

  it('is no failure of the process when a token was verified with the key in its place', async () => {
    const tokens = await openTokens()
    const { accessTokens, keys, replica } = tokens
    const { token } = await accessTokens.issue(realm_uri, iss, ada)
    await accessTokens.verify(token, realm_uri)
    const [entry] = replica.entries('realm_key')
    const broken = { ...entry?.document, public_jwk: { kty: 'EC' } }
    await take(tokens, 'realm_key', entry?.id ?? '', broken)
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    try {
      await accessTokens.verify(token, realm_uri)
      // the import of the broken key is over before another key is made
      await keys.rotate(realm_uri)
    } finally {
      process.off('unhandledRejection', note)
    }
    expect(unhandled).to.deep.equal([])
    const { token: other } = await accessTokens.issue(realm_uri, iss, ada)
    expect(await reasonOf(() => accessTokens.verify(other, realm_uri))).to.equal(
      'the signature of the token is wrong',
    )
  })
})

describe('an entry that is no API key', () => {
  for (const document of [
    {},
    { realm_uri, username: 'ada' },
    { realm_uri, username: 'ada', hash: 'ab' },
    { realm_uri, username: 7, hash: 'ab'.repeat(32) },
  ]) {
    it(`is nobody's: ${JSON.stringify(document)}`, async () => {
      const tokens = await openTokens()
      const apiKeys = new ApiKeys({
        ...{ replica: tokens.replica, clock: { now: () => 0 } },
        uses: new MemoryKeyUses(),
      })
      await take(tokens, 'api_key', 'AAAAAAAAAAAA', document)
      expect(apiKeys.find(`gk_AAAAAAAAAAAA_${'x'.repeat(43)}`)).to.equal(undefined)
      expect(apiKeys.owner('AAAAAAAAAAAA')).to.equal(undefined)
    })
  }
})
