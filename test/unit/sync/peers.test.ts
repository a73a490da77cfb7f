/** Who of the other gateways is believed to be there, and what their clocks say. */
import { expect } from 'chai'
import { Peers } from '#component/sync/peers.ts'
import type { Heartbeat } from '#component/sync/sync-messages.ts'

describe('the peers of a gateway', () => {
  let now: number
  let peers: Peers
  beforeEach(() => {
    now = 1_000_000
    peers = new Peers({ now: () => now })
  })

  const heartbeat = (node: string, seq: number, changes: Partial<Heartbeat> = {}): Heartbeat => ({
    ...{ node, boot: 'boot', seq, now, digest: `digest ${seq}`, leaving: false },
    ...{ version: '1.0.0', features: [], every: 4800 },
    ...changes,
  })
  const names = () => peers.present().map(({ node }) => node)

  it('are those that have answered', () => {
    expect(peers.hear(heartbeat('a', 1))).to.equal('stranger')
    expect(names()).to.deep.equal([])
    peers.meet(heartbeat('b', 1))
    peers.meet(heartbeat('a', 2))
    expect(names()).to.deep.equal(['a', 'b'])
    expect(peers.hear(heartbeat('a', 3))).to.equal('heard')
    expect(peers.get('a')).to.include({ digest: 'digest 3', boot: 'boot' })
  })

  it('are gone after 15 seconds of silence, or when they say so', () => {
    peers.meet(heartbeat('a', 1))
    peers.meet(heartbeat('b', 1))
    peers.meet(heartbeat('c', 1))
    peers.drop('c')
    now += 10_000
    peers.hear(heartbeat('b', 2))
    now += 5001
    expect(names()).to.deep.equal(['b'])
    expect(peers.hear(heartbeat('a', 2))).to.equal('stranger')
    expect(peers.hear(heartbeat('c', 2))).to.equal('stranger')
  })

  it('are heard once with each message, in whatever order', () => {
    peers.meet(heartbeat('a', 10))
    const heard = [12, 11, 12, 10, 11, 13, 5, 5].map((seq) => peers.hear(heartbeat('a', seq)))
    const twice = 'repeated'
    expect(heard).to.deep.equal([
      ...['heard', 'heard', twice, twice, twice],
      ...['heard', 'heard', twice],
    ])
    expect(peers.get('a')?.digest).to.equal('digest 13')
  })

  it('are not heard with messages of long ago', () => {
    peers.meet(heartbeat('a', 1))
    for (let seq = 2; seq < 5000; seq++) expect(peers.hear(heartbeat('a', seq))).to.equal('heard')
    for (const seq of [1, 2, 3999]) expect(peers.hear(heartbeat('a', seq))).to.equal('repeated')
    for (const seq of [4001, 4999]) expect(peers.hear(heartbeat('a', seq))).to.equal('repeated')
  })

  it('are strangers after another start, until they answer', () => {
    peers.meet(heartbeat('a', 10))
    const restarted = heartbeat('a', 1, { boot: 'another' })
    expect(peers.hear(restarted)).to.equal('stranger')
    expect(peers.get('a')?.boot).to.equal('boot')
    peers.meet(restarted)
    expect(peers.get('a')?.boot).to.equal('another')
    expect(peers.hear(heartbeat('a', 11))).to.equal('stranger')
  })

  it('remember when all they had was here', () => {
    peers.meet(heartbeat('a', 1))
    expect(peers.lastExchangedAt).to.equal(undefined)
    peers.exchanged('a')
    now += 100
    peers.exchanged('nobody')
    expect(peers.get('a')?.exchangedAt).to.equal(now - 100)
    peers.hear(heartbeat('a', 2))
    expect(peers.get('a')?.exchangedAt).to.equal(now - 100)
    expect(peers.lastExchangedAt).to.equal(now)
  })

  const medians: readonly (readonly [offsets: readonly number[], median: number | undefined])[] = [
    [[], undefined],
    [[5000], 5000],
    [[0, 40_000], 0],
    [[-40_000, -50_000], -40_000],
    [[-7, 3, 90_000_000], 3],
    [[4, 1, 3, 2], 2],
    [[-4, -1, -3, -2], -2],
  ]
  for (const [offsets, median] of medians) {
    it(`have clocks that are ${median} ms ahead in the median of [${offsets}]`, () => {
      for (const [index, offset] of offsets.entries()) {
        peers.meet(heartbeat(`n${index}`, 1, { now: now + offset }))
      }
      expect(peers.clockOffsetMs).to.equal(median)
    })
  }
})
