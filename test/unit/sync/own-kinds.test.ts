/** What only gateways know (keys, revocations) reaches all of them at once, says nothing to others, and ends everywhere. */
import { expect } from 'chai'
import type { Kind } from '#component/replica/entry.ts'
import { topics } from '#component/sync/topics.ts'
import { Fleet, type SimulatedNode } from './fleet.ts'
import { start } from './time.ts'

const ownKinds = ['realm_key', 'revocation', 'api_key', 'oidc_user', 'id_token'] as const

/** Longer than a heartbeat and an exchange. Milliseconds. */
const healMs = 6_000

describe('keys and revocations of gateways on one router', () => {
  let fleet: Fleet
  let a: SimulatedNode
  let b: SimulatedNode
  beforeEach(async () => {
    fleet = new Fleet()
    ;[a, b] = (await fleet.openAll('a', 'b')) as [SimulatedNode, SimulatedNode]
  })

  const put = (node: SimulatedNode, kind: Kind, id: string, document: object | null) =>
    node.replica.change(kind, () => [{ id, document: document as Record<string, unknown> | null }])

  for (const kind of ownKinds) {
    it(`are there within the time of a message: ${kind}`, async () => {
      const calls = fleet.bus.calls.length
      await put(a, kind, 'x', { exp: start })
      await fleet.run(20)
      expect(b.replica.get(kind, 'x')?.document).to.deep.equal({ exp: start })
      await put(b, kind, 'x', null)
      await fleet.run(20)
      expect(a.replica.get(kind, 'x')?.document).to.equal(null)
      expect(fleet.bus.calls.slice(calls), 'nothing is fetched').to.deep.equal([])
    })

    it(`tell those who listen neither what nor whose: ${kind}`, async () => {
      await put(a, kind, 'user:com.example joe doe', { authid: 'joe doe' })
      const [event] = fleet.bus.events.filter(({ uri }) => uri !== topics.beat)
      expect(event?.uri).to.equal(topics.change)
      expect(event?.payload.kwargs).to.have.keys('node', 'sealed')
      expect(JSON.stringify(event?.payload)).to.not.include('joe doe')
    })
  }

  it('are counted in the status', async () => {
    await a.load('x')
    for (const kind of ownKinds) await put(a, kind, 'x', { exp: start })
    await put(a, 'api_key', 'x', null)
    await fleet.run(20)
    for (const { sync } of [a, b]) {
      expect(sync.status()).to.deep.include({ entries: 5, tombstones: 1 })
    }
  })

  it('come by an exchange to a gateway that has not heard of them', async () => {
    b.session.cut()
    for (const kind of ownKinds) await put(a, kind, 'x', { exp: start })
    await fleet.run(20)
    b.session.join()
    expect(await fleet.untilEqual(healMs)).to.be.at.most(healMs)
    expect(b.replica.get('revocation', 'x')?.document).to.deep.equal({ exp: start })
  })

  it('end at the same full minute on all of them, and do not come back', async () => {
    const exp = start / 1_000 + 1
    await put(a, 'revocation', 'short', { exp })
    await put(a, 'revocation', 'long', { exp: exp + 900 })
    await fleet.run(179_000)
    for (const { replica } of [a, b]) {
      expect(replica.entries('revocation')).to.have.length(2)
    }
    const calls = fleet.bus.calls.length
    await fleet.run(2_000)
    for (const { replica } of [a, b]) {
      expect(replica.entries('revocation').map(({ id }) => id)).to.deep.equal(['long'])
    }
    expect(fleet.digests).to.equal(1)
    await fleet.run(60_000)
    expect(fleet.digests).to.equal(1)
    expect(fleet.bus.calls.slice(calls), 'exchanges').to.deep.equal([])
  })

  it('end on a gateway whose clock is behind, which gives none of them back', async () => {
    const late = await fleet.open('late', { offset: -20_000 })
    await put(a, 'revocation', 'short', { exp: start / 1_000 + 1 })
    await fleet.run(185_000)
    expect(a.replica.entries('revocation')).to.deep.equal([])
    expect(late.replica.entries('revocation')).to.have.length(1)
    await fleet.run(30_000)
    for (const { replica } of fleet.nodes) {
      expect(replica.entries('revocation')).to.deep.equal([])
    }
    expect(await fleet.untilEqual(healMs)).to.be.at.most(healMs)
  })

  it('are swept no more by a gateway that has left', async () => {
    await b.sync.leave()
    await put(b, 'revocation', 'short', { exp: start / 1_000 + 1 })
    await fleet.run(300_000)
    expect(b.replica.entries('revocation')).to.have.length(1)
  })
})
