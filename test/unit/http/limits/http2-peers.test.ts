/** Http2Peers: which networks may have a further connection of HTTP/2, and which silent ones end. */
import { expect } from 'chai'
import { Http2Peers } from '#http/limits/http2-peers.ts'
import { http2Bounds } from '#http/limits/http2-session.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

const { faults, idle, resetsOfNetwork, silent } = http2Bounds
const proxy = '192.0.2.9'

describe('the clients of a network with HTTP/2', () => {
  let clock: ManualClock
  let peers: Http2Peers
  beforeEach(() => {
    clock = new ManualClock()
    peers = new Http2Peers(clock, (address) => address === proxy)
  })

  const fault = (address: string, count: number) => {
    for (let at = 0; at < count; at++) peers.fault(address)
  }

  it('open no further connection after too many faults, until some are forgiven', async () => {
    fault('192.0.2.1', faults.burst - 1)
    expect(peers.mayOpen('192.0.2.1')).to.equal(true)
    fault('192.0.2.1', 1)
    expect(peers.mayOpen('192.0.2.1')).to.equal(false)
    await clock.advance(1000 / faults.perSecond)
    expect(peers.mayOpen('192.0.2.1')).to.equal(true)
    fault('192.0.2.1', 1)
    expect(peers.mayOpen('192.0.2.1')).to.equal(false)
  })

  it('are not those of other networks; of IPv6 a /64 is one', () => {
    fault('2001:db8::1', faults.burst)
    expect(peers.mayOpen('2001:db8::2')).to.equal(false)
    expect(peers.mayOpen('2001:db8:0:1::1')).to.equal(true)
    expect(peers.mayOpen('192.0.2.1')).to.equal(true)
  })

  it('wait no longer for more faults than a burst at once', async () => {
    fault('192.0.2.1', faults.burst * 10)
    await clock.advance(1000 / faults.perSecond)
    expect(peers.mayOpen('192.0.2.1')).to.equal(true)
  })

  it('reset so many requests on all their connections, and further ones in time', async () => {
    const counted = (address: string, count: number) =>
      Array.from({ length: count }, () => peers.mayReset(address)).filter(Boolean).length
    const { burst, perSecond } = resetsOfNetwork
    expect(counted('2001:db8::1', burst - 1)).to.equal(burst - 1)
    expect(counted('2001:db8::2', 9)).to.equal(1)
    expect(counted('192.0.2.1', 9)).to.equal(9)
    expect(counted(proxy, burst * 2)).to.equal(burst * 2)
    await clock.advance(3000 / perSecond)
    expect(counted('2001:db8::3', 9)).to.equal(3)
    // resets are no faults
    expect(peers.mayOpen('2001:db8::1')).to.equal(true)
  })

  it('are many behind a proxy, which neither bound holds for', () => {
    fault(proxy, faults.burst * 2)
    expect(peers.mayOpen(proxy)).to.equal(true)
    let ended = 0
    for (let at = 0; at < idle * 2; at++) peers.begin(proxy, { isIdle: true, end: () => ended++ })
    expect(ended).to.equal(0)
  })

  /** Connections of one network, by number; those that have ended. */
  const many = (length: number, isIdle: (at: number) => boolean = () => true) => {
    const ended: number[] = []
    const end = (at: number) => () => ended.push(at)
    const all = Array.from({ length }, (_, at) => ({ isIdle: isIdle(at), end: end(at) }))
    return { all, ended }
  }
  const numbers = (from: number, length: number) => Array.from({ length }, (_, at) => from + at)

  it('lose the oldest connection that has asked nothing to one more than they may have', () => {
    const { all, ended } = many(silent + 2)
    const begin = (from: number, to: number) => {
      for (const one of all.slice(from, to)) peers.begin('192.0.2.1', one)
    }
    begin(0, silent)
    expect(ended).to.deep.equal([])
    // the first one asks something
    const [first] = all
    if (first) peers.asked('192.0.2.1', first)
    begin(silent, silent + 1)
    expect(ended).to.deep.equal([])
    begin(silent + 1, silent + 2)
    expect(ended).to.deep.equal([1])
    const [other] = many(1).all
    if (other) peers.begin('192.0.2.2', other)
    expect(ended).to.deep.equal([1])
  })

  it('lose one for each that begins, before any of them is closed', () => {
    const { all, ended } = many(silent + 100)
    for (const one of all) peers.begin('192.0.2.1', one)
    expect(ended).to.deep.equal(numbers(0, 100))
  })

  const beginAndAsk = (all: ReturnType<typeof many>['all']) => {
    for (const one of all) {
      peers.begin('192.0.2.1', one)
      peers.asked('192.0.2.1', one)
    }
  }

  it('lose the oldest connection without a request to one more of these than they may have', () => {
    const busy = 10
    const { all, ended } = many(busy + idle + 100, (at) => at >= busy)
    beginAndAsk(all)
    expect(ended).to.deep.equal(numbers(busy, 100))
    // one that is over leaves its place
    const last = all.at(-1)
    if (last) peers.over('192.0.2.1', last)
    beginAndAsk(many(1).all)
    expect(ended).to.have.length(100)
  })

  it('keep what has requests, however many these are, and what begins beside them', () => {
    const { all, ended } = many(idle + 100, () => false)
    beginAndAsk(all)
    const begun = many(10)
    beginAndAsk(begun.all)
    expect([...ended, ...begun.ended]).to.deep.equal([])
  })
})
