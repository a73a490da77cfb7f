/** Loads of one document on nodes that are parted: whoever lost is told, however often the others loaded meanwhile. */
import { expect } from 'chai'
import { isConflict, maxAncestors } from '#component/replica/conflict-resolution.ts'
import type { Entry } from '#component/replica/entry.ts'
import { readEntry } from '#component/sync/sync-messages.ts'
import { nodeOf, stampAt, start, version } from './doubles.ts'

/** What a peer gets of an entry. */
const sent = (entry: Entry | undefined): Entry => {
  const read = readEntry(JSON.parse(JSON.stringify(entry)))
  if (!read) throw new Error('the entry is none')
  return read
}

/** Two nodes that hold the same version of a document, or none. */
async function parted(isThere: boolean) {
  const [a, b] = [await nodeOf('a'), await nodeOf('b')]
  if (isThere) {
    const [change] = await a.load('x', 'of both')
    await b.replica.merge([sent(change?.entry)])
  }
  const loadAt = async (node: typeof a, ms: number, text: string | null = `at ${ms}`) => {
    node.clock.ms = start + ms
    const [change] = await node.load('x', text)
    return change?.entry
  }
  return { a, b, loadAt }
}

describe('a load on one of two nodes that are parted', () => {
  for (const isThere of [true, false]) {
    const what = isThere ? 'another version of what both have' : 'what neither had'
    for (const count of [1, 2, maxAncestors]) {
      it(`is told to have lost against ${count} later ones of ${what}`, async () => {
        const { a, b, loadAt } = await parted(isThere)
        const loser = await loadAt(a, 10)
        let winner: Entry | undefined
        for (let ms = 20; ms < 20 + count; ms++) winner = await loadAt(b, ms)
        await a.replica.merge([sent(winner)])
        expect(a.lost.map(([lost]) => lost)).to.deep.equal([loser])
      })
    }
  }

  it('is told to have lost against a deletion, and against a load after that', async () => {
    const { a, b, loadAt } = await parted(true)
    const loser = await loadAt(a, 10)
    await loadAt(b, 20, null)
    await a.replica.merge([sent(await loadAt(b, 30))])
    expect(a.lost.map(([lost]) => lost)).to.deep.equal([loser])
  })

  it('is not told to have lost against those that were made on top of it', async () => {
    const { a, b, loadAt } = await parted(true)
    await b.replica.merge([sent(await loadAt(a, 10))])
    let last: Entry | undefined
    for (let ms = 20; ms < 50; ms++) {
      last = await loadAt(b, ms)
      expect(isConflict(sent(last), sent(a.replica.get('api_spec', 'x')))).to.equal(false)
    }
    await a.replica.merge([sent(last)])
    expect(a.lost).to.deep.equal([])
  })

  it('may be lost untold when nothing is known of what was before the parent', () => {
    const loser = version('x', stampAt(1, 'a'), 'lost')
    const winner = version('x', stampAt(3), 'won', { parent: stampAt(2) })
    expect(isConflict(winner, loser)).to.equal(false)
    expect(isConflict({ ...winner, ancestors: [stampAt(0)] }, loser)).to.equal(true)
    expect(isConflict({ ...winner, ancestors: [stampAt(1, 'a')] }, loser)).to.equal(false)
  })
})

describe('an entry', () => {
  it(`names its parent and ${maxAncestors} versions before it`, async () => {
    const { load, replica } = await nodeOf('a')
    const stamps = []
    for (let count = 0; count < maxAncestors + 3; count++) {
      const [change] = await load('x', `${count}`)
      stamps.unshift(change?.entry.stamp)
    }
    const { ancestors, parent } = replica.get('api_spec', 'x') ?? {}
    expect([parent, ...(ancestors ?? [])]).to.deep.equal(stamps.slice(1, maxAncestors + 2))
  })

  it('says nothing of versions of which nothing is known, and is read without what is malformed', () => {
    const entry = version('x', stampAt(1))
    expect(sent(entry)).to.not.have.property('ancestors')
    const malformed = [
      null,
      5,
      {},
      [5],
      ['x', stampAt(0)],
      Array(maxAncestors + 1).fill(stampAt(0)),
    ]
    for (const ancestors of malformed) {
      expect(readEntry({ ...entry, ancestors }), JSON.stringify(ancestors)).to.deep.equal(entry)
    }
  })
})
