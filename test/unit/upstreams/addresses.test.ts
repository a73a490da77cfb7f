/** An upstream whose names have several addresses, each of which is a target. */
import { expect } from 'chai'
import type { Lookup } from '#component/action/connections/connector.ts'
import type { Upstream } from '#component/upstreams/upstream.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'
import { plain, target, upstreamWith } from './doubles.ts'

/** A name whose addresses a test sets; an error where there are none to tell. */
function named(written: object = {}) {
  const clock = new ManualClock()
  let addresses: readonly string[] | Error = []
  let asked = 0
  const lookup: Lookup = (_name, _options, callback) => {
    asked += 1
    const found = addresses
    if (found instanceof Error) callback(found, [])
    else {
      const all = found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
      callback(null, all)
    }
  }
  const whole = { targets: [target('billing')], addresses: 'each', ...written }
  const make = (before?: Upstream) => upstreamWith(whole, clock, before, lookup)
  return {
    ...{ clock, make },
    asked: () => asked,
    has: (next: readonly string[] | Error) => {
      addresses = next
    },
  }
}

const inUse = (upstream: Upstream) => upstream.targets.map(({ address }) => address)

/** The addresses that are chosen. */
const chosen = (upstream: Upstream) =>
  [...new Set(Array.from({ length: 12 }, () => upstream.choose(plain)?.address))].sort()

describe('each address of a name', () => {
  it('is a target, in turn', () => {
    const { make, has } = named()
    const upstream = make()
    expect(upstream.states().map(({ state }) => state)).to.deep.equal(['unresolved'])
    expect(upstream.choose(plain)?.address).to.equal(undefined)
    has(['10.0.0.2', '10.0.0.1'])
    upstream.start()
    expect(chosen(upstream)).to.deep.equal(['10.0.0.1', '10.0.0.2'])
    expect(upstream.targets.map(({ id }) => id)).to.include('http://billing 10.0.0.1')
    expect(upstream.states().map(({ state }) => state)).to.deep.equal(['up', 'up'])
  })

  it('comes and goes; those that stay are the same targets', async () => {
    const { clock, make, has, asked } = named({ resolve_interval: 5 })
    has(['10.0.0.1', '10.0.0.2'])
    const upstream = make()
    upstream.start()
    const [first] = upstream.targets
    has(['10.0.0.1', '10.0.0.3'])
    await clock.advance(4_999)
    expect(asked()).to.equal(1)
    await clock.advance(1)
    expect(inUse(upstream)).to.deep.equal(['10.0.0.1', '10.0.0.3'])
    expect(upstream.targets[0]).to.equal(first)
  })

  for (const [what, next] of [
    ['no answer', new Error('SERVFAIL')],
    ['an empty one', []],
    ['one of forbidden addresses alone', ['169.254.169.254', '100.100.100.200']],
  ] as const) {
    it(`stays as it was known last where there is ${what}`, async () => {
      const { clock, make, has } = named()
      has(['10.0.0.1'])
      const upstream = make()
      upstream.start()
      has(next)
      await clock.advance(60_000)
      expect(inUse(upstream)).to.deep.equal(['10.0.0.1'])
      has(['10.0.0.2'])
      await clock.advance(10_000)
      expect(inUse(upstream)).to.deep.equal(['10.0.0.2'])
    })
  }

  for (const [what, addresses, expected] of [
    ['of the family of the first', ['fd00::1', '10.0.0.1', 'fd00::2'], ['fd00::1', 'fd00::2']],
    ['without those that are forbidden', ['169.254.169.254', '10.0.0.1'], ['10.0.0.1']],
  ] as const) {
    it(`is used ${what}`, () => {
      const { make, has } = named()
      has(addresses)
      const upstream = make()
      upstream.start()
      expect(inUse(upstream)).to.deep.equal(expected)
    })
  }

  it('stays over a load of the realm, and is asked for by the new one alone', async () => {
    const { clock, make, has, asked } = named()
    has(['10.0.0.1', '10.0.0.2'])
    const upstream = make()
    upstream.start()
    const next = make(upstream)
    next.start()
    upstream.retire(next)
    expect(next.targets).to.deep.equal(upstream.targets)
    expect(asked()).to.equal(2)
    await clock.advance(10_000)
    expect(asked()).to.equal(3)
    next.retire(undefined)
    await clock.advance(60_000)
    expect([asked(), clock.pending]).to.deep.equal([3, 0])
  })

  it('is not asked for where the realm does not say so, nor for addresses', async () => {
    for (const written of [{ addresses: 'any' }, { targets: [target('10.0.0.1')] }]) {
      const { clock, make, asked } = named(written)
      make().start()
      await clock.advance(60_000)
      expect([asked(), clock.pending]).to.deep.equal([0, 0])
    }
  })
})
