/** Writes that are joined: which items go together, and what becomes of a write that fails. */
import { expect } from 'chai'
import { WriteBatch } from '#component/store/write-batch.ts'

/** One write after the other. */
const alone = { items: 10, writes: 1 }

describe('a batch of writes', () => {
  it('writes what comes in one turn together, in order, and at most so many at once', async () => {
    const writes: (readonly number[])[] = []
    const write = async (items: readonly number[]) => {
      writes.push(items)
      return items.map((item) => item * 2)
    }
    const batch = new WriteBatch(write, { items: 3, writes: 1 })
    const results = await Promise.all([1, 2, 3, 4].map((item) => batch.add(item)))
    expect(results).to.deep.equal([2, 4, 6, 8])
    expect(writes).to.deep.equal([[1, 2, 3], [4]])
  })

  it('writes what comes during a write together after it', async () => {
    const writes: (readonly string[])[] = []
    const first = Promise.withResolvers<void>()
    const batch = new WriteBatch(async (items: readonly string[]) => {
      writes.push(items)
      if (writes.length === 1) await first.promise
      return items
    }, alone)
    const done = [batch.add('a')]
    await new Promise((resolve) => setImmediate(resolve))
    done.push(batch.add('b'), batch.add('c'))
    await new Promise((resolve) => setImmediate(resolve))
    expect(writes).to.deep.equal([['a']])
    first.resolve()
    await Promise.all(done)
    expect(writes).to.deep.equal([['a'], ['b', 'c']])
  })

  it('fails all items of a write that fails, and writes the next ones', async () => {
    let isAway = true
    const batch = new WriteBatch(async (items: readonly string[]) => {
      if (isAway) throw new Error('away')
      return items
    }, alone)
    const failures = await Promise.allSettled([batch.add('a'), batch.add('b')])
    expect(failures.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    isAway = false
    expect(await batch.add('c')).to.equal('c')
  })

  it('has so many writes under way, each full or with what came in a turn', async () => {
    const writes: { items: readonly number[]; end: () => void }[] = []
    const batch = new WriteBatch(
      (items: readonly number[]) =>
        new Promise<readonly number[]>((resolve) => {
          writes.push({ items, end: () => resolve(items) })
        }),
      { items: 2, writes: 2 },
    )
    const written = () => writes.map(({ items }) => items)
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    const done = [1, 2, 3].map((item) => batch.add(item))
    expect(written()).to.deep.equal([[1, 2]])
    await turn()
    expect(written()).to.deep.equal([[1, 2], [3]])
    done.push(...[4, 5, 6].map((item) => batch.add(item)))
    await turn()
    expect(written()).to.deep.equal([[1, 2], [3]])
    writes[1]?.end()
    await turn()
    expect(written()).to.deep.equal([[1, 2], [3], [4, 5]])
    writes[0]?.end()
    await turn()
    for (const { end } of writes) end()
    expect(await Promise.all(done)).to.deep.equal([1, 2, 3, 4, 5, 6])
    expect(written()).to.deep.equal([[1, 2], [3], [4, 5], [6]])
  })
})
