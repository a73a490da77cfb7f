/** A gateway whose clock is off those of the others takes no loads: its stamps would win or lose against all of theirs. */
import { expect } from 'chai'
import { Fleet, type SimulatedNode } from './fleet.ts'

const skew = 'service.error.clock_skew'

describe('a gateway whose clock is off', () => {
  let fleet: Fleet

  beforeEach(() => {
    fleet = new Fleet()
  })

  const refusals = () => fleet.nodes.map(({ sync }) => sync.refusal()?.uri)

  /** Opens nodes with these clocks. */
  async function open(...offsets: readonly number[]): Promise<SimulatedNode[]> {
    const nodes: SimulatedNode[] = []
    for (const [index, offset] of offsets.entries()) {
      nodes.push(await fleet.open(`n${index}`, { offset }))
    }
    await fleet.run(100)
    return nodes
  }

  for (const offset of [31_000, -31_000]) {
    it(`by ${offset} ms refuses loads; the others go on`, async () => {
      const [off] = await open(offset, 0, 0, 500)
      expect(refusals()).to.deep.equal([skew, undefined, undefined, undefined])
      expect(off?.sync.refusal()).to.include({ status: 503 })
      expect(off?.sync.refusal()?.message).to.include(offset > 0 ? '31 s ahead of' : '31 s behind')
      expect(off?.sync.status().clock_offset_ms).to.be.within(-offset - 2, -offset + 2)
    })
  }

  for (const [offsets, storeClock, expected] of [
    [[60_000, 0], 0, [skew, undefined]],
    [[60_000, 60_000, 0, 0], 0, [skew, skew, undefined, undefined]],
    // one database with a wrong clock stops nobody, nor does it where there is one gateway
    [[0, 0], 60_000, [undefined, undefined]],
    [[0], 60_000, [undefined]],
  ] as const) {
    it(`is outvoted by the clock of a shared database: ${offsets.join(', ')} with ${storeClock}`, async () => {
      for (const [index, offset] of offsets.entries()) {
        await fleet.open(`n${index}`, { offset, storeClock })
      }
      await fleet.run(100)
      expect(refusals()).to.deep.equal(expected)
      expect(fleet.nodes.map(({ sync }) => sync.status().clock)).to.deep.equal(
        expected.map((uri) => (uri === undefined ? 'agrees' : 'skewed')),
      )
    })
  }

  it('takes no loads before it has heard the others, so that it cannot know', async () => {
    await open(0, 0)
    fleet.bus.delay = () => 200
    const late = await fleet.open('late', { offset: 3_600_000 })
    expect(late.session.isOpen).to.equal(true)
    expect(late.sync.refusal()).to.deep.include({
      uri: 'service.error.unavailable',
      headers: { 'Retry-After': '1' },
    })
    await fleet.run(5000)
    expect(late.sync.isCaughtUp).to.equal(true)
    expect(late.sync.refusal()?.uri).to.equal(skew)
  })

  it('by less than 30 s takes loads, whatever the messages are under way for', async () => {
    fleet.bus.delay = () => 2000
    await open(-27_900, 0, 0)
    await fleet.run(20_000)
    expect(refusals()).to.deep.equal([undefined, undefined, undefined])
  })

  it('says so once in its log, and takes loads again when its clock is right', async () => {
    const [off] = await open(0, 0, 0)
    if (!off) throw new Error('no node')
    off.clock.offset = 3_600_000
    await fleet.run(6000)
    expect(refusals()).to.deep.equal([skew, undefined, undefined])
    await fleet.run(60_000)
    const said = () => off.lines.filter(({ message }) => message.startsWith('the clock'))
    expect(said().map(({ level }) => level)).to.deep.equal(['error'])
    off.clock.offset = 0
    await fleet.run(6000)
    expect(refusals()).to.deep.equal([undefined, undefined, undefined])
    await fleet.run(6000)
    expect(said().map(({ level }) => level)).to.deep.equal(['error', 'info'])
  })

  it('cannot know which of two is right: both refuse', async () => {
    await open(0, 40_000)
    expect(refusals()).to.deep.equal([skew, skew])
  })

  it('takes loads when it is alone, and after the others have gone', async () => {
    await open(3_600_000)
    expect(refusals()).to.deep.equal([undefined])
    await fleet.open('other')
    await fleet.run(100)
    expect(refusals()).to.deep.equal([skew, skew])
    fleet.nodes[1]?.kill()
    await fleet.run(16_000)
    expect(refusals()).to.deep.equal([undefined])
  })

  it('is judged by what it heard in the last 15 seconds', async () => {
    const [a, b] = await open(0, 40_000, 0)
    fleet.bus.copies = ({ to }) => Number(to !== a?.session)
    await fleet.run(15_200)
    expect(a?.sync.status().nodes).to.deep.equal([])
    expect(a?.sync.status().clock_offset_ms).to.equal(null)
    expect(b?.sync.refusal()?.uri).to.equal(skew)
  })
})
