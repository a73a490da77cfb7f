/** Which requests a process refuses, by a model of its event loop: none because of a neighbour, and those of a flood. */
import { availableParallelism } from 'node:os'
import { expect } from 'chai'
import { InFlight } from '#component/in-flight.ts'
import { LoadShedding } from '#http/limits/load-shedding.ts'
import { LoopDelay } from '#http/limits/loop-delay.ts'
import type { Sheddable } from '#http/limits/shedding.ts'
import { type Clients, type Second, simulate } from './process-model.ts'

const sum = (found: readonly Second[], key: 'served' | 'refused') =>
  found.reduce((total, second) => total + second[key], 0)

/** What was found between two seconds. */
const between = (found: readonly Second[], from: number, until: number) =>
  found.filter(({ at }) => at > from && at <= until)

/** A flood that asks for three times what the process can do, from the tenth second until the fiftieth. */
const flood: Clients = { count: 3000, cost: 1, refusal: 0.02, rest: 500, from: 10, until: 50 }

describe('load shedding', () => {
  const two: Clients = { count: 2, cost: 1, rest: 20 }
  const spared: Readonly<Record<string, readonly Clients[]>> = {
    'two requests at a time': [{ count: 2, cost: 1 }],
    'two requests for each core at a time': [{ count: 4, cost: 1 }],
    'as many requests as before': [{ count: 40, cost: 0.5, backend: 200 }],
    'requests that wait for a slow backend': [{ count: 400, cost: 0.2, backend: 4000 }],
    'requests that wait for a slower one': [{ count: 500, cost: 0.2, backend: 12_000 }],
    'long polls beside two requests': [two, { count: 300, cost: 0.1, backend: 60_000 }],
    'streams that stand for hours beside two requests': [
      two,
      { count: 500, cost: 0.1, isStream: true },
    ],
  }
  for (const [title, clients] of Object.entries(spared)) {
    it(`refuses nothing while a neighbour has the processor: ${title}`, () => {
      // for 1.5 seconds in each turn of the loop
      const found = simulate(clients, 95, { ms: 1500, from: 70 })
      expect(found.at(-1)?.pressure).to.equal('full')
      expect(sum(between(found, 75, 95), 'served')).to.be.above(0)
      expect(sum(found, 'refused')).to.equal(0)
    })
  }

  it('refuses nothing while the loop is in time, however slow a backend becomes', () => {
    const slow: Clients = { count: 1000, cost: 0.05, backend: 8000, from: 10 }
    expect(sum(simulate([two, slow], 60), 'refused')).to.equal(0)
  })

  const floods: readonly (readonly [string, number, number])[] = [
    ['', 0, 400],
    [' while a neighbour has the processor, too', 300, 800],
  ]
  for (const [title, ms, bound] of floods) {
    it(`refuses a flood after five measurements, so that what is served takes ${bound} ms at most${title}`, () => {
      const found = simulate([flood], 50, { ms, from: 10 })
      const index = found.findIndex(({ refused }) => refused > 0)
      const before = found.slice(0, index)
      expect(before.at(-1)).to.include({ pressure: 'none' })
      expect(before.at(-1)?.longest).to.be.above(2000)
      const shed = found.slice(index + 2)
      expect(shed).to.have.length.above(10)
      expect(Math.max(...shed.map(({ longest }) => longest))).to.be.below(bound)
      // it neither refuses all, nor takes the flood in again and again
      for (const { served, refused } of shed) {
        expect(served).to.be.above(100)
        expect(refused).to.be.above(served)
      }
    })
  }

  it('refuses nothing any more once a flood is over', () => {
    const found = simulate([flood, two], 70)
    expect(sum(between(found, 53, 70), 'refused')).to.equal(0)
    expect(found.at(-1)).to.include({ pressure: 'none' })
  })

  it('lets all in again within ten seconds where the process has become fast enough', () => {
    const { until, ...first } = { ...flood, until: 30 }
    const found = simulate(
      [
        { ...first, until },
        { ...flood, cost: 0.1, from: 30, until: 60 },
      ],
      60,
    )
    expect(sum(between(found, 20, 30), 'refused')).to.be.above(0)
    expect(sum(between(found, 41, 60), 'refused')).to.equal(0)
  })
})

describe('LoadShedding', () => {
  const exchange = (): Sheddable => ({
    client: '192.0.2.1',
    hasBody: false,
    body: { length: undefined },
    transport: { isFirst: false },
  })
  const least = 2 * availableParallelism()

  /** A process whose event loop has been late by two seconds five times, with so many requests in flight. */
  const late = (count: number, isOn: boolean): LoadShedding => {
    let now = 0
    let tick: () => void = () => undefined
    const after = (_ms: number, callback: () => void) => {
      tick = callback
      return () => undefined
    }
    const inFlight = new InFlight<Sheddable, number>()
    const loopDelay = new LoopDelay(() => now)
    const shedding = new LoadShedding(
      { now: () => now, random: () => 0, after },
      inFlight,
      isOn,
      loopDelay,
    )
    for (let index = 0; index < count; index++) inFlight.set(exchange(), performance.now())
    shedding.start()
    for (let second = 0; second < 5; second++) {
      now += 2000
      loopDelay.tick()
      tick()
    }
    shedding.stop()
    return shedding
  }

  it('serves two requests for each core at a time, refuses the next one, and counts it', () => {
    const few = late(least, true)
    expect(few.refuses(exchange())).to.equal(false)
    expect(few.state.shed).to.include({ all: 0 })
    const many = late(least + 1, true)
    expect(many.refuses(exchange())).to.equal(true)
    expect(many.state.shed).to.include({ all: 1 })
  })

  it('refuses nothing where it is off', () => {
    expect(late(1000, false).refuses(exchange())).to.equal(false)
  })

  it('tells of the late loop in each case', () => {
    for (const shedding of [late(0, true), late(1000, true), late(1000, false)]) {
      expect(shedding.state.pressure).to.equal('full')
      expect(shedding.problems()).to.deep.equal(['the event loop is late by more than 1000 ms'])
    }
  })
})
