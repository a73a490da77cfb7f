/** Writes that are joined: which items go together, and what becomes of a write that fails. */
import { expect } from 'chai'
import { WriteBatch } from '#component/store/write-batch.ts'

describe('a batch of writes', () => {
  it('writes what comes in one turn together, in order, and at most so many at once', async () => {
    const writes: (readonly number[])[] = []
    const write = async (items: readonly number[]) => {
      writes.push(items)
      return items.map((item) => item * 2)
    }
    const batch = new WriteBatch(write, 3)
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
    }, 10)
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
    }, 10)
    const failures = await Promise.allSettled([batch.add('a'), batch.add('b')])
    expect(failures.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected'])
    isAway = false
    expect(await batch.add('c')).to.equal('c')
  })
})
