/** The registry: of documents that several nodes took, and that want the same, all nodes serve the same. */
import { expect } from 'chai'
import fc from 'fast-check'
import type { RoutingTable } from '#component/routes/routing-table.ts'
import { document, failure, registryWith } from './doubles.ts'
import { isAbout, stampAt, versionOf } from './peers.ts'

/** A line for each path of a table, in alphabetical order. */
const pathsIn = (table: RoutingTable<unknown> | undefined): string[] | undefined =>
  table?.entries
    .map(({ host, pattern, routes, api }) => [host, pattern, Object.keys(routes), api].join(' '))
    .toSorted()

describe('documents of several nodes with one route', () => {
  it('are served by stamp, whole documents, whatever the order they come in', async () => {
    // c is left to b, which is left to a: so c serves
    const versions = [
      versionOf('a', document('a', ['/1', '/2']), stampAt(930)),
      versionOf('b', document('b', ['/2', '/3']), stampAt(920)),
      versionOf('c', document('c', ['/3', '/4']), stampAt(910)),
    ]
    await fc.assert(
      fc.asyncProperty(
        fc.shuffledSubarray(versions, { minLength: 3 }),
        fc.integer({ min: 1, max: 3 }),
        async (order, first) => {
          const { replica, serves, registry } = await registryWith()
          await replica.merge(order.slice(0, first))
          await replica.merge(order.slice(first))
          expect(['/v1/1', '/v1/2', '/v1/3', '/v1/4'].map(serves)).to.deep.equal([
            'a',
            'a',
            'c',
            'c',
          ])
          expect(registry.conflicts().map(({ id, other }) => [id, other])).to.deep.equal([
            ['b', 'a'],
          ])
          expect(registry.list()).to.have.length(3)
        },
      ),
      { numRuns: 20 },
    )
  })

  it('are the same table on all nodes, built step by step or from zero', async () => {
    const step = fc.record({
      id: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
      paths: fc.subarray(['/1', '/2', '/3', '/:any', '/[4]'], { minLength: 1 }),
      what: fc.constantFrom('load', 'delete'),
      // of others that come at once, or asked for here
      others: fc.array(fc.record({ id: fc.constantFrom('a', 'b', 'i', 'j') }), { maxLength: 2 }),
      stamp: fc.option(fc.integer({ min: 1, max: 2_000 })),
      node: fc.constantFrom('node-2', 'node-3'),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 20 }), async (steps) => {
        const { registry, replica, store, tables } = await registryWith()
        for (const { id, paths, what, others, stamp, node } of steps) {
          const wanted = what === 'load' ? document(id, paths) : null
          if (stamp === null) {
            const changing = wanted ? registry.load(wanted) : registry.remove(id)
            await changing.catch(() => undefined) // it may be refused
            continue
          }
          await replica.merge([
            versionOf(id, wanted, stampAt(stamp, node)),
            ...others.map((other) =>
              versionOf(other.id, document(other.id, paths), stampAt(stamp, node)),
            ),
          ])
        }
        const fromZero = await registryWith({ store })
        const elsewhere = await registryWith()
        await elsewhere.replica.merge(replica.entries('api_spec').toReversed())
        const table = pathsIn(tables.at(-1))
        expect(pathsIn(fromZero.tables.at(-1))).to.deep.equal(table)
        expect(pathsIn(elsewhere.tables.at(-1))).to.deep.equal(table)
        expect(fromZero.registry.conflicts()).to.deep.equal(registry.conflicts())
      }),
      { numRuns: 60 },
    )
  })

  it('are announced by the node that made the loser, once, and logged by the others', async () => {
    const { registry, replica, events, logged } = await registryWith()
    const { hash } = await registry.load(document('mine'))
    await replica.merge([versionOf('theirs', document('theirs'), stampAt(2_000))])
    await registry.load(document('other', ['/y'])) // builds the table anew
    expect(events).to.deep.equal([
      [
        'service.api_spec.on_conflict',
        {
          id: 'mine',
          ts: 1_000,
          hash,
          node: 'node-1',
          other: 'theirs',
          path: '/versions/1.0/paths/~1x',
        },
      ],
    ])
    await replica.merge([versionOf('third', document('third', ['/y']), stampAt(500))])
    expect(events).to.have.length(1)
    expect(
      logged.filter(isAbout('routes of the document are taken')).map(([line]) => line),
    ).to.deep.equal([
      { api_spec: 'mine', other: 'theirs', path: '/versions/1.0/paths/~1x' },
      { api_spec: 'third', other: 'other', path: '/versions/1.0/paths/~1y' },
    ])
  })

  it('are not announced again by a restart', async () => {
    const { registry, replica, store } = await registryWith()
    await registry.load(document('mine'))
    await replica.merge([versionOf('theirs', document('theirs'), stampAt(2_000))])
    const again = await registryWith({ store })
    expect(again.serves('/v1/x')).to.equal('theirs')
    expect(again.events).to.deep.equal([])
    expect(again.logged.filter(isAbout('routes of the document are taken'))).to.have.length(1)
  })

  it('serve again when the other has gone, and say so in the log', async () => {
    const { registry, replica, serves, logged } = await registryWith()
    await registry.load(document('mine'))
    await replica.merge([versionOf('theirs', document('theirs'), stampAt(2_000))])
    expect(serves('/v1/x')).to.equal('theirs')
    await registry.remove('theirs')
    expect(serves('/v1/x')).to.equal('mine')
    expect(registry.conflicts()).to.deep.equal([])
    const line = [{ api_spec: 'mine' }, 'the routes of the document are free again: it is served']
    expect(logged).to.deep.include(line)
    await replica.merge([versionOf('theirs', document('theirs'), stampAt(3_000))])
    expect(serves('/v1/x')).to.equal('theirs')
  })

  it('are refused here only when they clash with what is served', async () => {
    const { registry, replica, serves } = await registryWith()
    await registry.load(document('mine', ['/x', '/y']))
    await replica.merge([versionOf('theirs', document('theirs', ['/x']), stampAt(2_000))])
    // mine is not served, so /y is free
    await registry.load(document('third', ['/y']))
    expect(['/v1/x', '/v1/y'].map(serves)).to.deep.equal(['theirs', 'third'])
    expect(await failure(registry.load(document('fourth', ['/x'])))).to.include({
      uri: 'service.error.already_exists',
    })
    await registry.load(document('theirs', ['/z']))
    expect(['/v1/x', '/v1/y', '/v1/z'].map(serves)).to.deep.equal([undefined, 'third', 'theirs'])
  })
})

describe('a load that loses against another node', () => {
  it('is announced by the node that took it, and stays in the history', async () => {
    const { registry, replica, events, serves } = await registryWith()
    const { hash } = await registry.load(document('a', ['/mine']))
    await replica.merge([versionOf('a', document('a', ['/theirs']), stampAt(2_000))])
    expect(['/v1/mine', '/v1/theirs'].map(serves)).to.deep.equal([undefined, 'a'])
    expect(events).to.deep.equal([
      ['service.api_spec.on_conflict', { id: 'a', ts: 1_000, hash, node: 'node-1', other: 'a' }],
    ])
    expect((await registry.history.list('a')).map((version) => version.hash)).to.include(hash)
  })

  it('is not announced where both are the same document, as two nodes load it that start at once', async () => {
    const { registry, replica, events, logged } = await registryWith()
    await registry.load(document('a'))
    await replica.merge([versionOf('a', document('a'), stampAt(2_000))])
    expect(events).to.deep.equal([])
    expect(logged.filter(isAbout('was overwritten'))).to.deep.equal([])
  })

  it('is not announced when the other node knew of it', async () => {
    const { registry, replica, events } = await registryWith()
    await registry.load(document('a', ['/mine']))
    const parent = replica.get('api_spec', 'a')?.stamp ?? null
    await replica.merge([versionOf('a', document('a', ['/theirs']), stampAt(2_000), parent)])
    expect(events).to.deep.equal([])
  })
})
