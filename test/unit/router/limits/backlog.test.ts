/** What the router holds for its peers, and who is dropped when that is too much. */
import { expect } from 'chai'
import type { Clock } from '#component/clock.ts'
import { Quota } from '#component/limits/quota.ts'
import { Backlog, freeBytes, type Holder } from '#component/router/limits/backlog.ts'
import { webSocketHead } from '#component/router/limits/framed-socket.ts'
import { Unfinished } from '#component/router/limits/unfinished.ts'

const free = freeBytes

/** Joined peers may take 8 × 65,536 bytes in all, others 2 × 65,536. */
const opened = () => {
  const whole = new Quota(32 * free)
  const timers: (() => void)[] = []
  const clock: Clock = {
    now: () => 0,
    random: () => 0,
    after(_ms, callback) {
      timers.push(callback)
      return () => {}
    },
  }
  return { whole, timers, backlog: new Backlog(whole, clock) }
}

class Peer implements Holder {
  heldBytes = 0
  isDropped = false
  goneOn = 0
  readonly #backlog: Backlog
  constructor(backlog: Backlog) {
    this.#backlog = backlog
    backlog.add(this)
  }
  take(bytes: number): boolean {
    const isTaken = this.#backlog.take(this, bytes)
    if (isTaken) this.heldBytes += bytes
    return isTaken
  }
  drop(): void {
    this.isDropped = true
    this.#backlog.remove(this)
    this.#backlog.give(this.heldBytes)
    this.heldBytes = 0
  }
  goOn(): void {
    this.goneOn += 1
  }
  rested = 0
  rest(): void {
    this.rested += 1
  }
}

describe('Backlog', () => {
  it('lets joined peers take a quarter of the whole budget', () => {
    const { backlog, whole } = opened()
    const peer = new Peer(backlog)
    expect([peer.take(8 * free), peer.take(1)]).to.deep.equal([true, false])
    expect(whole.used).to.equal(8 * free)
  })

  it('drops the peer that holds most when another one needs room', () => {
    const { backlog } = opened()
    const [small, great, other] = [new Peer(backlog), new Peer(backlog), new Peer(backlog)]
    small.take(3 * free)
    great.take(4 * free)
    expect(other.take(2 * free)).to.equal(true)
    expect([small.isDropped, great.isDropped]).to.deep.equal([false, true])
  })

  it('drops as many as are needed', () => {
    const { backlog } = opened()
    const peers = [3, 2, 3].map((count) => {
      const peer = new Peer(backlog)
      peer.take(count * free)
      return peer
    })
    expect(new Peer(backlog).take(6 * free)).to.equal(true)
    expect(peers.map(({ isDropped }) => isDropped)).to.deep.equal([true, false, true])
  })

  it('refuses the peer that holds most itself', () => {
    const { backlog } = opened()
    const [one, two] = [new Peer(backlog), new Peer(backlog)]
    one.take(5 * free)
    two.take(3 * free)
    expect(one.take(1)).to.equal(false)
    expect([one.isDropped, two.isDropped]).to.deep.equal([false, false])
  })

  it('never drops a peer of ordinary messages', () => {
    const { backlog } = opened()
    const ordinary = new Peer(backlog)
    ordinary.take(free)
    backlog.tryTake(7 * free)
    expect(new Peer(backlog).take(free)).to.equal(false)
    expect(ordinary.isDropped).to.equal(false)
  })

  it('counts a large message once, until it waits for nobody', () => {
    const { backlog } = opened()
    const message = new Uint8Array(3 * free)
    const peers = [new Peer(backlog), new Peer(backlog), new Peer(backlog)]
    for (const peer of peers) expect(backlog.hold(peer, message)).to.equal(true)
    expect(backlog.used).to.equal(message.length)
    backlog.release(message)
    backlog.release(message)
    expect(backlog.used).to.equal(message.length)
    backlog.release(message)
    expect(backlog.used).to.equal(0)
  })

  it('tells peers that wait for room when there may be some', () => {
    const { backlog } = opened()
    const peer = new Peer(backlog)
    backlog.tryTake(8 * free)
    backlog.wait(peer)
    expect(peer.goneOn).to.equal(0)
    backlog.give(free)
    backlog.give(free)
    expect(peer.goneOn).to.equal(1)
  })

  it('puts messages of 1 MiB and more together in a turn of the event loop each', () => {
    const { backlog } = opened()
    const [done, long, short] = [new Peer(backlog), new Peer(backlog), new Peer(backlog)]
    Object.assign(done, { heldBytes: 2 ** 20 })
    Object.assign(long, { heldBytes: 2 ** 20 })
    Object.assign(short, { heldBytes: 2 ** 20 - 1 })
    backlog.completed(done, 2 ** 20 - 1)
    expect(long.rested).to.equal(0)
    backlog.completed(done, 2 ** 20)
    expect([done.rested, long.rested, short.rested]).to.deep.equal([0, 1, 0])
  })

  it('drops the peer that holds most when others have waited', () => {
    const { backlog, timers } = opened()
    const [great, small, waiting] = [new Peer(backlog), new Peer(backlog), new Peer(backlog)]
    great.take(5 * free)
    small.take(3 * free)
    backlog.wait(waiting)
    backlog.wait(small)
    expect(timers).to.have.length(1)
    timers[0]?.()
    expect([great.isDropped, small.isDropped]).to.deep.equal([true, false])
    expect([waiting.goneOn, small.goneOn]).to.deep.equal([1, 1])
    timers[0]?.()
    expect(small.isDropped).to.equal(false)
  })
})

describe('Unfinished', () => {
  const created = (headOf = webSocketHead) => {
    const { backlog } = opened()
    return { backlog, unfinished: new Unfinished(backlog, headOf) }
  }

  it('counts all that a peer sends before it has joined', () => {
    const { backlog, unfinished } = created()
    expect(unfinished.tryAdd(1_000, false)).to.equal(true)
    expect(backlog.strangers.used).to.equal(1_256)
    unfinished.completed(994)
    expect([backlog.strangers.used, unfinished.bytes]).to.deep.equal([0, 0])
  })

  it('refuses what is too much for all peers that have not joined', () => {
    const { backlog, unfinished } = created()
    backlog.strangers.tryTake(2 * free - 500)
    expect(unfinished.tryAdd(500, false)).to.equal(false)
    expect(backlog.strangers.used).to.equal(2 * free - 500)
  })

  it('counts what a joined peer sends beyond an ordinary message', () => {
    const { backlog, unfinished } = created()
    unfinished.tryAdd(free - 256, true)
    expect(backlog.used).to.equal(0)
    unfinished.tryAdd(1_000, true)
    expect(backlog.used).to.equal(1_256)
    unfinished.completed(free + 744 - 14)
    expect([backlog.used, unfinished.bytes]).to.deep.equal([0, 0])
  })

  it('keeps the beginning of the next message', () => {
    const { unfinished } = created()
    unfinished.tryAdd(1_000, true)
    unfinished.completed(400)
    expect(unfinished.bytes).to.equal(1_000 - 408 + 256)
  })

  it('takes the heads of its transport for no part of the next message', () => {
    const { unfinished } = created(() => 4)
    unfinished.tryAdd(70_000, true)
    unfinished.controlled(6)
    unfinished.completed(69_000)
    expect(unfinished.bytes).to.equal(70_000 - 10 - 69_004 + 256)
  })

  it('counts each piece, lest a message comes byte by byte', () => {
    const { backlog, unfinished } = created()
    for (let count = 0; count < 1_000; count++) unfinished.tryAdd(1, true)
    expect(backlog.used).to.equal(1_000 * 257 - free)
  })

  it('is not added to by pings', () => {
    const { unfinished } = created()
    for (let count = 0; count < 1_000; count++) {
      unfinished.tryAdd(16, true)
      unfinished.controlled(10)
    }
    expect(unfinished.bytes).to.equal(0)
  })

  it('still knows the message that pings come in the middle of', () => {
    const { unfinished } = created()
    unfinished.tryAdd(40_000, true)
    unfinished.tryAdd(16, true)
    unfinished.controlled(10)
    expect(unfinished.bytes).to.equal(40_000 + 2 * 256)
  })
})
