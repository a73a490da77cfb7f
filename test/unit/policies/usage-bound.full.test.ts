/** What all processes that share a limit serve together: never more than the bound that docs/policies.md states. */
import { expect } from 'chai'
import type { Rate } from '#component/limits/gcra.ts'
import { tickMs } from '#component/policies/limits/usage-exchange.ts'
import { seeded } from '#test/unit/sync/time.ts'
import { type Network, Processes } from './processes.ts'

/** Milliseconds between two moments in which requests come. */
const step = 50

/** Messages in a row that are lost at most, and the most that one is under way; milliseconds. */
const [mostLost, longest] = [2, 100]

const lossy = (random: () => number): Network => ({
  copies: (lost) => {
    if (lost < mostLost && random() < 0.4) return 0
    return random() < 0.1 ? 2 : 1
  },
  delay: () => random() * longest,
})

/** After how many milliseconds the others know of a request at the latest. */
const told = tickMs * (mostLost + 1) + longest

/** How many requests are served, by when: the first one of a step is at its index times {@link step}. */
type Served = readonly number[]

/** The greatest excess over `bound(t)` of any time t. */
function excessOf(served: Served, bound: (ms: number) => number): number {
  let worst = Number.NEGATIVE_INFINITY
  // where the sum that begins at each step is greatest against the part of the bound that grows
  for (let from = 0; from < served.length; from += 1) {
    if (served[from] === 0) continue
    let sum = 0
    for (let to = from; to < served.length; to += 1) {
      sum += served[to] ?? 0
      worst = Math.max(worst, sum - bound((to - from) * step))
    }
  }
  return worst
}

/** What docs/policies.md states. */
const boundOf =
  ({ amount, windowMs, burst }: Rate, processes: number) =>
  (ms: number): number => {
    const per = amount / windowMs
    const one = Math.max(burst, per * 1000) + per * ms
    return one + (processes - 1) * (burst + per * told)
  }

/** Who asks, at each step: process and number of requests. */
type Client = (now: number, random: () => number, processes: number) => readonly [number, number][]

const clients: Readonly<Record<string, Client>> = {
  'that asks all processes as often as it can': (_now, _random, processes) =>
    Array.from({ length: processes }, (_, index) => [index, 1000]),
  'that asks a process after the other': (now, _random, processes) => [
    [(now / step) % processes, 1000],
  ],
  'that waits until the bucket is full, and asks all': (now, _random, processes) =>
    now % 10_000 === 0 ? Array.from({ length: processes }, (_, index) => [index, 1000]) : [],
  'that asks a few requests of any process': (_now, random, processes) =>
    Array.from({ length: 3 }, () => [Math.floor(random() * processes), Math.ceil(random() * 3)]),
  'that keeps each process below what is told': (now, _random, processes) =>
    now % 500 === 0 ? Array.from({ length: processes }, (_, index) => [index, 1]) : [],
}

const rates: readonly Rate[] = [
  { amount: 100, windowMs: 10_000, burst: 100 },
  { amount: 20, windowMs: 1000, burst: 20 },
  { amount: 50, windowMs: 1000, burst: 1 },
  { amount: 10, windowMs: 3_600_000, burst: 5 },
]

function simulate(seed: number, count: number, rate: Rate, client: Client, ms: number): Served {
  const random = seeded(seed)
  const processes = new Processes(count, random, lossy(random))
  const served: number[] = []
  for (let now = 0; now < ms; now += step) {
    const asked = client(now, random, count)
    served.push(asked.reduce((sum, [index, most]) => sum + processes.askAll(index, rate, most), 0))
    processes.advance(step)
  }
  return served
}

const total = (served: Served): number => served.reduce((sum, one) => sum + one, 0)

describe('50 processes that share a limit, and lose messages', () => {
  for (const [name, client] of Object.entries(clients)) {
    for (const rate of rates) {
      const { amount, windowMs, burst } = rate
      it(`serve a client ${name} no more than the bound of ${amount} in ${windowMs} ms, ${burst} at once`, () => {
        const served = simulate(50, 50, rate, client, 60_000)
        expect(total(served)).to.be.at.least(burst)
        expect(excessOf(served, boundOf(rate, 50))).to.be.at.most(1e-6)
      })
    }
  }

  it('serve over a long time what one process would, and what is beyond is waited for (20 seeds)', () => {
    const rate = { amount: 100, windowMs: 5000, burst: 10 }
    for (let seed = 1; seed <= 20; seed += 1) {
      const count = 2 + (seed % 5)
      const client = clients['that asks all processes as often as it can'] as Client
      const served = simulate(seed, count, rate, client, 120_000)
      expect(excessOf(served, boundOf(rate, count)), `seed ${seed}`).to.be.at.most(1e-6)
      // 20 a second for two minutes
      expect(total(served), `seed ${seed}`).to.be.within(2000, boundOf(rate, count)(120_000))
    }
  })
})
