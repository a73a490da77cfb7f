/** What every store promises; a new one proves itself by passing these, and nothing else. */
import { expect } from 'chai'
import { type Kind, kinds } from '#component/replica/entry.ts'
import type { Store } from '#component/store/database.ts'
import { documentVersion, stampOf, tombstone, values, version } from './documents.ts'

/** Where a store is kept: every `open` is another connection to the same data, as another process has. */
export interface Place {
  open(): Promise<Store>
}

/** @param start gives a place with nothing in it */
export function describeStore(name: string, start: () => Promise<Place>): void {
  describe(`${name} as a Store`, () => {
    let place: Place
    let store: Store
    beforeEach(async () => {
      place = await start()
      store = await place.open()
    })
    afterEach(async () => {
      await store.close()
    })

    const all = async () => (await store.entries.since(0)).entries
    const versionsOf = async (id: string, kind: Kind = 'api_spec') =>
      (await store.entries.versions(kind, id)).map(({ stamp }) => stamp.ms)

    it('is empty at first', async () => {
      expect(await all()).to.deep.equal([])
      expect(await store.entries.versions('api_spec', 'a')).to.deep.equal([])
    })

    for (const [what, value] of Object.entries(values)) {
      it(`gives ${what} back as it was`, async () => {
        const entry = documentVersion({ id: 'a', value })
        expect(await store.entries.replace([entry])).to.equal(true)
        expect(await all()).to.deep.equal([entry])
        expect(await store.entries.versions('api_spec', 'a')).to.deep.equal([entry])
      })
    }

    for (const id of ['__proto__', 'constructor', "o'; drop table entries; --", 'a b', 'ä', 'A']) {
      it(`takes ${id} as an id like any other`, async () => {
        await store.entries.replace([version('a', 1), version(id, 2)])
        expect((await all()).map((entry) => entry.id)).to.deep.equal(['a', id])
      })
    }

    it('keeps every part of a stamp, and of those of the parent and of the versions before it', async () => {
      const first = version('a', 1, { stamp: stampOf(2 ** 53 - 1, 'node-1-w3', 2 ** 40) })
      await store.entries.replace([first])
      const before = { parent: first.stamp, ancestors: [stampOf(3, 'n3', 2), stampOf(2)] }
      const second = tombstone('a', 1, { stamp: stampOf(1, 'n2', 7), ...before })
      expect(await store.entries.replace([second])).to.equal(true)
      expect(await all()).to.deep.equal([second])
    })

    it('keeps who has made a version, whatever characters the name has', async () => {
      const names = [
        'ada@com.example',
        'a\u0000b',
        'x\ud800y',
        '漢字𝄞',
        "'; drop table entries; --",
      ]
      const made = names.map((by, index) =>
        version('a', index + 1, { parent: index === 0 ? null : stampOf(index), by }),
      )
      for (const one of made) expect(await store.entries.replace([one])).to.equal(true)
      expect(await all()).to.deep.equal(made.slice(-1))
      expect(await store.entries.versions('api_spec', 'a')).to.deep.equal(made.toReversed())
    })

    describe('replace', () => {
      beforeEach(async () => {
        await store.entries.replace([version('a', 1), tombstone('gone', 2)])
      })

      it('keeps a version in the place of its parent, tombstones included', async () => {
        const next = version('a', 3, { parent: stampOf(1) })
        const deleted = tombstone('a', 4, { parent: stampOf(3) })
        const again = version('gone', 5, { parent: stampOf(2) })
        for (const entry of [next, deleted, again]) {
          expect(await store.entries.replace([entry])).to.equal(true)
        }
        expect(await all()).to.deep.equal([deleted, again])
      })

      for (const [what, wrong] of [
        ['there is another version', version('a', 9, { parent: stampOf(0) })],
        ['the counter differs', version('a', 9, { parent: stampOf(1, 'n1', 1) })],
        ['the node differs', version('a', 9, { parent: stampOf(1, 'n2') })],
        ['there is one, and none is named', version('a', 9)],
        ['there is a tombstone, and none is named', version('gone', 9)],
        ['there is none, and one is named', version('b', 9, { parent: stampOf(1) })],
      ] as const) {
        it(`keeps nothing when ${what}`, async () => {
          const { revision } = await store.entries.since(0)
          const good = version('c', 8)
          expect(await store.entries.replace([good, wrong])).to.equal(false)
          expect(await store.entries.replace([wrong, good])).to.equal(false)
          expect(await all()).to.deep.equal([version('a', 1), tombstone('gone', 2)])
          expect(await versionsOf('c')).to.deep.equal([])
          expect(await store.entries.since(revision)).to.deep.equal({ revision, entries: [] })
        })
      }

      it('keeps documents of both kinds apart', async () => {
        const realm = version('a', 9, { kind: 'realm' })
        expect(await store.entries.replace([realm])).to.equal(true)
        expect(await all()).to.deep.equal([version('a', 1), tombstone('gone', 2), realm])
      })

      it('lets one of two win that name the same parent', async () => {
        const other = await place.open()
        const racers = [store, other, store, other].map(({ entries }, index) =>
          entries.replace([
            version('a', 9, { stamp: stampOf(9, `n${index}`), parent: stampOf(1) }),
          ]),
        )
        expect((await Promise.all(racers)).filter(Boolean)).to.have.length(1)
        expect((await all()).map(({ stamp }) => stamp.ms)).to.deep.equal([2, 9])
        await other.close()
      })
    })

    describe('merge', () => {
      const old = version('a', 1)
      const middle = version('a', 2, { stamp: stampOf(2, 'n1') })
      const winner = tombstone('a', 2, { stamp: stampOf(2, 'n2') })

      for (const order of [
        [old, middle, winner],
        [winner, old, middle],
        [middle, winner, old],
        [winner, winner, winner],
      ]) {
        it(`keeps the greatest of ${order.map(({ stamp }) => `${stamp.ms}${stamp.node}`)}`, async () => {
          for (const entry of order) await store.entries.merge([entry])
          expect(await all()).to.deep.equal([winner])
          await store.entries.merge([...order, version('b', 1)])
          expect(await all()).to.deep.equal([version('b', 1), winner])
          const [current] = await store.entries.versions('api_spec', 'a')
          expect(current).to.deep.equal(winner)
        })
      }

      it('keeps the greatest of several of one id in one step', async () => {
        await store.entries.merge([middle, winner, old])
        expect(await all()).to.deep.equal([winner])
        expect(await store.entries.versions('api_spec', 'a')).to.deep.equal([winner, middle, old])
      })

      it('lets the hash decide between two of one stamp, whichever came first', async () => {
        const two = [version('a', 1, { hash: 'a' }), version('a', 1, { hash: 'b' })] as const
        for (const entry of two) await store.entries.merge([entry])
        expect(await all()).to.deep.equal([two[1]])
        for (const entry of two) await store.entries.merge([{ ...entry, id: 'b' }])
        await store.entries.merge([two[0]])
        expect((await all()).map(({ hash }) => hash)).to.deep.equal(['b', 'b'])
        expect(await store.entries.versions('api_spec', 'a')).to.deep.equal([two[1]])
      })

      it('changes nothing, the revision included, by what is there already', async () => {
        await store.entries.merge([winner, version('b', 1)])
        const { revision } = await store.entries.since(0)
        await store.entries.merge([version('b', 1), winner])
        await store.entries.merge([])
        expect(await store.entries.since(revision)).to.deep.equal({ revision, entries: [] })
      })
    })

    describe('versions', () => {
      it('are the ten newest, losers and tombstones included, newest first', async () => {
        for (const ms of [5, 12, 3, 9, 1, 7]) await store.entries.merge([version('a', ms)])
        expect(await versionsOf('a')).to.deep.equal([12, 9, 7, 5, 3, 1])
        for (const ms of [2, 4, 6, 8, 10]) await store.entries.merge([version('a', ms)])
        expect(await versionsOf('a')).to.deep.equal([12, 10, 9, 8, 7, 6, 5, 4, 3, 2])
        await store.entries.replace([tombstone('a', 13, { parent: stampOf(12) })])
        await store.entries.merge([version('a', 1), version('b', 99)])
        expect(await versionsOf('a')).to.deep.equal([13, 12, 10, 9, 8, 7, 6, 5, 4, 3])
        expect((await store.entries.versions('api_spec', 'a')).slice(0, 2)).to.deep.equal([
          tombstone('a', 13, { parent: stampOf(12) }),
          version('a', 12),
        ])
      })

      it('are kept of realms, too, and not of keys, credentials and accounts', async () => {
        const others = kinds.filter((kind) => kind !== 'api_spec' && kind !== 'realm')
        for (const kind of ['realm', ...others] as const) {
          const first = version('a', 1, { kind })
          await store.entries.replace([first])
          await store.entries.merge([version('a', 2, { kind }), first])
          expect(await versionsOf('a', kind), kind).to.deep.equal(kind === 'realm' ? [2, 1] : [])
        }
      })
    })

    it('remembers what was last loaded from a file', async () => {
      const { files } = store
      expect((await files.lastLoads(['/a.json'])).size).to.equal(0)
      await files.setLoadedHashes(new Map())
      await files.setLoadedHashes(new Map([['/a.json', 'one']]))
      const both = new Map([
        ['/a.json', 'two'],
        ['/b.json', 'other'],
      ])
      await files.setLoadedHashes(both)
      const loads = await files.lastLoads(['/a.json', '/b.json', '/c.json'])
      expect(new Map(Array.from(loads, ([path, { hash }]) => [path, hash]))).to.deep.equal(both)
      expect(loads.get('/a.json')?.ms).to.be.a('number')
      expect([...(await files.lastLoads(['/b.json'])).keys()]).to.deep.equal(['/b.json'])
    })

    it('refuses everything after it was closed, and may be closed twice', async () => {
      await store.close()
      await store.close()
      for (const operation of [
        () => store.entries.since(0),
        () => store.entries.replace([version('a', 1)]),
        () => store.entries.merge([version('a', 1)]),
        () => store.entries.versions('api_spec', 'a'),
        () => store.files.lastLoads(['/a.json']),
      ]) {
        const error = await operation().catch((reason: unknown) => reason)
        expect(error).to.include({ uri: 'service.error.unavailable', status: 503 })
        expect(error).to.have.deep.property('headers', { 'Retry-After': '5' })
      }
    })
  })
}
