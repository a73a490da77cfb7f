/** The ring against a list that is searched from its beginning. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { Entry } from '#component/stream/entry.ts'
import { Ring } from '#component/stream/ring.ts'

const entryOf = (seq: number, at: number, publication_id: number | undefined): Entry => ({
  ...{ seq, at, size: 10 },
  event:
    publication_id === undefined
      ? undefined
      : {
          ...{ publication_id, topic: 't', args: [], kwargs: {}, details: {} },
          is_retained: false,
        },
  gap: publication_id === undefined ? { code: 'router_lost', since: at, until: at } : undefined,
})

/** The same, slowly. */
class Naive {
  entries: Entry[] = []
  lastRemoved: number | undefined = 0

  push(entry: Entry, most: number, maxAge: number): void {
    this.entries.push(entry)
    while (this.entries.length > most) this.remove()
    this.expire(entry.at - maxAge)
  }

  expire(before: number): void {
    while (this.entries[0] !== undefined && this.entries[0].at <= before) this.remove()
  }

  remove(): void {
    const gone = this.entries.shift()
    if (gone) this.lastRemoved = gone.event?.publication_id
  }

  behind(id: number): number | undefined {
    const found = this.entries.find(({ event }) => event?.publication_id === id)
    if (found) return found.seq + 1
    return id === this.lastRemoved ? this.entries[0]?.seq : undefined
  }
}

const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('event'), ms: fc.nat(400) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('gap'), ms: fc.nat(400) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('remove'), ms: fc.constant(0) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('expire'), ms: fc.nat(2000) }) },
)

describe('the ring', () => {
  it('is a list that forgets', () => {
    fc.assert(
      fc.property(fc.nat(90), fc.array(step, { maxLength: 300 }), (most, steps) => {
        const maxAge = 10_000
        const ring = new Ring(most, maxAge)
        const naive = new Naive()
        let [now, id] = [0, 0]
        for (const { kind, ms } of steps) {
          now += ms
          if (kind === 'remove') {
            ring.removeOldest()
            naive.remove()
          } else if (kind === 'expire') {
            ring.expire(now)
            naive.expire(now - maxAge)
          } else {
            if (kind === 'event') id += 1
            const entry = entryOf(ring.nextSeq, now, kind === 'event' ? id : undefined)
            ring.push(entry)
            naive.push(entry, most, maxAge)
          }
          const [first] = naive.entries
          expect(ring.length).to.equal(naive.entries.length)
          expect(ring.bytes).to.equal(naive.entries.length * 10)
          expect(ring.firstSeq).to.equal(first?.seq ?? ring.nextSeq)
          expect(ring.slice(ring.firstSeq, 1000)).to.deep.equal(naive.entries)
          for (const known of [0, 1, id - most - 1, id - most, id - 1, id, id + 1]) {
            const end = naive.entries.length === 0 ? ring.nextSeq : undefined
            const isLast = known === naive.lastRemoved && naive.entries.length === 0
            expect(ring.behind(known)).to.equal(isLast ? end : naive.behind(known))
          }
          const since = now - 500
          const expected = naive.entries.find(({ at }) => at >= since)?.seq ?? ring.nextSeq
          expect(ring.since(since)).to.equal(expected)
        }
      }),
      { numRuns: 200 },
    )
  })

  it('keeps nothing without room, and knows that nothing has been missed', () => {
    const ring = new Ring(0, 1000)
    ring.push(entryOf(1, 0, 7))
    expect([ring.length, ring.behind(7), ring.behind(0)]).to.deep.equal([0, 2, undefined])
  })

  it('knows nothing behind a gap that it has not kept', () => {
    const ring = new Ring(0, 1000)
    ring.push(entryOf(1, 0, 7))
    ring.push(entryOf(2, 0, undefined))
    expect(ring.behind(7)).to.equal(undefined)
  })

  it('gives entries up to a size, one at least', () => {
    const ring = new Ring(10, 1000)
    for (let seq = 1; seq <= 5; seq++) ring.push(entryOf(seq, 0, seq))
    const lengths = [0, 10, 25, 100].map((bytes) => ring.slice(2, 3, bytes).length)
    expect(lengths).to.deep.equal([1, 1, 2, 3])
  })

  it('keeps more and longer once it is told to', () => {
    const ring = new Ring(1, 10)
    ring.grow(2, 1000)
    ring.grow(0, 0)
    ring.push(entryOf(1, 0, 1))
    ring.push(entryOf(2, 500, 2))
    ring.push(entryOf(3, 600, 3))
    expect(ring.firstSeq).to.equal(2)
  })
})
