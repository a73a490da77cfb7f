/** Forks of a map are maps of their own, whatever is done to any of them, and however many keys there are. */
import { expect } from 'chai'
import fc from 'fast-check'
import { forkOf, type TextMap } from '#component/routes/fork-map.ts'
import { rounds } from '#test/support/running/rounds.ts'

/** A map, and what it has to hold. */
type Pair = readonly [map: TextMap<number>, model: Map<string, number>]

const step = fc.record({
  of: fc.nat(20),
  key: fc.nat(1_500),
  what: fc.constantFrom('set', 'set', 'delete', 'fork'),
})

const seen = (map: TextMap<number>) => [...map.keys()].sort().map((key) => [key, map.get(key)])

function expectEqual([map, model]: Pair): void {
  expect(map.size).to.equal(model.size)
  expect(seen(map)).to.deep.equal(seen(model))
  expect([...map.values()].sort()).to.deep.equal([...model.values()].sort())
}

describe('a fork of a map', () => {
  it('holds what it was given, and changes nothing of the others', () => {
    fc.assert(
      fc.property(
        fc.nat(1_200),
        fc.array(step, { minLength: 1, maxLength: 400 }),
        (size, steps) => {
          const entries = Array.from({ length: size }, (_, at) => [`k${at}`, at] as const)
          const pairs: Pair[] = [[new Map(entries), new Map(entries)]]
          for (const [at, { of, key, what }] of steps.entries()) {
            const [map, model] = pairs[of % pairs.length] as Pair
            if (what === 'fork') {
              if (pairs.length < 12) pairs.push([forkOf(map), new Map(model)])
            } else if (what === 'delete') {
              expect(map.delete(`k${key}`)).to.equal(model.delete(`k${key}`))
            } else {
              map.set(`k${key}`, at)
              model.set(`k${key}`, at)
            }
          }
          pairs.forEach(expectEqual)
        },
      ),
      { numRuns: rounds(60, 2_000) },
    )
  })

  it('grows from a few keys to many, and back', () => {
    const model = new Map<string, number>()
    let map: TextMap<number> = new Map()
    for (let at = 0; at < 20_000; at += 1) {
      if (at % 100 === 0) map = forkOf(map)
      map.set(`key ${at}`, at)
      model.set(`key ${at}`, at)
    }
    expectEqual([map, model])
    for (let at = 0; at < 19_990; at += 1) {
      if (at % 100 === 0) map = forkOf(map)
      expect(map.delete(`key ${at}`)).to.equal(true)
      model.delete(`key ${at}`)
    }
    expectEqual([map, model])
  })
})
