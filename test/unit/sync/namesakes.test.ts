/** Two gateways of one name: neither would serve what the other one loads, so both say so and load nothing. */
import { expect } from 'chai'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'
import { Fleet, type SimulatedNode } from './fleet.ts'

describe('a gateway whose name another one has', () => {
  let fleet: Fleet
  let a: SimulatedNode
  let b: SimulatedNode

  beforeEach(async () => {
    fleet = new Fleet()
    ;[a, b] = (await fleet.openAll('a', 'b')) as [SimulatedNode, SimulatedNode]
    await fleet.run(10_000)
  })

  /** Which of these have found that their name is taken; the status and the refusal say the same. */
  function taken(...nodes: readonly SimulatedNode[]): boolean[] {
    return nodes.map(({ sync }) => {
      const { isNameTaken } = sync
      expect(sync.status().name).to.equal(isNameTaken ? 'taken' : 'own')
      expect(sync.refusal()?.status).to.equal(isNameTaken ? 503 : undefined)
      return isNameTaken
    })
  }

  /** Sends what a session has published again, from another one. */
  const sendAgain = async (from: number, to: number) => {
    const stranger = fleet.bus.connect()
    for (const { uri, payload } of fleet.bus.events.slice(from, to)) {
      await stranger.publish(uri, payload)
    }
    await fleet.run(100)
  }

  it('knows it at once, as the other one does, and says what to do', async () => {
    const twin = await fleet.open('a')
    await fleet.run(100)
    expect(taken(a, twin, b)).to.deep.equal([true, true, false])
    expect(a.sync.refusal()?.message).to.equal(
      'another gateway has the name of this node, and would never serve the change: give each its own name (option "node")',
    )
    await fleet.run(120_000)
    expect(taken(a, twin, b)).to.deep.equal([true, true, false])
  })

  for (const offset of [-5_000, 5_000, 25_000]) {
    it(`knows it where the clock of the other one is off by ${offset} ms`, async () => {
      const twin = await fleet.open('a', { offset })
      await fleet.run(Math.abs(offset) + 10_000)
      expect(taken(a, twin, b)).to.deep.equal([true, true, false])
    })
  }

  it('has it for itself as soon as the other one leaves', async () => {
    const twin = await fleet.open('a')
    await fleet.run(10_000)
    await Promise.all([twin.sync.leave(), fleet.run(20)])
    expect(taken(a, b)).to.deep.equal([false, false])
  })

  it('has it for itself once the other one has been silent', async () => {
    const twin = await fleet.open('a')
    await fleet.run(10_000)
    twin.kill()
    await fleet.run(5_000)
    expect(taken(a)).to.deep.equal([true])
    await fleet.run(12_000)
    expect(taken(a, b)).to.deep.equal([false, false])
    expect(a.messages('error')).to.have.length(1)
  })

  it('is not one that was killed and starts again', async () => {
    const events = fleet.bus.events.length
    await a.load('x')
    await fleet.run(10_000)
    const { store } = a
    a.kill()
    const again = await fleet.open('a', { store })
    await fleet.run(10_000)
    expect(taken(again, b)).to.deep.equal([false, false])
    // what the killed one has said comes late, or somebody sends it again
    await sendAgain(events, fleet.bus.events.length)
    expect(taken(again, b)).to.deep.equal([false, false])
    expect(again.messages('error')).to.deep.equal([])
  })

  it('is not taken in by what a twin has said before it ended', async () => {
    const twin = await fleet.open('a')
    const events = fleet.bus.events.length
    await fleet.run(10_000)
    const sent = fleet.bus.events.length
    twin.kill()
    await fleet.run(60_000)
    expect(taken(a)).to.deep.equal([false])
    await sendAgain(events, sent)
    expect(taken(a, b)).to.deep.equal([false, false])
  })

  describe('and which has several workers', () => {
    const open = async (name: string) => {
      const store = new MemoryStore()
      const workers = [`${name}-1`, `${name}-2`]
      const opened: SimulatedNode[] = []
      for (const worker of workers) opened.push(await fleet.open(worker, { store, workers }))
      return opened as [SimulatedNode, SimulatedNode]
    }

    it('knows it in all of them', async () => {
      const ours = await open('c')
      const theirs = await open('c')
      await fleet.run(20_000)
      expect(taken(...ours, ...theirs, a, b)).to.deep.equal([true, true, true, true, false, false])
    })

    it('is not one whose first worker was killed and starts again', async () => {
      const [first, second] = await open('c')
      await fleet.run(10_000)
      const { store } = first
      first.kill()
      const again = await fleet.open('c-1', { store, workers: ['c-1', 'c-2'] })
      for (let ms = 0; ms < 30_000; ms += 1_000) {
        await fleet.run(1_000)
        expect(taken(again, second, b), String(ms)).to.deep.equal([false, false, false])
      }
    })
  })
})
