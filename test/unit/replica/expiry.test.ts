/** Entries that end by themselves: gone from memory, digest and store, on all nodes alike, and not taken from others. */
import { expect } from 'chai'
import { type Entry, hashOf, type Kind, kinds } from '#component/replica/entry.ts'
import { isExpired, untilNextMinute } from '#component/replica/expiry.ts'
import type { Replica } from '#component/replica/replica.ts'
import { nodeOf, SetClock, stampAt, start } from './doubles.ts'
import { MemoryStore } from './memory-store.ts'

/** So many seconds after the tests begin, which is at a full minute. */
const second = (seconds: number) => start / 1_000 + seconds

/** A revocation made elsewhere. */
function revocation(id: string, exp: unknown, kind: Kind = 'revocation'): Entry {
  const document = { exp }
  return { kind, id, stamp: stampAt(0), parent: null, hash: hashOf(document), document }
}

const revoke = (replica: Replica, id: string, exp: number) =>
  replica.change('revocation', () => [{ id, document: { exp } }])

const idsOf = (replica: Replica) => replica.entries('revocation').map(({ id }) => id)

describe('isExpired', () => {
  it('is true two minutes after the end, from the next full minute on', () => {
    const entry = revocation('x', second(0))
    for (const [ms, expected] of [
      [0, false],
      [120_000, false],
      [179_999, false],
      [180_000, true],
      [240_000, true],
    ] as const) {
      expect(isExpired(entry, start + ms), `${ms}`).to.equal(expected)
      expect(untilNextMinute(start + ms) + ms, 'the next minute').to.be.greaterThan(ms)
    }
    expect(untilNextMinute(start + 179_999)).to.equal(1)
    expect(untilNextMinute(start)).to.equal(60_000)
  })

  it('is true for kinds of which some end, and for those that say when they end', () => {
    const long = start + 10_000_000
    const mortal: readonly string[] = ['revocation', 'api_key', 'id_token', 'trace', 'endpoint']
    for (const kind of kinds) {
      const isMortal = mortal.includes(kind)
      expect(isExpired(revocation('x', second(0), kind), long), kind).to.equal(isMortal)
    }
    for (const exp of [undefined, null, '5', [5]]) {
      expect(isExpired(revocation('x', exp), long)).to.equal(false)
    }
    expect(isExpired({ ...revocation('x', 5), document: null, hash: null }, long)).to.equal(false)
  })
})

describe('Replica.sweep', () => {
  it('removes what has ended from memory, digest and store, and nothing else', async () => {
    const { clock, replica, store, load } = await nodeOf('a')
    const other = await nodeOf('a')
    for (const one of [replica, other.replica]) await revoke(one, 'live', second(100))
    await revoke(replica, 'ended', second(50))
    await load('x')
    clock.ms = start + 180_000
    expect(replica.digest()).to.not.equal(other.replica.digest())
    await replica.sweep()
    expect(idsOf(replica)).to.deep.equal(['live'])
    expect([...store.rows.keys()]).to.deep.equal(['revocation live', 'api_spec x'])
    await load('x', null)
    store.isAway = true
    await replica.sweep()
    expect(idsOf(replica)).to.deep.equal(['live'])
  })

  it('leaves the digest of a node that never had it', async () => {
    const clock = new SetClock()
    const [a, b] = [await nodeOf('a', { clock }), await nodeOf('b', { clock })]
    await a.replica.merge([revocation('ended', second(0)), revocation('live', second(500))])
    await b.replica.merge([revocation('live', second(500))])
    clock.ms = start + 180_000
    await a.replica.sweep()
    expect(a.replica.digest()).to.equal(b.replica.digest())
    expect(a.replica.buckets()).to.deep.equal(b.replica.buckets())
  })

  it('lets a document of the same name come back', async () => {
    const { clock, replica, store } = await nodeOf('a')
    await revoke(replica, 'x', second(0))
    clock.ms = start + 180_000
    await replica.sweep()
    const [change] = await revoke(replica, 'x', second(900))
    expect(change).to.deep.include({ before: undefined }).and.have.nested.property('entry.parent')
    expect(store.rows.get('revocation x')?.parent).to.equal(null)
  })

  it('keeps everything while the store is away, and removes it the next time', async () => {
    const { clock, logged, replica, store } = await nodeOf('a')
    await revoke(replica, 'x', second(0))
    clock.ms = start + 180_000
    store.isAway = true
    await replica.sweep()
    expect(idsOf(replica)).to.deep.equal(['x'])
    expect(logged.map((line) => line.at(-1))).to.deep.equal([
      'expired entries could not be removed',
    ])
    store.isAway = false
    await replica.sweep()
    expect([idsOf(replica), store.rows.size]).to.deep.equal([[], 0])
  })

  it('leaves in the store what another process has put there since', async () => {
    const store = new MemoryStore()
    const clock = new SetClock()
    const [a, b] = [await nodeOf('a', { store, clock }), await nodeOf('b', { store, clock })]
    await revoke(a.replica, 'x', second(0))
    await b.replica.refresh()
    await revoke(b.replica, 'x', second(900))
    clock.ms = start + 180_000
    await a.replica.sweep()
    expect(store.rows.get('revocation x')?.document).to.deep.equal({ exp: second(900) })
    await a.replica.refresh()
    expect(a.replica.digest()).to.equal(b.replica.digest())
  })

  it('by one of two processes of a store keeps the other one from nothing', async () => {
    const store = new MemoryStore()
    const clock = new SetClock()
    const [a, b] = [await nodeOf('a', { store, clock }), await nodeOf('b', { store, clock })]
    await revoke(a.replica, 'x', second(0))
    await b.replica.refresh()
    clock.ms = start + 180_000
    await a.replica.sweep()
    await revoke(b.replica, 'x', second(900))
    await a.replica.refresh()
    for (const { replica } of [a, b]) {
      await replica.sweep()
      expect(replica.get('revocation', 'x')?.document).to.deep.equal({ exp: second(900) })
    }
  })
})

describe('what has ended', () => {
  it('is not taken from others, and not refused either', async () => {
    const { clock, replica, store } = await nodeOf('a')
    clock.ms = start + 180_000
    const outcome = await replica.merge([
      revocation('ended', second(0)),
      revocation('x', second(61)),
    ])
    expect(outcome).to.deep.equal({ merged: 1, refused: [] })
    expect(idsOf(replica)).to.deep.equal(['x'])
    expect([...store.rows.keys()]).to.deep.equal(['revocation x'])
  })

  it('is not kept by a start', async () => {
    const store = new MemoryStore()
    await store.merge([revocation('ended', second(-121)), revocation('x', second(-120))])
    const { replica } = await nodeOf('a', { store })
    expect(idsOf(replica)).to.deep.equal(['x'])
    expect([...store.rows.keys()]).to.deep.equal(['revocation x'])
  })
})

describe('keys and revocations', () => {
  for (const kind of ['realm_key', 'revocation', 'api_key', 'oidc_user', 'id_token'] as const) {
    it(`of kind ${kind} are never said to be lost: nobody loaded them`, async () => {
      const { lost, replica } = await nodeOf('a')
      await replica.change(kind, () => [{ id: 'x', document: { exp: second(900) } }])
      await replica.merge([{ ...revocation('x', second(901), kind), stamp: stampAt(5) }])
      expect(replica.get(kind, 'x')?.document).to.deep.equal({ exp: second(901) })
      expect(lost).to.deep.equal([])
    })
  }
})
