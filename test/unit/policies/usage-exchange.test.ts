/** What processes tell each other of the use of limits, and what they make of what they hear. */
import { expect } from 'chai'
import type { Rate } from '#component/limits/gcra.ts'
import { type Charge, RateLimits } from '#component/policies/limits/rate-limits.ts'
import { tickMs, type Usage, UsageExchange } from '#component/policies/limits/usage-exchange.ts'
import { seeded } from '#test/unit/sync/time.ts'
import { Processes, perfect } from './processes.ts'

const rate: Rate = { amount: 20, windowMs: 20_000, burst: 20 }

/** Two or more processes between which nothing is lost. */
const processes = (count: number, network = perfect, maxKeys = 1000) =>
  new Processes(count, seeded(7), network, maxKeys)

/** The limits of one process with one other, and what goes in and out. */
function single(others = 1) {
  const exchange = new UsageExchange()
  exchange.others = others
  const limits = new RateLimits(10_000, exchange)
  const chargeOf = (key: string): Charge => ({ key, rate, cost: 1, isShared: true })
  return {
    exchange,
    take(count: number, now = 0, key = 'a') {
      for (let index = 0; index < count; index += 1) {
        const charge = chargeOf(key)
        limits.take(charge, limits.decide(charge, now), now)
      }
    },
    /** Units, as a request that costs nothing is told. */
    used: (now = 0, key = 'a') => limits.decide({ ...chargeOf(key), cost: 0 }, now).fullInMs / 1000,
  }
}

/** A message, which there must be. */
function told(from: ReturnType<typeof single>, now = 0): Usage {
  const usage = from.exchange.tell(now)
  if (usage === undefined) throw new Error('nothing is told')
  return usage
}

describe('the exchange of usage', () => {
  it('has others count what one process has used, within a tick, of keys that they never saw', () => {
    const all = processes(3)
    expect(all.askAll(0, rate, 8)).to.equal(8)
    expect(all.used(1, rate)).to.equal(0)
    all.advance(tickMs)
    for (const index of [1, 2]) expect(all.used(index, rate)).to.be.closeTo(8, 0.5)
    expect(all.used(1, rate, 'b')).to.equal(0)
  })

  it('adds what several use at once, so that the next request waits for all of it', () => {
    const all = processes(3)
    for (const index of [0, 1, 2]) expect(all.askAll(index, rate, 100)).to.equal(20)
    all.advance(2 * tickMs)
    for (const index of [0, 1, 2]) expect(all.used(index, rate)).to.be.closeTo(59, 1)
    all.advance(39_000)
    for (const index of [0, 1, 2]) expect(all.ask(index, rate)).to.equal(undefined)
    all.advance(1600)
    expect(all.ask(1, rate)).to.equal(0)
  })

  it('tells the sum again, so that a lost message takes nothing with it', () => {
    const [sender, receiver] = [single(), single()]
    sender.take(5)
    told(sender)
    sender.take(3)
    told(sender)
    receiver.exchange.hear('s', told(sender), 0)
    expect(receiver.used()).to.equal(8)
  })

  it('counts nothing twice of messages that come twice, or late', () => {
    const [sender, receiver] = [single(), single()]
    const messages = [3, 2, 1].map((count) => {
      sender.take(count)
      return told(sender)
    })
    const [first, second, third] = messages as [Usage, Usage, Usage]
    for (const usage of [first, first, third, second, third, first]) {
      receiver.exchange.hear('s', usage, 0)
    }
    expect(receiver.used()).to.equal(6)
  })

  it('ends some ticks after the last use, and begins a new sum with the next one', () => {
    const [sender, receiver] = [single(), single()]
    sender.take(4)
    const ticks = Array.from({ length: 8 }, () => sender.exchange.tell(0))
    expect(ticks.map((usage) => usage?.tick)).to.deep.equal([
      1,
      2,
      3,
      4,
      ...Array(4).fill(undefined),
    ])
    for (const usage of ticks) if (usage) receiver.exchange.hear('s', usage, 0)
    sender.take(5)
    receiver.exchange.hear('s', told(sender), 0)
    expect(receiver.used()).to.equal(9)
  })

  it('counts the part of a long sum that is new, and of an unknown one what is not over', () => {
    const [sender, newcomer, old] = [single(), single(), single()]
    let now = 0
    for (now = 0; now < 60_000; now += tickMs) {
      // half of the rate
      if (now % 2000 === 0) sender.take(1, now)
      const usage = sender.exchange.tell(now)
      if (usage) old.exchange.hear('s', usage, now)
    }
    expect(old.used(now)).to.be.at.most(1)
    sender.take(6, now)
    const usage = told(sender, now)
    old.exchange.hear('s', usage, now)
    newcomer.exchange.hear('s', usage, now)
    expect(newcomer.used(now)).to.equal(6)
    expect(old.used(now)).to.be.within(6, 7)
  })

  it('hears anew of a process that was silent, or was started again, and adds no old sum', () => {
    const [sender, receiver] = [single(), single()]
    sender.take(20)
    receiver.exchange.hear('s', told(sender), 0)
    for (let tick = 0; tick < 40; tick += 1) receiver.exchange.tell(60_000)
    // the sender was stopped for a minute: its sum is told on
    receiver.exchange.hear('s', told(sender, 60_000), 60_000)
    expect(receiver.used(60_000)).to.be.at.most(20)
    const started = single()
    started.take(3, 90_000)
    receiver.exchange.hear('s again', told(started, 90_000), 90_000)
    expect(receiver.used(90_000)).to.equal(3)
  })

  it('takes back what security gives back, told or not', () => {
    const all = processes(2)
    all.askAll(0, rate, 10)
    all.give(0, rate)
    all.advance(tickMs)
    expect(all.used(1, rate)).to.be.closeTo(9, 0.5)
    for (let index = 0; index < 4; index += 1) all.give(0, rate)
    all.advance(tickMs)
    expect(all.used(1, rate)).to.be.closeTo(4.5, 0.5)
  })

  it('of a key that was forgotten counts what comes after', () => {
    const all = processes(2, perfect, 2)
    all.askAll(0, rate, 10)
    all.advance(tickMs)
    for (const key of ['b', 'c']) all.ask(0, rate, key)
    expect(all.used(0, rate)).to.equal(0)
    all.askAll(0, rate, 5)
    all.advance(tickMs)
    expect(all.used(1, rate)).to.be.closeTo(14, 1)
  })

  it('of a limit that a node has loaded anew counts the same part of the window', () => {
    const all = processes(2)
    all.askAll(0, rate, 10)
    all.advance(tickMs)
    const tenfold = { ...rate, amount: 200, burst: 200 }
    expect(all.used(1, tenfold)).to.be.closeTo(100, 5)
    all.askAll(1, tenfold, 50)
    all.advance(tickMs)
    expect(all.used(0, rate)).to.be.closeTo(14, 1)
  })

  it('tells nothing without others, and nothing of what each process uses little', () => {
    const alone = single(0)
    alone.take(20)
    expect(alone.exchange.tell(0)).to.equal(undefined)
    const all = processes(4)
    const minute = { amount: 600, windowMs: 60_000, burst: 600 }
    for (let second = 0; second < 300; second += 1) {
      for (const index of [0, 1, 2, 3]) if (second % 2 === index % 2) all.ask(index, minute)
      all.advance(1000)
    }
    expect(all.sent.messages).to.equal(0)
  })

  it('tells of the little that it uses of a key as soon as another tells of it', () => {
    const all = processes(2)
    const minute = { amount: 600, windowMs: 60_000, burst: 600 }
    all.askAll(0, minute, 30)
    all.advance(tickMs)
    expect(all.sent.messages).to.equal(0)
    all.askAll(1, minute, 600)
    all.advance(2 * tickMs)
    expect(all.used(0, minute)).to.be.closeTo(620, 10)
    expect(all.used(1, minute)).to.be.closeTo(620, 10)
  })

  it('tells 100,000 keys in messages of at most 2,100, each of them', () => {
    const sender = single()
    const limits = new RateLimits(100_000, sender.exchange)
    const one = { amount: 1, windowMs: 3_600_000, burst: 1 }
    for (let index = 0; index < 100_000; index += 1) {
      const charge = { key: `k${index}`, rate: one, cost: 1, isShared: true }
      limits.take(charge, limits.decide(charge, 0), 0)
    }
    const heard = new Set<string>()
    let most = 0
    for (let tick = 0; tick < 60; tick += 1) {
      const used = sender.exchange.tell(0)?.used ?? []
      most = Math.max(most, used.length)
      for (const { key } of used) heard.add(key)
    }
    expect(most).to.be.within(1800, 2100)
    expect(heard.size).to.equal(100_000)
  })

  it('tells what has changed before it tells anything again', () => {
    const sender = single()
    for (let index = 0; index < 4000; index += 1) sender.take(5, 0, `k${index}`)
    const first = told(sender).used.length
    const second = told(sender).used.length
    sender.take(5, 0, 'last')
    const third = told(sender).used.map(({ key }) => key)
    expect(first + second).to.be.below(4000)
    expect(third.indexOf('last')).to.equal(4000 - first - second)
    expect(third[4001 - first - second]).to.equal('k0')
  })

  it('serves the whole of a smooth limit that several processes share', () => {
    const all = processes(4)
    const smooth = { amount: 100, windowMs: 10_000, burst: 1 }
    let served = 0
    for (let now = 0; now < 60_000; now += 100) {
      // ten a second, of one process after the other
      if (all.ask((now / 100) % 4, smooth) !== undefined) served += 1
      all.advance(100)
    }
    expect(served).to.equal(600)
  })

  it('refuses no client that keeps to what it is told, whichever process it asks (100 seeds)', () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const random = seeded(seed)
      const all = new Processes(2 + (seed % 4), random)
      const amount = 5 + Math.floor(random() * 50)
      const limit = { amount, windowMs: 1000 * (1 + Math.floor(random() * 10)), burst: amount }
      let budget = Number.POSITIVE_INFINITY
      let [refused, asked] = [0, 0]
      while (all.now < 60_000) {
        const index = Math.floor(random() * (2 + (seed % 4)))
        const left = all.ask(index, limit)
        asked += 1
        if (left === undefined) refused += 1
        // never more than was left at any time since it has waited
        budget = Math.min(budget - 1, left ?? 0)
        all.advance(1 + random() * 20)
        if (budget > 0) continue
        all.advance(Math.ceil((all.used(index, limit) * limit.windowMs) / amount / 1000) * 1000)
        budget = Number.POSITIVE_INFINITY
      }
      expect(refused, `seed ${seed}`).to.equal(0)
      expect(asked, `seed ${seed}`).to.be.greaterThan(amount)
    }
  })

  it('serves again when it has told so, after a clock that went back', () => {
    const limits = new RateLimits(10, new UsageExchange())
    const charge = { key: 'a', rate: { ...rate, burst: 1 }, cost: 1, isShared: true }
    const hour = 3_600_000
    limits.take(charge, limits.decide(charge, hour), hour)
    const { isAllowed, waitMs } = limits.decide(charge, 0)
    expect([isAllowed, waitMs]).to.deep.equal([false, 1000])
    expect(limits.decide(charge, 1000).isAllowed).to.equal(true)
  })
})
