/** The laws of merging, over many random versions with few values, so that ties and equal stamps happen all the time. */
import { expect } from 'chai'
import fc from 'fast-check'
import { isConflict, merge } from '#component/replica/conflict-resolution.ts'
import { type Entry, hashOf } from '#component/replica/entry.ts'
import { compareStamps, HybridClock } from '#component/replica/stamp.ts'
import { randomFrom } from '#test/fuzz/random.ts'
import { rounds } from '#test/support/running/rounds.ts'
import { document, SetClock } from './doubles.ts'

const seed = Number(process.env.SEED ?? 20_251_121)
const pairs = rounds(100_000, 1_000_000)

const documents = [null, 'one', 'two', 'three'].map((text) => {
  const value = text === null ? null : document('x', text)
  return { hash: value && hashOf(value), document: value }
})

/** Whole numbers below another. */
function numbersFrom(start: number): (below: number) => number {
  const random = randomFrom(start)
  return (below) => Math.floor(random() * below)
}

/** A version of the document x: any of 3 × 3 × 3 stamps, 10 parents, 4 contents. */
function versionFrom(number: (below: number) => number): Entry {
  const stamp = () => ({ ms: number(3), counter: number(3), node: `n${number(3)}` })
  const parent = number(4) === 0 ? null : stamp()
  const content = documents[number(documents.length)] ?? { hash: null, document: null }
  return { kind: 'api_spec', id: 'x', stamp: stamp(), parent, ...content }
}

/** All that is compared: a version is its stamp and its content. */
const isSame = (a: Entry, b: Entry) => compareStamps(a.stamp, b.stamp) === 0 && a.hash === b.hash

describe('merge', () => {
  /** Runs a law over random versions; names the seed and the versions when it does not hold. */
  function holds(law: (a: Entry, b: Entry, c: Entry) => boolean): void {
    const number = numbersFrom(seed)
    for (let run = 0; run < pairs; run++) {
      const [a, b, c] = [versionFrom(number), versionFrom(number), versionFrom(number)]
      if (!law(a, b, c)) expect.fail(`SEED=${seed}, run ${run}: ${JSON.stringify({ a, b, c })}`)
    }
  }

  it(`is commutative over ${pairs} pairs`, () => {
    holds((a, b) => isSame(merge(a, b), merge(b, a)))
  })

  it(`is associative over ${pairs} triples`, () => {
    holds((a, b, c) => isSame(merge(a, merge(b, c)), merge(merge(a, b), c)))
  })

  it(`is idempotent over ${pairs} pairs`, () => {
    holds((a, b) => {
      const winner = merge(a, b)
      return (
        isSame(merge(a, a), a) &&
        isSame(merge(winner, a), winner) &&
        isSame(merge(winner, b), winner)
      )
    })
  })

  it('keeps one of the two, and never the one with the lesser stamp', () => {
    holds((a, b) => {
      const winner = merge(a, b)
      const loser = winner === a ? b : a
      return (winner === a || winner === b) && compareStamps(winner.stamp, loser.stamp) >= 0
    })
  })
})

describe('isConflict', () => {
  const made = fc.record({ node: fc.constantFrom('a', 'b', 'c'), ms: fc.nat(20) })

  /** Makes versions of x, each with the clock of its node set to `ms`. */
  function maker() {
    const clocks = new Map<string, { clock: SetClock; hybrid: HybridClock }>()
    return ({ node, ms }: { node: string; ms: number }, parent: Entry | undefined): Entry => {
      const clock = clocks.get(node)?.clock ?? new SetClock(ms)
      const hybrid = clocks.get(node)?.hybrid ?? new HybridClock(clock, node)
      clocks.set(node, { clock, hybrid })
      clock.ms = ms
      if (parent) hybrid.observe(parent.stamp)
      const stamp = hybrid.tick()
      return {
        kind: 'api_spec',
        id: 'x',
        stamp,
        parent: parent?.stamp ?? null,
        hash: null,
        document: null,
      }
    }
  }

  it('is never said of two versions of which one was made on top of the other', () => {
    fc.assert(
      fc.property(fc.array(made, { minLength: 2, maxLength: 12 }), (steps) => {
        const make = maker()
        const chain: Entry[] = []
        for (const next of steps) chain.push(make(next, chain.at(-1)))
        for (const [later, winner] of chain.entries()) {
          for (const loser of chain.slice(0, later)) {
            expect(compareStamps(winner.stamp, loser.stamp)).to.be.above(0)
            expect(isConflict(winner, loser)).to.equal(false)
            expect(isConflict(loser, winner)).to.equal(false)
          }
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('is always said of the winner of two versions made on top of the same, or of nothing', () => {
    fc.assert(
      fc.property(fc.array(made, { maxLength: 4 }), made, made, (steps, first, second) => {
        const make = maker()
        let common: Entry | undefined
        for (const next of steps) common = make(next, common)
        const [one, other] = [make(first, common), make(second, common)]
        const winner = merge(one, other)
        const loser = winner === one ? other : one
        expect(isConflict(winner, loser)).to.equal(true)
        expect(isConflict(loser, winner)).to.equal(false)
      }),
      { numRuns: 1_000 },
    )
  })

  it('is never said of a version and itself', () => {
    const number = numbersFrom(seed)
    for (let run = 0; run < 1_000; run++) {
      const one = versionFrom(number)
      expect(isConflict(one, structuredClone(one)), JSON.stringify(one)).to.equal(false)
    }
  })
})
