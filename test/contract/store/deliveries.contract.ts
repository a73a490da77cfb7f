/** What every store promises of deliveries: accepted once, claimed by the owner alone, released in order, over for good. */
import { expect } from 'chai'
import type { Store } from '#component/store/database.ts'
import type { DeliveryRowEnd } from '#component/store/delivery-store.ts'
import type { DeliveryRow } from '#component/store/tables.ts'
import type { Place } from './store.contract.ts'

const day = 86_400_000

const rowOf = (seq: number, changes: Partial<DeliveryRow> = {}): DeliveryRow => ({
  ...{ delivery: 'd', endpoint: '', webhook_id: `msg_${seq}`, publication: `${seq}`, topic: 't' },
  ...{ seq, key: null, state: 'pending', due_at: seq, attempts: 0, lease_until: 0, epoch: 1 },
  ...{ status: null, error: null, reason: null, accepted_at: seq, bytes: 6, sealed: `s-${seq}` },
  ...changes,
})

const endOf = (seq: number, changes: Partial<DeliveryRowEnd> = {}): DeliveryRowEnd => ({
  ...{ delivery: 'd', endpoint: '', webhook_id: `msg_${seq}`, state: 'done', attempts: 1 },
  ...{ due_at: Date.now() + day, status: 200, error: null, reason: null, epoch: 1 },
  ...changes,
})

/** @param openPlace gives a place with nothing in it */
export function describeDeliveries(name: string, openPlace: () => Promise<Place>): void {
  describe(`${name} as a store of deliveries`, () => {
    let store: Store
    let other: Store
    beforeEach(async () => {
      const place = await openPlace()
      store = await place.open()
      other = await place.open()
    })
    afterEach(async () => {
      await store.close()
      await other.close()
    })

    const request = (holder: string, role: 'owner' | 'standby' = 'owner') => ({
      ...{ realm_uri: 'r', role, holder, node: `node-${holder}` },
    })
    const owner = (holder = 'a', epoch = 1) => ({ realm_uri: 'r', holder, epoch })
    const idsOf = (rows: readonly { readonly webhook_id: string }[]) =>
      rows.map(({ webhook_id }) => webhook_id).sort()
    const statesOf = async (...states: DeliveryRow['state'][]) =>
      idsOf(await store.deliveries.page('d', states, { afterSeq: 0, limit: 100 }))

    it('keeps an event once, and tells which ones are new', async () => {
      const first = await store.deliveries.accept([rowOf(1), rowOf(2)])
      expect(first).to.have.length(2)
      const again = rowOf(9, { webhook_id: 'msg_2' })
      expect(idsOf(await other.deliveries.accept([again, rowOf(3)]))).to.deep.equal(['msg_3'])
      expect(await statesOf('pending')).to.deep.equal(['msg_1', 'msg_2', 'msg_3'])
    })

    it('keeps 1,337 events of one turn, each with its columns', async () => {
      const rows = Array.from({ length: 1_337 }, (_, index) => rowOf(index + 1))
      expect(await store.deliveries.accept(rows)).to.have.length(1_337)
      const [found] = await store.deliveries.find('d', 'msg_1000')
      expect(found).to.deep.equal(rowOf(1000))
    })

    it('gives a role to one process, which renews it, until its lease has lapsed', async () => {
      const { deliveryOwners: owners } = store
      expect(await owners.take(request('a'), 10_000)).to.equal(1)
      expect(await other.deliveryOwners.take(request('b'), 10_000)).to.equal(undefined)
      expect(await other.deliveryOwners.take(request('b', 'standby'), 10_000)).to.equal(1)
      expect(await owners.take(request('a'), 10_000)).to.equal(1)
      expect([...(await owners.owners())]).to.deep.equal([['r', 'node-a']])
      await owners.release(request('a'))
      expect([...(await owners.owners())]).to.deep.equal([])
      expect(await other.deliveryOwners.take(request('b'), 10_000)).to.equal(2)
      expect(await owners.take(request('a'), 10_000)).to.equal(undefined)
    })

    it('gives the role of an owner whose lease has lapsed to the process that stands by, and to others once there is none', async () => {
      const { deliveryOwners: owners } = store
      await owners.take(request('a'), 10_000)
      await owners.take(request('b', 'standby'), 10_000)
      await owners.release(request('a'))
      expect(await other.deliveryOwners.take(request('c'), 10_000)).to.equal(undefined)
      expect(await other.deliveryOwners.take({ ...request('c'), realm_uri: 'q' }, 10_000)).to.equal(
        1,
      )
      expect(await owners.take(request('b'), 10_000)).to.equal(2)
      await owners.release(request('b'))
      await owners.release(request('b', 'standby'))
      expect(await other.deliveryOwners.take(request('c'), 10_000)).to.equal(3)
    })

    it('lets the owner claim a row once, and counts the attempt', async () => {
      await store.deliveries.accept([rowOf(1), rowOf(2)])
      expect(await store.deliveries.claim(owner(), [rowOf(1)], 1_000)).to.deep.equal([])
      await store.deliveryOwners.take(request('a'), 10_000)
      const claimed = await store.deliveries.claim(owner(), [rowOf(1), rowOf(2)], 60_000)
      expect(claimed.map((row) => [row.webhook_id, row.attempts, row.sealed]).sort()).to.deep.equal(
        [
          ['msg_1', 1, 's-1'],
          ['msg_2', 1, 's-2'],
        ],
      )
      expect(await store.deliveries.claim(owner(), [rowOf(1)], 60_000)).to.deep.equal([])
    })

    it('keeps a former owner from claiming and from ending what its successor has claimed', async () => {
      await store.deliveries.accept([rowOf(1)])
      await store.deliveryOwners.take(request('a'), 10_000)
      await store.deliveries.claim(owner(), [rowOf(1)], 0)
      await store.deliveryOwners.release(request('a'))
      await other.deliveryOwners.take(request('b'), 10_000)
      expect(await store.deliveries.claim(owner(), [rowOf(1)], 1_000)).to.deep.equal([])
      const [taken] = await other.deliveries.claim(owner('b', 2), [rowOf(1)], 60_000)
      expect(taken?.attempts).to.equal(2)
      await store.deliveries.end([endOf(1)])
      expect(await statesOf('pending')).to.deep.equal(['msg_1'])
      await other.deliveries.end([endOf(1, { epoch: 2, attempts: 2, status: 201 })])
      const [row] = await store.deliveries.find('d', 'msg_1')
      expect(row).to.include({ state: 'done', status: 201, attempts: 2, lease_until: 0 })
    })

    it('releases of each key the first one that is held, once none before it waits', async () => {
      const held = (seq: number, key: string) => rowOf(seq, { key, state: 'held' })
      await store.deliveries.accept([held(1, 'x'), held(2, 'x'), held(3, 'y')])
      const keys = [
        { delivery: 'd', key: 'x' },
        { delivery: 'd', key: 'y' },
      ]
      expect(idsOf(await store.deliveries.release(keys))).to.deep.equal(['msg_1', 'msg_3'])
      expect(await store.deliveries.release(keys)).to.deep.equal([])
      await store.deliveries.end([endOf(1)])
      expect(idsOf(await store.deliveries.release(keys))).to.deep.equal(['msg_2'])
      await store.deliveries.end([endOf(2, { state: 'dead' }), endOf(3)])
      await store.deliveries.accept([held(4, 'x'), held(5, 'x')])
      await store.deliveries.releaseAll('d')
      expect(await statesOf('pending')).to.deep.equal(['msg_4'])
    })

    it('gives what is due first, and takes over what other processes have accepted', async () => {
      await store.deliveries.accept([rowOf(1, { due_at: 50 }), rowOf(2, { due_at: 10 })])
      await other.deliveries.accept([
        rowOf(3, { state: 'new', due_at: 20 }),
        rowOf(4, { state: 'new', key: 'k' }),
      ])
      expect((await store.deliveries.due('d', 10)).map(({ seq }) => seq)).to.deep.equal([2, 1])
      expect(idsOf(await store.deliveries.takeNew(['d']))).to.deep.equal(['msg_3', 'msg_4'])
      expect(await store.deliveries.takeNew(['d'])).to.deep.equal([])
      expect((await store.deliveries.due('d', 10)).map(({ seq }) => seq)).to.deep.equal([2, 3, 1])
      expect(await statesOf('held')).to.deep.equal(['msg_4'])
    })

    it('makes dead letters of what is too old, renews what is over, and removes what is asked', async () => {
      await store.deliveries.accept([1, 2, 3, 4].map((seq) => rowOf(seq)))
      const removedAt = Date.now() + day
      expect(idsOf(await store.deliveries.expire('d', 3, removedAt))).to.deep.equal([
        ...['msg_1', 'msg_2'],
      ])
      await store.deliveries.end([endOf(3)])
      expect(await store.deliveries.renew('d', { webhook_ids: ['msg_1', 'msg_4'] })).to.equal(1)
      expect(await store.deliveries.renew('d', { states: ['done'] })).to.equal(1)
      expect(await statesOf('new')).to.deep.equal(['msg_1', 'msg_3'])
      const [renewed] = await store.deliveries.find('d', 'msg_1')
      expect(renewed).to.include({ attempts: 0, reason: null })
      expect(await store.deliveries.remove('d', { states: ['dead'] })).to.equal(1)
      expect(await store.deliveries.remove('d', { webhook_ids: ['msg_1', 'msg_9'] })).to.equal(1)
      expect(await statesOf('new', 'pending', 'held', 'done', 'dead')).to.deep.equal([
        ...['msg_3', 'msg_4'],
      ])
    })

    it('removes nothing that an attempt may be under way for', async () => {
      await store.deliveries.accept([rowOf(1, { lease_until: Date.now() + day }), rowOf(2)])
      expect(await store.deliveries.remove('d', { states: ['pending'] })).to.equal(1)
      expect(await store.deliveries.removeOldest('d', 5)).to.deep.equal([])
      expect(await statesOf('pending')).to.deep.equal(['msg_1'])
    })

    it('counts rows and bytes, and sweeps what is over and too many dead letters', async () => {
      await store.deliveries.accept([
        rowOf(1, { state: 'done', due_at: 5 }),
        rowOf(2, { state: 'done', due_at: Date.now() + day }),
        ...[3, 4, 5].map((seq) => rowOf(seq, { state: 'dead', due_at: Date.now() + day })),
        rowOf(6),
      ])
      expect(await store.deliveries.oldest('d')).to.equal(6)
      await store.deliveries.sweep('d', 2)
      const counts = [...(await store.deliveries.counts())].sort((a, b) =>
        a.state < b.state ? -1 : 1,
      )
      expect(counts).to.deep.equal([
        { delivery: 'd', state: 'dead', rows: 2, bytes: 12 },
        { delivery: 'd', state: 'done', rows: 1, bytes: 6 },
        { delivery: 'd', state: 'pending', rows: 1, bytes: 6 },
      ])
      expect(await statesOf('dead')).to.deep.equal(['msg_4', 'msg_5'])
    })

    it('keeps states and gaps of deliveries', async () => {
      const { deliveryOwners: owners } = store
      const declared = {
        ...{ delivery: 'd', realm_uri: 'r', api_spec: 's', name: 'n', state: 'active' as const },
        endpoint: 'ep_1',
        ...{ reason: null, failing_since: null, covered_until: null, declared_at: 5 },
      }
      await owners.declare([declared])
      await owners.setState('d', { state: 'stopped', reason: 'gone' })
      await owners.declare([declared])
      await owners.cover(['d'], 7)
      const [state] = await other.deliveryOwners.states()
      expect(state).to.include({ state: 'stopped', reason: 'gone', covered_until: 7 })
      const gap = {
        ...{ delivery: 'd', id: 'g', reason: 'absent', since: 1, until: 2, count: null },
        ...{ due_at: 3, attempts: 0 },
      }
      await owners.addGaps([gap, { ...gap, id: 'h', until: 9, count: 4, due_at: null }])
      await owners.addGaps([gap])
      expect((await owners.gaps('d', 10)).map(({ id }) => id)).to.deep.equal(['h', 'g'])
      expect(await owners.untold(['d'], 10)).to.deep.equal([gap])
      await owners.setGap(gap, { due_at: null, attempts: 1 })
      expect(await owners.untold(['d'], 10)).to.deep.equal([])
      expect([...(await owners.gapCounts())]).to.deep.equal([['d', 2]])
      await owners.sweepGaps(5)
      expect([...(await owners.gapCounts())]).to.deep.equal([['d', 1]])
    })

    it('forgets a delivery that no document has had for long, unless it has events', async () => {
      const { deliveryOwners: owners } = store
      const declared = {
        ...{ delivery: 'd', realm_uri: 'r', api_spec: 's', name: 'n', state: 'active' as const },
        endpoint: 'ep_1',
        ...{ reason: null, failing_since: null, covered_until: null, declared_at: 5 },
      }
      const other_delivery = { ...declared, delivery: 'e', declared_at: null }
      await owners.declare([declared, other_delivery])
      const gap = { reason: 'absent', since: 1, until: 2, count: null, due_at: null, attempts: 0 }
      await owners.addGaps([
        { ...gap, delivery: 'd', id: 'g' },
        { ...gap, delivery: 'e', id: 'g' },
      ])
      await store.deliveries.accept([rowOf(1)])
      const left = async () => [
        ...(await owners.states()).map(({ delivery }) => delivery).sort(),
        ...(await owners.gapCounts()).keys(),
      ]
      expect(await owners.abandoned(5)).to.deep.equal([])
      expect(await owners.abandoned(6)).to.deep.equal([
        { delivery: 'd', endpoint: 'ep_1', declared_at: 5 },
      ])
      await owners.forget('d', 6)
      expect(await left()).to.have.length(4)
      await store.deliveries.remove('d', { states: ['pending'] })
      await owners.forget('d', 5)
      expect(await left()).to.have.length(4)
      await owners.declared(['d'], 9)
      await owners.forget('d', 6)
      expect(await left()).to.have.length(4)
      await owners.forget('d', 10)
      await owners.forget('e', 10)
      expect(await left()).to.deep.equal(['e', 'e'])
    })
  })
}
