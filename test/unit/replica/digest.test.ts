/** Digests: equal for equal sets in whatever order they came to be, different for any difference. */

import { expect } from 'chai'
import fc from 'fast-check'
import {
  Buckets,
  bucketOf,
  digestOfBuckets,
  digestOfSummaries,
  unequalBuckets,
} from '#component/replica/digest.ts'
import type { Summary } from '#component/replica/entry.ts'
import { nodeOf, stampAt, version } from './doubles.ts'

/** Few values of each field, so that many entries are almost the same. */
const summary: fc.Arbitrary<Summary> = fc.record({
  kind: fc.constantFrom('api_spec', 'realm'),
  id: fc.oneof(fc.constantFrom('', 'x', 'y', 'x y', 'realm x'), fc.string({ maxLength: 3 })),
  stamp: fc.record({
    ms: fc.nat(12),
    counter: fc.nat(12),
    node: fc.constantFrom('a', 'b', '1', '"'),
  }),
  hash: fc.constantFrom(null, '', 'a'.repeat(64), 'b'.repeat(64)),
})

const set = fc.uniqueArray(summary, { selector: ({ kind, id }) => `${kind} ${id}`, maxLength: 30 })

const bucketsOf = (summaries: readonly Summary[]): Buckets => {
  const buckets = new Buckets()
  for (const entry of summaries) buckets.put(entry)
  return buckets
}

describe('the digest of a replica', () => {
  it('is that of the set, whatever was there before and in whatever order', () => {
    fc.assert(
      fc.property(set, set, fc.nat(), (entries, before, seed) => {
        const [first] = fc.sample(fc.shuffledSubarray(entries, { minLength: entries.length }), {
          seed,
          numRuns: 1,
        })
        const ids = new Set(entries.map(({ kind, id }) => `${kind} ${id}`))
        const other = bucketsOf(before)
        expect(other.digest).to.be.a('string') // what is kept from now on is out of date
        for (const entry of before) if (!ids.has(`${entry.kind} ${entry.id}`)) other.remove(entry)
        for (const entry of first ?? []) other.put(entry)
        const buckets = bucketsOf(entries)
        expect(other.digest).to.equal(buckets.digest)
        expect(other.digests).to.deep.equal(buckets.digests)
        expect(unequalBuckets(other.digests, buckets.digests)).to.deep.equal([])
      }),
    )
  })

  it('differs with any field of any entry, in one bucket only', () => {
    fc.assert(
      fc.property(set, summary, fc.nat(3), (entries, other, field) => {
        const [first, ...rest] = entries
        if (!first) return
        const changed: Summary = {
          ...first,
          stamp: {
            ms: field === 0 ? other.stamp.ms : first.stamp.ms,
            counter: field === 1 ? other.stamp.counter : first.stamp.counter,
            node: field === 2 ? other.stamp.node : first.stamp.node,
          },
          hash: field === 3 ? other.hash : first.hash,
        }
        const isSame = JSON.stringify(changed) === JSON.stringify(first)
        const [one, two] = [bucketsOf(entries), bucketsOf([...rest, changed])]
        expect(one.digest === two.digest).to.equal(isSame)
        expect(unequalBuckets(one.digests, two.digests)).to.deep.equal(
          isSame ? [] : [bucketOf(first)],
        )
      }),
    )
  })

  it('differs when one entry is missing', () => {
    fc.assert(
      fc.property(set, (entries) => {
        const [first, ...rest] = entries
        if (!first) return
        const [all, fewer] = [bucketsOf(entries), bucketsOf(rest)]
        expect(all.digest).to.not.equal(fewer.digest)
        for (const [ours, theirs] of [
          [all, fewer],
          [fewer, all],
        ] as const) {
          expect(unequalBuckets(ours.digests, theirs.digests)).to.deep.equal([bucketOf(first)])
        }
      }),
    )
  })

  it('agrees with the buckets, and these with the summaries', () => {
    fc.assert(
      fc.property(set, (entries) => {
        const buckets = bucketsOf(entries)
        const { digests } = buckets
        expect(buckets.digest).to.equal(digestOfBuckets(digests))
        for (const [name, digest] of Object.entries(digests)) {
          const summaries = buckets.summaries([name])
          expect(name).to.match(/^[0-9a-f]{2}$/)
          expect(digest)
            .to.equal(digestOfSummaries(summaries))
            .and.match(/^[0-9a-f]{64}$/)
          expect(new Set(summaries.map(bucketOf))).to.deep.equal(new Set([name]))
        }
        const found = buckets.summaries(Object.keys(digests))
        expect(found).to.have.deep.members(entries)
        expect(buckets.summaries([...Object.keys(digests), ...Object.keys(digests)])).to.deep.equal(
          found,
        )
      }),
    )
  })

  it('tells kinds and ids apart that look the same when joined', () => {
    const stamp = stampAt(0)
    const sets = [
      [{ kind: 'realm', id: 'x', stamp, hash: null }],
      [{ kind: 'api_spec', id: 'realm x', stamp, hash: null }],
      [{ kind: 'api_spec', id: 'x', stamp, hash: null }],
      [{ kind: 'api_spec', id: 'x', stamp, hash: '' }],
      [],
    ] as const
    expect(new Set(sets.map((entries) => bucketsOf(entries).digest)).size).to.equal(sets.length)
  })

  it('follows changes and merges; the same history makes the same digest on other nodes', async () => {
    const a = await nodeOf('a')
    const b = await nodeOf('b')
    const empty = a.replica.digest()
    expect([b.replica.digest(), b.replica.buckets()]).to.deep.equal([empty, {}])
    const digests = [empty]
    for (const [id, text] of [
      ['x', 'one'],
      ['y', 'one'],
      ['x', 'two'],
      ['y', null],
    ] as const) {
      await a.load(id, text)
      digests.push(a.replica.digest())
    }
    expect(new Set(digests).size).to.equal(digests.length)
    const names = unequalBuckets(a.replica.buckets(), b.replica.buckets())
    const wanted = a.replica.summaries(names)
    await b.replica.merge(wanted.flatMap(({ kind, id }) => a.replica.get(kind, id) ?? []))
    expect(b.replica.digest()).to.equal(a.replica.digest())
    expect(b.replica.buckets()).to.deep.equal(a.replica.buckets())
    await b.replica.merge([version('x', stampAt(-1), 'older')])
    expect(b.replica.digest()).to.equal(a.replica.digest())
  })

  it('is that of before, of what is live, until a change is live', async () => {
    const { replica, load } = await nodeOf('a')
    await load('x')
    const before = replica.digest()
    expect(replica.liveDigest()).to.equal(before)
    const begun = Promise.withResolvers<void>()
    const gate = Promise.withResolvers<void>()
    replica.watch('api_spec', () => {
      begun.resolve()
      return gate.promise
    })
    const merged = replica.merge([version('y', stampAt(1))])
    await begun.promise
    expect(replica.digest()).to.not.equal(before)
    expect(replica.liveDigest()).to.equal(before)
    gate.resolve()
    await merged
    expect(replica.liveDigest()).to.equal(replica.digest())
  })
})
