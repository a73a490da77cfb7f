/** A circuit: when it opens, and how it closes again. */
import { expect } from 'chai'
import {
  Breaker,
  type BreakerRule,
  type Result,
} from '#component/policies/circuit-breaker/breaker.ts'

const rule: BreakerRule = { threshold: 0.5, minimum: 4, windowMs: 10_000, openMs: 30_000 }

/** A circuit under a clock of its own, which begins at an odd time. */
function circuit(own: Partial<BreakerRule> = {}) {
  const plan = { ...rule, ...own }
  const breaker = new Breaker(plan)
  const clock = { now: 1_000_003 }
  const end = (ticket: number | undefined, result: Result) => {
    if (ticket === undefined) throw new Error('the action was not tried')
    breaker.end(ticket, result, clock.now, plan)
  }
  return {
    ...{ breaker, clock, end },
    begin: () => breaker.begin(clock.now),
    /** Actions one after the other: `f` fails, `s` succeeds, `u` tells nothing. */
    run(results: string) {
      const named: Record<string, Result> = { f: 'failure', s: 'success', u: 'unknown' }
      for (const letter of results) end(breaker.begin(clock.now), named[letter] ?? 'unknown')
    },
    state: () => breaker.stateAt(clock.now),
  }
}

describe('a circuit', () => {
  for (const [results, state] of [
    ['fff', 'closed'],
    ['ffff', 'open'],
    ['ssff', 'open'],
    ['sssff', 'closed'],
    ['sssfff', 'open'],
    ['uuuuff', 'closed'],
    ['uuuuffff', 'open'],
    ['ssss', 'closed'],
  ] as const) {
    it(`is ${state} after ${results}, with half of at least four results failing`, () => {
      const { run, state: now } = circuit()
      run(results)
      expect(now()).to.equal(state)
    })
  }

  it('counts the results of the window only', () => {
    const { run, clock, state } = circuit()
    run('fff')
    clock.now += 10_000
    run('f')
    expect(state()).to.equal('closed')
    run('fff')
    expect(state()).to.equal('open')
  })

  it('forgets a tenth of the window at a time', () => {
    const { run, clock, state } = circuit()
    run('sss')
    clock.now += 5000
    run('f')
    clock.now += 5000
    // the three successes have left the window
    run('ff')
    expect(state()).to.equal('closed')
    run('f')
    expect(state()).to.equal('open')
  })

  it('refuses for the time of the rule, then lets one probe pass, and closes with its success', () => {
    const { run, begin, breaker, clock, end, state } = circuit()
    run('ffff')
    expect(begin()).to.equal(undefined)
    clock.now += 29_000
    expect(breaker.waitMs(clock.now)).to.equal(1000)
    expect(begin()).to.equal(undefined)
    clock.now += 1000
    expect(state()).to.equal('half-open')
    const probe = begin()
    expect(probe).to.be.a('number')
    expect(begin()).to.equal(undefined)
    expect(breaker.waitMs(clock.now)).to.equal(0)
    end(probe, 'success')
    expect(state()).to.equal('closed')
    run('fff')
    expect(state()).to.equal('closed')
  })

  it('opens again with a failed probe', () => {
    const { run, begin, breaker, clock, end } = circuit()
    run('ffff')
    clock.now += 30_000
    const probe = begin()
    clock.now += 5000
    end(probe, 'failure')
    expect(breaker.waitMs(clock.now)).to.equal(30_000)
  })

  it('lets another probe pass where the first has told nothing', () => {
    const { run, begin, clock, end, state } = circuit()
    run('ffff')
    clock.now += 30_000
    end(begin(), 'unknown')
    expect(state()).to.equal('half-open')
    end(begin(), 'success')
    expect(state()).to.equal('closed')
  })

  it('does not count what began before it opened', () => {
    const { run, begin, clock, end, state } = circuit()
    const slow = begin()
    const slower = begin()
    run('ffff')
    end(slow, 'success')
    expect(state()).to.equal('open')
    clock.now += 30_000
    const probe = begin()
    end(slower, 'failure')
    expect(state()).to.equal('half-open')
    end(probe, 'success')
    expect(state()).to.equal('closed')
  })

  it('is not held open by a clock that is set back', () => {
    const { run, begin, clock, end, state } = circuit()
    run('ffff')
    clock.now -= 3_600_000
    end(begin(), 'success')
    expect(state()).to.equal('closed')
    run('ffff')
    expect(state()).to.equal('open')
  })

  it('opens with one failure where the minimum is 1, and never below a threshold of 1 with a success', () => {
    const quick = circuit({ minimum: 1 })
    quick.run('f')
    expect(quick.state()).to.equal('open')
    const late = circuit({ threshold: 1 })
    late.run('sfffffffff')
    expect(late.state()).to.equal('closed')
  })
})
