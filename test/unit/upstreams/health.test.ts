/** When a target is taken out, and when it is back. */
import { expect } from 'chai'
import { RetryBudget } from '#component/upstreams/retry-budget.ts'
import type { Target } from '#component/upstreams/target.ts'
import type { Upstream } from '#component/upstreams/upstream.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'
import { nameOf, plain, target, upstreamWith } from './doubles.ts'

const failure = { result: 'failure', reason: 'refused' } as const
const success = { result: 'success' } as const
const unknown = { result: 'unknown' } as const

/** The target of this name, which takes a request. */
function begun(upstream: Upstream, name: string): { target: Target; ticket: number } {
  const tried: Target[] = []
  for (;;) {
    const chosen = upstream.choose({ ...plain, tried })
    if (chosen === undefined) throw new Error(`${name} is not chosen`)
    if (nameOf(chosen) === name) return { target: chosen, ticket: chosen.begin() }
    tried.push(chosen)
  }
}

/** Requests to a target that end so. */
function send(upstream: Upstream, name: string, ...ends: Parameters<Upstream['end']>[2][]): void {
  for (const end of ends) {
    const { target, ticket } = begun(upstream, name)
    upstream.end(target, ticket, end)
    target.leave()
  }
}

const five = Array.from({ length: 5 }, () => failure)

/** The names that are chosen. */
function chosen(upstream: Upstream): string[] {
  const names = Array.from({ length: 12 }, () => nameOf(upstream.choose(plain)) ?? 'none')
  return [...new Set(names)].sort()
}

const two = { targets: [target('a'), target('b')] }

describe('a target that fails', () => {
  it('is out after five failures in a row', () => {
    const upstream = upstreamWith(two)
    send(upstream, 'a', ...five.slice(1))
    expect(chosen(upstream)).to.deep.equal(['a', 'b'])
    send(upstream, 'a', failure)
    expect(chosen(upstream)).to.deep.equal(['b'])
  })

  it('is out after as many as its realm says', () => {
    const upstream = upstreamWith({ ...two, health: { failures: 1 } })
    send(upstream, 'a', failure)
    expect(chosen(upstream)).to.deep.equal(['b'])
  })

  it('stays where an answer comes between, and what tells nothing does not count', () => {
    const upstream = upstreamWith(two)
    send(upstream, 'a', ...five.slice(1), success, ...five.slice(1), unknown, unknown)
    expect(chosen(upstream)).to.deep.equal(['a', 'b'])
  })

  for (const [what, targets] of [
    ['alone', [target('a')]],
    ['beside one of weight 0', [target('a'), target('b', { weight: 0 })]],
    ['beside one that is drained', [target('a'), target('b', { drain: true })]],
    ['as a backup, where none else is', [target('a', { backup: true })]],
  ] as const) {
    it(`stays where it is the last one: ${what}`, () => {
      const upstream = upstreamWith({ targets })
      send(upstream, 'a', ...five, ...five)
      expect(chosen(upstream)).to.deep.equal(['a'])
    })
  }

  it('stays where the others are out', () => {
    const upstream = upstreamWith({ targets: [target('a'), target('b'), target('c')] })
    send(upstream, 'a', ...five)
    send(upstream, 'b', ...five)
    send(upstream, 'c', ...five)
    expect(chosen(upstream)).to.deep.equal(['c'])
  })

  it('gives its place to a backup', () => {
    const upstream = upstreamWith({ targets: [target('a'), target('b', { backup: true })] })
    send(upstream, 'a', ...five)
    expect(chosen(upstream)).to.deep.equal(['b'])
  })

  it('takes its group out, so that others serve it', () => {
    const upstream = upstreamWith({ targets: [target('a'), target('b', { group: 'x' })] })
    const wanted = { ...plain, group: 'x' }
    expect(nameOf(upstream.choose(wanted))).to.equal('b')
    send(upstream, 'b', ...five)
    expect(nameOf(upstream.choose(wanted))).to.equal('a')
  })
})

describe('a target that is out', () => {
  let clock: ManualClock
  let upstream: Upstream
  beforeEach(() => {
    clock = new ManualClock()
    upstream = upstreamWith(two, clock)
    send(upstream, 'a', ...five)
  })

  it('gets one request after its time, and no other before the answer', async () => {
    await clock.advance(9_999)
    expect(chosen(upstream)).to.deep.equal(['b'])
    await clock.advance(1)
    begun(upstream, 'a')
    expect(chosen(upstream)).to.deep.equal(['b'])
  })

  it('is back when the probe is answered', async () => {
    await clock.advance(10_000)
    send(upstream, 'a', success)
    expect(chosen(upstream)).to.deep.equal(['a', 'b'])
    send(upstream, 'a', ...five.slice(1))
    expect(chosen(upstream)).to.deep.equal(['a', 'b'])
  })

  it('is out for twice as long when the probe fails, and never for more than five minutes', async () => {
    await clock.advance(10_000)
    for (const seconds of [20, 40, 80, 160, 300, 300]) {
      send(upstream, 'a', failure)
      await clock.advance(seconds * 1000 - 1)
      expect(chosen(upstream)).to.deep.equal(['b'])
      await clock.advance(1)
    }
    send(upstream, 'a', success)
    send(upstream, 'a', ...five)
    await clock.advance(10_000)
    expect(chosen(upstream)).to.deep.equal(['a', 'b'])
  })

  it('gets another probe when that of a client that has gone away tells nothing', async () => {
    await clock.advance(10_000)
    send(upstream, 'a', unknown)
    send(upstream, 'a', success)
    expect(chosen(upstream)).to.deep.equal(['a', 'b'])
  })

  it('is neither brought back nor kept out by requests that began before', async () => {
    const other = upstreamWith(two, clock)
    const early = Array.from({ length: 20 }, () => begun(other, 'a'))
    for (const { target: one, ticket } of early.slice(0, 5)) other.end(one, ticket, failure)
    for (const { target: one, ticket } of early.slice(5, 10)) other.end(one, ticket, success)
    expect(chosen(other)).to.deep.equal(['b'])
    await clock.advance(10_000)
    send(other, 'a', success)
    for (const { target: one, ticket } of early.slice(10)) other.end(one, ticket, failure)
    expect(chosen(other)).to.deep.equal(['a', 'b'])
  })

  it('is asked again where the clock was set back', () => {
    const back = upstreamWith(two, clock)
    let now = 1_000_000
    clock.now = () => now
    send(back, 'a', ...five)
    now = 10
    expect(chosen(back)).to.deep.equal(['a', 'b'])
  })
})

describe('a retry budget', () => {
  for (const [what, share, requests, repeats] of [
    ['without requests', 0.2, 0, 10],
    ['of a fifth', 0.2, 100, 30],
    ['of nothing', 0, 1000, 10],
    ['of all', 1, 100, 110],
  ] as const) {
    it(`is a share of the requests, and ten: ${what}`, () => {
      const budget = new RetryBudget(share)
      for (let count = 0; count < requests; count += 1) budget.begin(5_000)
      let taken = 0
      while (budget.take(5_000)) taken += 1
      expect(taken).to.equal(repeats)
    })
  }

  it('is there again after ten seconds', () => {
    const budget = new RetryBudget(0.2)
    while (budget.take(5_500));
    expect(budget.take(14_999)).to.equal(false)
    expect(budget.take(15_000)).to.equal(true)
  })

  it('goes on with a clock that is set back', () => {
    const budget = new RetryBudget(1)
    while (budget.take(50_000));
    budget.begin(1_000)
    expect(budget.take(1_000)).to.equal(true)
    expect(budget.take(1_000)).to.equal(false)
  })
})
