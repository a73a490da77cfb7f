/** HandshakeTurns: which handshakes of TLS begin in which turn of the event loop, and which are cut. */
import { expect } from 'chai'
import { type Handshake, HandshakeTurns, handshakeBounds } from '#http/tls/handshake-turns.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

const { begun: most, patience } = handshakeBounds
const { all: inTurn, connections } = handshakeBounds.inTurn
const numbers = (from: number, length: number) => Array.from({ length }, (_, at) => from + at)

describe('the handshakes of TLS', () => {
  let clock: ManualClock
  let turns: HandshakeTurns
  let asked: (() => void)[]
  /** Names, in the order in which they have begun and were cut. */
  let begun: string[]
  let cut: string[]
  beforeEach(() => {
    ;[asked, begun, cut] = [[], [], []]
    clock = new ManualClock()
    turns = new HandshakeTurns(clock, (callback) => asked.push(callback))
  })

  /** The next turn of the event loop. */
  const turn = () => {
    for (const callback of asked.splice(0)) callback()
  }
  const add = (network: string, at: number, isExempt = false): Handshake => {
    const name = `${network}${at}`
    const handshake: Handshake = {
      ...{ network, isExempt },
      begin: () => begun.push(name),
      cut: () => {
        cut.push(name)
        turns.over(handshake)
      },
    }
    turns.add(handshake)
    return handshake
  }
  const addMany = (network: string, count: number, isExempt = false) =>
    numbers(0, count).map((at) => add(network, at, isExempt))
  /** So many turns as all take that may begin. */
  const settle = () => {
    while (asked.length > 0) turn()
  }
  const names = (network: string, from: number, count: number) =>
    numbers(from, count).map((at) => `${network}${at}`)

  it('begin in a later turn, a few in each', () => {
    addMany('a', inTurn * 2 + 1)
    expect(begun).to.deep.equal([])
    for (const count of [inTurn, inTurn * 2, inTurn * 2 + 1]) {
      turn()
      expect(begun).to.deep.equal(names('a', 0, count))
    }
    expect(asked).to.deep.equal([])
  })

  it('begin in turn among the networks: one that comes last does not wait for those of others', () => {
    addMany('a', inTurn * 10)
    addMany('b', 2)
    add('c', 0)
    turn()
    expect(begun.slice(0, 6)).to.deep.equal(['a0', 'b0', 'c0', 'a1', 'b1', 'a2'])
    add('b', 2)
    turn()
    expect(begun.slice(inTurn, inTurn + 2)).to.deep.equal([`a${inTurn - 3}`, 'b2'])
  })

  describe('that have ended', () => {
    /** Names of networks whose connections have begun. */
    let followed: string[]
    beforeEach(() => {
      followed = []
    })
    const follow = (network: string, count: number) => {
      for (let at = 0; at < count; at++) turns.follow(network, () => followed.push(network))
    }

    it('let connections follow, fewer in a turn, and of the networks in turn', () => {
      follow('a', connections + 2)
      follow('b', 1)
      expect(followed).to.deep.equal([])
      turn()
      expect(followed).to.have.length(connections)
      settle()
      expect(followed).to.deep.equal(['a', 'b', ...Array(connections + 1).fill('a')])
      expect(asked).to.deep.equal([])
    })

    it('leave the rest of the turn to handshakes of others; those of their network wait for what follows', () => {
      follow('a', connections + 1)
      addMany('a', 1)
      addMany('b', inTurn)
      turn()
      expect([followed.length, ...begun]).to.deep.equal([
        connections,
        ...names('b', 0, inTurn - connections),
      ])
      turn()
      expect(begun).to.include('a0')
      expect(followed).to.have.length(connections + 1)
    })
  })

  it('do not begin once their connection is closed', () => {
    const [first] = addMany('a', 2)
    if (first) turns.over(first)
    settle()
    expect(begun).to.deep.equal(['a1'])
  })

  it('wait for those of their network that are under way; other networks do not', () => {
    const [first] = addMany('a', most.network + 1)
    settle()
    expect(begun).to.have.length(most.network)
    add('b', 0)
    settle()
    expect(begun.at(-1)).to.equal('b0')
    if (first) turns.over(first)
    settle()
    expect(begun.at(-1)).to.equal(`a${most.network}`)
    expect(cut).to.deep.equal([])
  })

  it('cut the oldest of their network once it has lasted too long', async () => {
    addMany('a', most.network)
    settle()
    await clock.advance(patience - 200)
    addMany('a', most.network + 2)
    settle()
    expect(cut).to.deep.equal([])
    await clock.advance(300)
    settle()
    expect(cut).to.deep.equal(names('a', 0, most.network))
    expect(begun).to.have.length(most.network * 2)
    // the others wait for these
    expect(clock.pending).to.equal(1)
  })

  it('wait for those of all networks, of which the oldest is cut in the end', async () => {
    const networks = Math.ceil(most.all / most.network) * 2
    for (const at of numbers(0, networks)) addMany(`n${at}-`, most.network / 2)
    settle()
    add('last-', 0)
    settle()
    expect(begun).to.have.length(most.all)
    await clock.advance(patience + 100)
    settle()
    expect(cut).to.deep.equal(['n0-0'])
    expect(begun.at(-1)).to.equal('last-0')
  })

  it('of a network that stands for many clients are as many as of all', () => {
    addMany('a', most.network + 10, true)
    settle()
    expect(begun).to.have.length(most.network + 10)
  })

  it('leave no timer when the last one that waits is closed', async () => {
    const all = addMany('a', most.network + 1)
    settle()
    expect(clock.pending).to.equal(1)
    const last = all.at(-1)
    if (last) turns.over(last)
    await clock.advance(1_000)
    settle()
    expect(clock.pending).to.equal(0)
  })
})
