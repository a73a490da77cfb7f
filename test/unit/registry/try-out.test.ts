/** What a document would change, and the version that is served. */
import { expect } from 'chai'
import { document, registryWith } from './doubles.ts'

describe('registry.tryOut', () => {
  it('tells what would be served with a document, in place of the one of its id', async () => {
    const { registry, serves } = await registryWith()
    for (const [id, path] of [
      ['a', '/old'],
      ['b', '/b'],
    ] as const) {
      await registry.load(document(id, [path]))
    }
    const { table } = await registry.tryOut(document('a', ['/new']))
    const patterns = ['/v1/new', '/v1/b', '/v1/old'].map(
      (path) => table.match('a.com', path, 'get')?.entry.pattern,
    )
    expect(patterns).to.deep.equal(['/v1/new', '/v1/b', undefined])
    expect(serves('/v1/old')).to.equal('a')
  })
})

describe('registry.served', () => {
  it('is the document as it was loaded; nothing for an id that is not served', async () => {
    const { registry } = await registryWith()
    const list = { ...document('a'), versions: Object.values(document('a').versions) }
    await registry.load(list)
    expect(await registry.served('a')).to.deep.equal(list)
    expect(await registry.served('b')).to.equal(undefined)
  })
})
