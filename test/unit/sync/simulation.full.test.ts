/**
 * What the simulation of many gateways finds: nothing in the product, and each fault that is planted in it. `SEED=7 NODES=100` runs
 * one seed, `LONG=1 SEEDS=10000` as many of a hundred gateways.
 */
import { expect } from 'chai'
import { type Outcome, type Plan, simulate } from '#test/cluster/simulation.ts'
import { simulateEach } from '#test/cluster/simulation-threads.ts'
import { isLong, rounds } from '#test/support/running/rounds.ts'

const { NODES, SEED, SEEDS } = process.env

/** From 2 to 9 gateways, by the seed. */
const few = (seed: number): Plan => ({ seed, nodes: 2 + (seed % 8), changes: 40 })
const many = (seed: number): Plan => ({ seed, nodes: Number(NODES ?? 100), changes: 200 })

/** Seeds in one test: it has an end. */
const batch = 100

function expectNothing(plan: Plan, { wrongs, acknowledged }: Outcome): void {
  expect(wrongs, `seed ${plan.seed}, ${plan.nodes} nodes`).to.deep.equal([])
  expect(acknowledged).to.be.greaterThan(plan.changes / 10)
}

function eachIsFine(title: string, seeds: number, planOf: (seed: number) => Plan): void {
  for (let first = 1; first <= seeds; first += batch) {
    const last = Math.min(first + batch - 1, seeds)
    it(`${title} (seeds ${first} to ${last})`, async () => {
      const plans = Array.from({ length: last - first + 1 }, (_, index) => planOf(first + index))
      await simulateEach(plans, expectNothing)
    }).timeout(3_600_000)
  }
}

describe('gateways whose messages are lost and late, whose network is partitioned, that hang and crash', () => {
  if (SEED !== undefined) {
    it(`hold what was acknowledged when all is well again (seed ${SEED})`, async () => {
      const plan = NODES === undefined ? few(Number(SEED)) : many(Number(SEED))
      expectNothing(plan, await simulate(plan))
    }).timeout(600_000)
    return
  }
  eachIsFine('hold what was acknowledged when all is well again', rounds(200, 5_000), few)
  if (isLong) eachIsFine('hold it where they are a hundred', Number(SEEDS ?? 100), many)

  it('come out the same whenever a seed is run', async () => {
    expect(await simulate(few(7))).to.deep.equal(await simulate(few(7)))
  })

  for (const [fault, title] of [
    ['no-tombstones', 'a tombstone that is lost at a restart'],
    ['no-clock-persistence', 'a stamp that goes back'],
    ['no-whole-digest', 'a digest that skips a document'],
  ] as const) {
    it(`do not hold it with ${title}`, async () => {
      let found: number | undefined
      for (let seed = 1; seed <= 100 && found === undefined; seed++) {
        const { wrongs } = await simulate({ ...few(seed), fault })
        if (wrongs.length > 0) found = seed
      }
      expect(found, 'the first seed that finds it').to.be.at.most(100)
    })
  }
})
