/** Random schedules of three nodes: in the end all hold what was acknowledged last; and what is left out is missed. */
import { expect } from 'chai'
import fc from 'fast-check'
import { rounds } from '#test/support/running/rounds.ts'
import { type Mutation, mutations } from './cluster.ts'
import { run, schedule } from './schedule.ts'

const seed = Number(process.env.SEED ?? 4)
const numRuns = Number(process.env.SCHEDULES ?? rounds(150, 1_000))

/** To see by hand how it fails: the name of a mutation. */
const mutated = mutations.find((name) => name === process.env.MUTATE)

/** Time for one exchange, and for one beat with an exchange. Milliseconds. */
const exchangeMs = 200
const beatMs = 6_000

const holds = (mutation: Mutation, waitMs: number) =>
  fc.asyncProperty(schedule, async (found) => {
    const wrongs = await run(found, mutation, waitMs)
    expect(wrongs, wrongs.join('; ')).to.deep.equal([])
  })

describe('three nodes with messages lost, repeated and overtaken, sessions cut, processes killed, clocks set back', () => {
  it('hold the greatest acknowledged version of everything when they have rejoined', async () => {
    await fc.assert(holds(mutated, exchangeMs), { seed, numRuns })
  })

  it('hold it after one beat when nobody exchanges at a rejoin', async () => {
    await fc.assert(holds('no-rejoin-exchange', beatMs), { seed, numRuns })
  })

  for (const mutation of mutations) {
    it(`do not hold it with ${mutation}`, async () => {
      const property = holds(mutation, exchangeMs)
      const { failed } = await fc.check(property, { seed, numRuns, endOnFailure: true })
      expect(failed).to.equal(true)
    })
  }
})
