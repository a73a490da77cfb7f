/** Which requests a process has in hand. */
import { expect } from 'chai'
import { InFlight } from '#component/in-flight.ts'
import { Workload } from '#http/limits/workload.ts'

interface Held {
  readonly stream?: unknown
}

describe('Workload', () => {
  let now: number
  let inFlight: InFlight<Held, number>
  let ends: (() => void)[]
  let workload: Workload

  beforeEach(() => {
    now = 10_000
    inFlight = new InFlight()
    ends = []
    workload = new Workload(
      inFlight,
      () => now,
      (callback) => ends.push(callback),
    )
  })

  const endTurn = () => {
    for (const end of ends.splice(0)) end()
  }
  const add = (count: number, held: Held = {}, at = now) => {
    for (let index = 0; index < count; index++) inFlight.set({ ...held }, at)
  }

  const stream = { events: 0 }
  const rows: Readonly<Record<string, readonly [Held, number, number]>> = {
    'counts a request that has just come': [{}, 0, 1],
    'counts a request that has been waiting for five seconds': [{}, 5000, 1],
    'does not count a request that has been waiting for longer, such as a long poll': [{}, 5001, 0],
    'does not count a stream that has just begun': [{ stream }, 0, 0],
    'does not count a stream that has stood for hours': [{ stream }, 7_200_000, 0],
  }
  for (const [title, [held, age, count]] of Object.entries(rows)) {
    it(title, () => {
      add(1, held, now - age)
      add(1)
      workload.weigh(true)
      expect(workload.inHand).to.equal(count + 1)
    })
  }

  it('counts what was answered in this turn of the event loop, and waited with the others', () => {
    workload.weigh(true)
    add(2)
    for (let count = 0; count < 3; count++) workload.over(1)
    expect(workload.inHand).to.equal(5)
    expect(ends).to.have.length(1)
    endTurn()
    expect(workload.inHand).to.equal(2)
    workload.over(1)
    expect(workload.inHand).to.equal(3)
    endTurn()
    expect(workload.inHand).to.equal(2)
  })

  it('follows requests that come and go between two looks, and is never below zero', () => {
    add(3, { stream: {} })
    workload.weigh(true)
    add(2)
    expect(workload.inHand).to.equal(2)
    for (const one of inFlight.keys()) inFlight.delete(one)
    expect(workload.inHand).to.equal(0)
    workload.weigh(true)
    add(1)
    expect(workload.inHand).to.equal(1)
  })

  it('does nothing at the end of a turn without pressure', () => {
    workload.weigh(true)
    workload.weigh(false)
    workload.over(1)
    expect(ends).to.have.length(0)
  })

  it('tells what was served since the last time, and how long that was in hand: at most five seconds', () => {
    now += 2000
    for (const ms of [0, 10, 5000, 5001, 60_000]) workload.over(ms)
    expect(workload.take()).to.deep.equal({ served: 5, spent: 15_010, seconds: 2 })
    now += 500
    expect(workload.take()).to.deep.equal({ served: 0, spent: 0, seconds: 0.5 })
  })
})
