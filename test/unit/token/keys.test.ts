/** The keys of realms: made on first use, by one or by several nodes at once, and kept as secrets. */
import { expect } from 'chai'
import { SetClock } from '#test/unit/replica/doubles.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'
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

const kidsOf = ({ keys }: Tokens) => keys.jwks(realm_uri).keys.map(({ kid }) => kid)

const issue = async ({ accessTokens }: Tokens) =>
  (await accessTokens.issue(realm_uri, iss, ada)).token

const verdict = ({ accessTokens }: Tokens, token: string) =>
  reasonOf(() => accessTokens.verify(token, realm_uri))

describe('the first key of a realm', () => {
  it('is made when something is signed, once, however many ask at once', async () => {
    const tokens = await openTokens()
    expect(kidsOf(tokens)).to.deep.equal([])
    const keys = await Promise.all(
      Array.from({ length: 20 }, () => tokens.keys.signingKey(realm_uri)),
    )
    expect(new Set(keys.map(({ kid }) => kid))).to.have.property('size', 1)
    expect(tokens.replica.entries('realm_key')).to.have.length(1)
    expect(tokens.logged.map(({ text }) => text)).to.deep.equal([
      'the first signing key of the realm was created',
    ])
    expect(await tokens.keys.signingKey(realm_uri)).to.deep.equal(keys[0])
  })

  it('is published without its secret', async () => {
    const tokens = await openTokens()
    const { kid } = await tokens.keys.signingKey(realm_uri)
    const [jwk] = tokens.keys.jwks(realm_uri).keys
    expect(jwk).to.have.all.keys('kty', 'crv', 'x', 'y', 'kid', 'alg', 'use')
    expect(jwk).to.include({ kty: 'EC', crv: 'P-256', kid, alg: 'ES256', use: 'sig' })
  })

  it('is stored sealed: nothing in the store can sign', async () => {
    const tokens = await openTokens()
    const { kid } = await tokens.keys.signingKey(realm_uri)
    const document = tokens.replica.get('realm_key', kid)?.document
    expect(document).to.have.all.keys([
      'realm_uri',
      'kid',
      'alg',
      'public_jwk',
      'private_jwk',
      'created_at',
      'active_from',
    ])
    expect(document?.public_jwk).to.have.all.keys('kty', 'crv', 'x', 'y')
    const opened = tokens.box.open(String(document?.private_jwk), `realm_key ${kid}`)
    const { d } = JSON.parse(opened ?? '{}')
    expect(d).to.match(/^[\w-]{43}$/)
    expect(JSON.stringify(document)).to.not.include(d)
  })

  it('is not that of another realm', async () => {
    const { keys } = await openTokens()
    const [own, other] = [await keys.signingKey(realm_uri), await keys.signingKey(otherRealm)]
    expect(own.kid).to.not.equal(other.kid)
    expect(keys.verifyingKey(realm_uri, other.kid)).to.equal(undefined)
    expect(keys.jwks(realm_uri).keys).to.have.length(1)
  })

  it('outlives a restart', async () => {
    const store = new MemoryStore()
    const first = await openTokens({ store })
    const token = await issue(first)
    const again = await openTokens({ store })
    expect(kidsOf(again)).to.deep.equal(kidsOf(first))
    expect(await verdict(again, token)).to.equal(undefined)
    await issue(again)
    expect(kidsOf(again)).to.have.length(1)
  })

  it('is not made while the store is away, and then is', async () => {
    const store = new MemoryStore()
    const { keys } = await openTokens({ store })
    store.isAway = true
    const failed = await keys.signingKey(realm_uri).catch((error) => error)
    expect(failed).to.have.property('uri', 'service.error.unavailable')
    store.isAway = false
    expect(await keys.signingKey(realm_uri)).to.have.property('kid')
  })

  it('is another one when the clock has gone back before it, and none while the clock goes back', async () => {
    const clock = new SetClock()
    const back = { ms: 0 }
    const broadcast = async () => {
      clock.ms -= back.ms
    }
    const { keys } = await openTokens({ clock, broadcast })
    const { kid } = await keys.signingKey(realm_uri)
    clock.ms -= 3_600_000
    expect((await keys.signingKey(realm_uri)).kid).to.not.equal(kid)
    back.ms = 60_000
    const failed = await keys.signingKey(otherRealm).catch((error) => error)
    expect(failed).to.have.property('uri', 'service.error.unavailable')
  })

  it('made by two nodes at once is two: both verify, and one of them signs on both', async () => {
    const clock = new SetClock()
    const [a, b] = [await openTokens({ clock }), await openTokens({ clock, name: 'b' })]
    const issued = [await issue(a), await issue(b)]
    await exchange(a, b)
    expect(kidsOf(a)).to.have.length(2)
    expect(kidsOf(b)).to.deep.equal(kidsOf(a))
    const verdicts = [a, b].flatMap((node) => issued.map((token) => verdict(node, token)))
    expect(await Promise.all(verdicts)).to.deep.equal(Array(4).fill(undefined))
    const signers = await Promise.all([a, b].map(({ keys }) => keys.signingKey(realm_uri)))
    expect(signers[0]?.kid).to.equal(signers[1]?.kid)
  })

  it('is known to the other processes of the gateway before a token is handed out', async () => {
    const store = new MemoryStore()
    const other = await openTokens({ store })
    const tokens = await openTokens({ store, broadcast: () => other.replica.refresh() })
    const token = await issue(tokens)
    expect(await verdict(other, token)).to.equal(undefined)
  })

  it('is told of before anything is signed with it', async () => {
    const tokens = await openTokens()
    const known: number[] = []
    tokens.keys.onChange = async () => {
      await Promise.resolve()
      known.push(kidsOf(tokens).length)
    }
    await issue(tokens)
    expect(known).to.deep.equal([1])
    await issue(tokens)
    expect(known).to.deep.equal([1])
  })

  it('made by another process of the same store meanwhile is used by both', async () => {
    const store = new MemoryStore()
    const [a, b] = [await openTokens({ store }), await openTokens({ store })]
    const [keyOfA, keyOfB] = [
      await a.keys.signingKey(realm_uri),
      await b.keys.signingKey(realm_uri),
    ]
    await Promise.all([a.replica.refresh(), b.replica.refresh()])
    expect(kidsOf(a)).to.have.members([keyOfA.kid, keyOfB.kid])
    expect((await a.keys.signingKey(realm_uri)).kid).to.equal(
      (await b.keys.signingKey(realm_uri)).kid,
    )
  })
})

describe('a key that was sealed under another store.key', () => {
  const twoKeys = async () => {
    const store = new MemoryStore()
    const clock = new SetClock()
    const before = await openTokens({ store, clock })
    const token = await issue(before)
    clock.ms += 60_000
    const after = await openTokens({ store, clock, store_key: 'quite another store.key' })
    return { before, after, token, clock }
  }

  const complaints = ({ logged }: Tokens) => logged.filter(({ level }) => level === 'error')

  it('still verifies what it has signed', async () => {
    const { after, token } = await twoKeys()
    expect(await verdict(after, token)).to.equal(undefined)
    expect(complaints(after)).to.deep.equal([])
  })

  it('gives way to an own one, and is complained about once', async () => {
    const { after, token } = await twoKeys()
    const own = [await issue(after), await issue(after)]
    expect(decode(own[0] ?? '', 0).kid).to.not.equal(decode(token, 0).kid)
    expect(await verdict(after, own[0] ?? '')).to.equal(undefined)
    expect(await verdict(after, token)).to.equal(undefined)
    expect(kidsOf(after)).to.have.length(2)
    const complaint = { realm_uri, kid: decode(token, 0).kid }
    expect(complaints(after).map(({ fields }) => fields)).to.have.length(1)
    expect(complaints(after)[0]?.fields).to.include(complaint)
  })

  it('signs on where it can be opened: nodes with two secrets do not make keys all the time', async () => {
    const { before, after, clock } = await twoKeys()
    await issue(after)
    await before.replica.refresh()
    const { kid } = await before.keys.signingKey(realm_uri)
    expect(kid).to.equal(kidsOf(before)[0])
    clock.ms += (longestLifetime / 2) * 1000
    expect((await before.keys.signingKey(realm_uri)).kid).to.equal(kidsOf(before)[2])
  })
})
