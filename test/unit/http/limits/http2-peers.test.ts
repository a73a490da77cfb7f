/** Http2Peers: which networks may have a further connection of HTTP/2, and which silent ones end. */
import { expect } from 'chai'
import { Http2Peers } from '#http/limits/http2-peers.ts'
import { http2Bounds } from '#http/limits/http2-session.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

const { faults, silent } = http2Bounds
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

  it('are many behind a proxy, which neither bound holds for', () => {
    fault(proxy, faults.burst * 2)
    expect(peers.mayOpen(proxy)).to.equal(true)
    let ended = 0
    for (let at = 0; at < silent * 2; at++) peers.begin(proxy, { end: () => ended++ })
    expect(ended).to.equal(0)
  })

  it('lose the oldest connection that has asked nothing to one more than they may have', () => {
    const ended: number[] = []
    const all = Array.from({ length: silent + 2 }, (_, at) => ({ end: () => ended.push(at) }))
    const begin = (from: number, to: number) => {
      for (const one of all.slice(from, to)) peers.begin('192.0.2.1', one)
    }
    begin(0, silent)
    expect(ended).to.deep.equal([])
    // the first one asks something
    const [first] = all
    if (first) peers.over('192.0.2.1', first)
    begin(silent, silent + 1)
    expect(ended).to.deep.equal([])
    begin(silent + 1, silent + 2)
    expect(ended).to.deep.equal([1])
    peers.begin('192.0.2.2', { end: () => ended.push(-1) })
    expect(ended).to.deep.equal([1])
  })

  it('lose one for each that begins, before any of them is closed', () => {
    const ended: number[] = []
    for (let at = 0; at < silent + 100; at++)
      peers.begin('192.0.2.1', { end: () => ended.push(at) })
    expect(ended).to.deep.equal(Array.from({ length: 100 }, (_, at) => at))
  })
})
