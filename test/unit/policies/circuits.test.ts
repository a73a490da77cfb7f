/** Circuits are found by rule and target, bounded in number, and told by the worst state of each name. */
import { expect } from 'chai'
import { Circuits } from '#component/policies/circuit-breaker/circuits.ts'
import type { BreakerPlan } from '#component/policies/circuit-breaker/plan.ts'

const plan: BreakerPlan = {
  ...{ place: 'defaults', threshold: 0.5, minimum: 1 },
  ...{ windowMs: 10_000, openMs: 30_000, errors: new Set<string>() },
}
const name = { api: 'com.example.api', version: '1.0', text: '{{request.bindings.host}}' }

function open(circuits: Circuits, target: string, named = name): void {
  const breaker = circuits.of(plan, target, named, 0)
  breaker.end(breaker.begin(0) ?? Number.NaN, 'failure', 0, plan)
}

describe('circuits', () => {
  it('are one for each rule, document and target', () => {
    const circuits = new Circuits()
    const one = circuits.of(plan, 'http://a', name, 0)
    expect(circuits.of({ ...plan, openMs: 1 }, 'http://a', name, 1)).to.equal(one)
    for (const other of [
      circuits.of(plan, 'http://b', name, 0),
      circuits.of({ ...plan, place: 'x' }, 'http://a', name, 0),
      circuits.of(plan, 'http://a', { ...name, api: 'other' }, 0),
      circuits.of(plan, `http://${'a'.repeat(200)}`, name, 0),
    ]) {
      expect(other).not.to.equal(one)
    }
  })

  it('are a thousand at most: the one that was not used for longest is forgotten', () => {
    const circuits = new Circuits()
    const first = circuits.of(plan, 'first', name, 0)
    const second = circuits.of(plan, 'second', name, 0)
    for (let count = 0; count < 998; count += 1) circuits.of(plan, `${count}`, name, 0)
    expect(circuits.of(plan, 'first', name, 0)).to.equal(first)
    circuits.of(plan, 'one more', name, 0)
    expect(circuits.of(plan, 'first', name, 0)).to.equal(first)
    expect(circuits.of(plan, 'second', name, 0)).not.to.equal(second)
  })

  it('with the same name are told by the worst state, without what a request has named', () => {
    const circuits = new Circuits()
    circuits.of(plan, 'http://a', name, 0)
    open(circuits, 'http://b')
    open(circuits, 'com.example.p', { ...name, text: 'com.example.p' })
    const states = (now: number) =>
      circuits.states(now, true).map((told) => [told.name.text, told.state])
    expect(states(0)).to.have.deep.members([
      ['{{request.bindings.host}}', 'open'],
      ['com.example.p', 'open'],
    ])
    expect(states(30_000)).to.deep.include(['{{request.bindings.host}}', 'half-open'])
    expect(states(300_001)).to.deep.equal([])
  })

  it('of two documents have one name where documents are no label', () => {
    const circuits = new Circuits()
    circuits.of(plan, 'p', name, 0)
    open(circuits, 'p', { ...name, api: 'other' })
    expect(circuits.states(0, true).map(({ state }) => state)).to.have.members(['closed', 'open'])
    expect(circuits.states(0, false).map(({ state }) => state)).to.deep.equal(['open'])
  })
})
