/** The life of a realm's key: next, active, verifying, retired; moved by the clock alone, the same on all nodes. */
import { expect } from 'chai'
import { KeyRing } from '#component/token/key-ring.ts'
import { SetClock } from '#test/unit/replica/doubles.ts'
import {
  ada,
  decode,
  exchange,
  iss,
  longestLifetime,
  openTokens,
  otherRealm,
  realm_uri,
  reasonOf,
  type Tokens,
} from './doubles.ts'

const lead = 300

const kidsOf = ({ keys }: Tokens) => keys.jwks(realm_uri).keys.map(({ kid }) => kid)

const signs = async ({ keys }: Tokens) => (await keys.signingKey(realm_uri)).kid

async function rotated() {
  const tokens = await openTokens()
  const { token } = await tokens.accessTokens.issue(realm_uri, iss, ada)
  const first = decode(token, 0).kid as string
  const { kid: second, active_from } = await tokens.keys.rotate(realm_uri)
  return { ...tokens, tokens, token, first, second, active_from }
}

describe('a realm whose keys are rotated', () => {
  it('publishes the next key before that signs', async () => {
    const { tokens, first, second, active_from, now, pass } = await rotated()
    expect(active_from).to.equal(now() + lead)
    expect(kidsOf(tokens)).to.deep.equal([first, second])
    expect(await signs(tokens)).to.equal(first)
    pass(lead - 1)
    expect(await signs(tokens)).to.equal(first)
    pass(1)
    expect(await signs(tokens)).to.equal(second)
    expect(kidsOf(tokens)).to.deep.equal([first, second])
  })

  it('verifies with the old key until all that it signed has expired', async () => {
    const { tokens, first, second, pass, keys } = await rotated()
    pass(lead + longestLifetime - 1)
    expect(kidsOf(tokens)).to.deep.equal([first, second])
    expect(await keys.verifyingKey(realm_uri, first)).to.not.equal(undefined)
    pass(1)
    expect(kidsOf(tokens)).to.deep.equal([second])
    expect(keys.verifyingKey(realm_uri, first)).to.equal(undefined)
  })

  it('accepts a token that was signed just before the change', async () => {
    const { accessTokens, pass } = await rotated()
    pass(lead - 1)
    const { token } = await accessTokens.issue(realm_uri, iss, ada)
    pass(800)
    expect(await reasonOf(() => accessTokens.verify(token, realm_uri))).to.equal(undefined)
  })

  it('forgets retired keys at the next rotation, and no others', async () => {
    const { tokens, first, second, pass, keys, replica } = await rotated()
    await keys.signingKey(otherRealm)
    pass(lead + longestLifetime)
    const { kid: third } = await keys.rotate(realm_uri)
    expect(replica.get('realm_key', first)?.document).to.equal(null)
    expect(kidsOf(tokens)).to.deep.equal([second, third])
    expect(keys.jwks(otherRealm).keys).to.have.length(1)
  })

  it('takes each key in its turn when it is rotated twice at once', async () => {
    const { tokens, second, pass, keys } = await rotated()
    const { kid: third } = await keys.rotate(realm_uri)
    pass(lead)
    expect(await signs(tokens)).to.equal(second)
    pass(1)
    expect(await signs(tokens)).to.equal(third)
  })

  it('has its first key at once when it had none', async () => {
    const tokens = await openTokens()
    const { kid, active_from } = await tokens.keys.rotate(realm_uri)
    expect(active_from).to.equal(tokens.now())
    expect(await signs(tokens)).to.equal(kid)
  })

  it('is rotated on all nodes', async () => {
    const clock = new SetClock()
    const [a, b] = [await openTokens({ clock }), await openTokens({ clock, name: 'b' })]
    await a.accessTokens.issue(realm_uri, iss, ada)
    await a.keys.rotate(realm_uri)
    await exchange(a, b)
    clock.ms += lead * 1000
    expect(await signs(b)).to.equal(await signs(a))
  })
})

describe('a realm whose keys are removed', () => {
  it('refuses what they have signed, and makes a new one when it needs one', async () => {
    const { tokens, token, first, second, keys, accessTokens } = await rotated()
    await accessTokens.verify(token, realm_uri)
    await keys.signingKey(otherRealm)
    await keys.remove(realm_uri)
    expect(kidsOf(tokens)).to.deep.equal([])
    expect(await reasonOf(() => accessTokens.verify(token, realm_uri))).to.be.a('string')
    expect(keys.jwks(otherRealm).keys).to.have.length(1)
    expect([first, second]).to.not.include(await signs(tokens))
  })
})

describe('KeyRing', () => {
  const ring = new KeyRing(
    [
      { kid: 'c', active_from: 300 },
      { kid: 'b', active_from: 100 },
      { kid: 'a', active_from: 100 },
    ],
    1000,
  )
  const kids = (keys: readonly { kid: string }[]) => keys.map(({ kid }) => kid)

  it('orders keys by when they begin to sign, then by kid', () => {
    expect(kids(ring.keys)).to.deep.equal(['a', 'b', 'c'])
  })

  it('signs with the newest that has begun', () => {
    expect(kids(ring.signers(99))).to.deep.equal([])
    expect(ring.signers(100)[0]?.kid).to.equal('b')
    expect(ring.signers(300)[0]?.kid).to.equal('c')
  })

  it('signs with older ones for half of the time that they verify', () => {
    expect(kids(ring.signers(599))).to.deep.equal(['c', 'b', 'a'])
    expect(kids(ring.signers(600))).to.deep.equal(['c', 'b'])
    expect(kids(ring.signers(800))).to.deep.equal(['c'])
  })

  it('retires each key a lifetime after its successor began', () => {
    expect(kids(ring.live(1099))).to.deep.equal(['a', 'b', 'c'])
    expect(kids(ring.retired(1100))).to.deep.equal(['a'])
    expect(kids(ring.retired(1300))).to.deep.equal(['a', 'b'])
    expect(kids(ring.live(1e12))).to.deep.equal(['c'])
  })
})
