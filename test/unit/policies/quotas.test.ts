/** The use of quotas of several processes on one ledger: what is added and read, when, and what is so without the ledger. */
import { expect } from 'chai'
import type { QuotaRow, QuotaUse } from '#component/policies/limits/quota-use.ts'
import { type QuotaLedger, Quotas } from '#component/policies/limits/quotas.ts'
import { ManualClock, settled } from '#test/unit/action/doubles.ts'

const nameOf = ({ rule, key, startMs }: QuotaRow) => `${rule} ${key} ${startMs}`

/** Keeps sums in memory; it can be away, and it can hang. */
class FakeLedger implements QuotaLedger {
  readonly rows = new Map<string, number>()
  readonly reads: number[] = []
  readonly writes: number[] = []
  isAway = false
  refusesWrites = false
  #hanging: PromiseWithResolvers<void> | undefined

  hang(): () => void {
    this.#hanging = Promise.withResolvers()
    return this.#hanging.resolve
  }

  async sums(rows: readonly QuotaRow[]): Promise<number[]> {
    await this.#hanging?.promise
    if (this.isAway) throw new Error('the ledger is away')
    this.reads.push(rows.length)
    return rows.map((row) => this.rows.get(nameOf(row)) ?? 0)
  }

  async add(rows: readonly (readonly [QuotaRow, number])[]): Promise<void> {
    await this.#hanging?.promise
    if (this.isAway || this.refusesWrites) throw new Error('the ledger is away')
    this.writes.push(rows.length)
    expect(new Set(rows.map(([row]) => nameOf(row))).size).to.equal(rows.length)
    for (const [row, units] of rows) {
      this.rows.set(nameOf(row), (this.rows.get(nameOf(row)) ?? 0) + units)
    }
  }

  get total(): number {
    return [...this.rows.values()].reduce((sum, units) => sum + units, 0)
  }
}

describe('the use of quotas', () => {
  let clock: ManualClock
  let ledger: FakeLedger
  const told: unknown[] = []
  beforeEach(() => {
    clock = new ManualClock()
    ledger = new FakeLedger()
    told.length = 0
  })

  const open = (maxKeys = 1_000) =>
    new Quotas({
      ...{ clock, ledger, maxKeys },
      digest: (...texts) => texts.join('|'),
      onAway: (cause) => told.push(cause),
    })

  /** A request of a sharer, as soon as it is served: what was used before it. */
  async function request(quotas: Quotas, sharer = 'ann', units = 1): Promise<number> {
    const use = await knownUse(quotas, sharer)
    const { used } = use
    use.add(units)
    return used
  }

  async function knownUse(quotas: Quotas, sharer = 'ann'): Promise<QuotaUse> {
    const use = quotas.use('rule', 'hour', sharer)
    await quotas.known([use])
    return use
  }

  it('is read before the first request of a sharer, and after it not again at once', async () => {
    await request(open(), 'ann', 7)
    const [first, second] = [open(), open()]
    await request(first)
    await first.exchange()
    expect(await request(second)).to.equal(1)
    expect(second.known([second.use('rule', 'hour', 'ann')])).to.equal(undefined)
    expect(ledger.reads).to.have.length(4)
  })

  it('is added every 5 s, and read back', async () => {
    const [first, second] = [open(), open()]
    first.start()
    second.start()
    for (const [quotas, units] of [
      [first, 3],
      [second, 4],
    ] as const)
      await request(quotas, 'ann', units)
    await clock.advance(4_999)
    expect(ledger.total).to.equal(0)
    await clock.advance(1)
    expect(ledger.total).to.equal(7)
    await request(first)
    await clock.advance(5_000)
    expect([first, second].map((one) => one.use('rule', 'hour', 'ann').used)).to.deep.equal([
      8,
      3 + 4,
    ])
    await Promise.all([first.stop(), second.stop()])
    expect(clock.pending).to.equal(0)
  })

  it('is added at the stop', async () => {
    const quotas = open()
    quotas.start()
    await request(quotas)
    await quotas.stop()
    expect(ledger.total).to.equal(1)
    expect(clock.pending).to.equal(0)
  })

  it('that was read more than 6 s ago is read again before a request', async () => {
    const [first, second] = [open(), open()]
    await request(first, 'ann', 0)
    await request(second, 'ann', 90)
    await second.exchange()
    await clock.advance(6_001)
    expect(await request(first)).to.equal(90)
  })

  it('begins anew with each window', async () => {
    const quotas = open()
    const hour = 3_600_000
    await clock.advance(hour - 1_001)
    expect(clock.now()).to.equal(hour - 1)
    await request(quotas, 'ann', 5)
    await clock.advance(1)
    expect(await request(quotas)).to.equal(0)
    await quotas.exchange()
    expect([...ledger.rows]).to.deep.equal([
      ['rule|rule|hour sharer|ann 0', 5],
      [`rule|rule|hour sharer|ann ${hour}`, 1],
    ])
  })

  it('given back after the end of a window is given back to that window', async () => {
    const quotas = open()
    await clock.advance(3_599_000 - 1)
    const use = await knownUse(quotas)
    use.add(1)
    await quotas.exchange()
    await clock.advance(1_000)
    await request(quotas)
    use.add(-1)
    await quotas.exchange()
    expect([...ledger.rows.values()]).to.deep.equal([0, 1])
  })

  it('is one for windows of one length: a day is not counted into an hour', async () => {
    const quotas = open()
    const hour = quotas.use('rule', 'hour', 'ann')
    const day = quotas.use('rule', 'day', 'ann')
    hour.add(1)
    await quotas.exchange()
    expect([hour.used, day.used]).to.deep.equal([1, 0])
    expect(hour.rule).not.to.equal(day.rule)
  })

  it('of a sharer that was forgotten is added all the same, once', async () => {
    const quotas = open(2)
    for (const sharer of ['ann', 'bea', 'cid', 'dan', 'ann']) await request(quotas, sharer)
    expect(quotas.use('rule', 'hour', 'ann').used).to.equal(2)
    await quotas.exchange()
    expect(ledger.total).to.equal(5)
    await quotas.exchange()
    expect(ledger.total).to.equal(5)
  })

  it('is told exactly while requests come during an exchange', async () => {
    const quotas = open()
    await request(quotas, 'ann', 3)
    const goOn = ledger.hang()
    const exchanging = quotas.exchange()
    await settled()
    const use = quotas.use('rule', 'hour', 'ann')
    use.add(2)
    expect(use.used).to.equal(5)
    goOn()
    await exchanging
    expect([use.used, ledger.total]).to.deep.equal([5, 3])
    await quotas.exchange()
    expect([use.used, ledger.total]).to.deep.equal([5, 5])
  })

  it('of many first requests is read by few statements', async () => {
    const quotas = open()
    const waits = Array.from({ length: 700 }, (_, index) => request(quotas, `${index}`))
    await Promise.all(waits)
    expect(ledger.reads).to.deep.equal([200, 200, 200, 100])
  })

  it('of 100,000 sharers is added completely', async () => {
    const quotas = open(100_000)
    for (let index = 0; index < 100_000; index++) quotas.use('rule', 'hour', `${index}`).add(1)
    await quotas.exchange()
    expect(ledger.total).to.equal(100_000)
    expect(Math.max(...ledger.writes)).to.equal(200)
    await quotas.exchange()
    expect(ledger.writes).to.have.length(500)
  })

  it('lets a request wait at most 250 ms for a ledger that hangs, and the next ones not at all', async () => {
    const quotas = open()
    const goOn = ledger.hang()
    const first = request(quotas)
    await clock.advance(249)
    expect(quotas.use('rule', 'hour', 'ann').used).to.equal(0)
    await clock.advance(1)
    expect(await first).to.equal(0)
    expect(quotas.known([quotas.use('rule', 'hour', 'bea')])).to.equal(undefined)
    goOn()
    await settled()
    expect(quotas.known([quotas.use('rule', 'hour', 'bea')])).to.be.instanceOf(Promise)
  })

  it('counts for itself without the ledger, and adds it when the ledger is back', async () => {
    const [quotas, other] = [open(), open()]
    quotas.start()
    ledger.isAway = true
    expect(await request(quotas)).to.equal(0)
    expect(await request(quotas)).to.equal(1)
    await clock.advance(10_000)
    expect(told).to.have.length(1)
    expect(await request(quotas)).to.equal(2)
    ledger.isAway = false
    await request(other, 'ann', 10)
    await other.exchange()
    await clock.advance(5_000)
    expect(told).to.have.length(2)
    expect(told[1]).to.equal(undefined)
    expect(quotas.use('rule', 'hour', 'ann').used).to.equal(13)
    expect(ledger.total).to.equal(13)
    await quotas.stop()
  })

  it('is read from a ledger that takes nothing, as one on a full disk', async () => {
    const [quotas, other] = [open(), open()]
    await request(other, 'ann', 10)
    await other.exchange()
    ledger.refusesWrites = true
    expect(await request(quotas)).to.equal(10)
    await quotas.exchange()
    expect(quotas.use('rule', 'hour', 'ann').used).to.equal(11)
    expect(told.map(String)).to.deep.equal(['Error: the ledger is away'])
    ledger.refusesWrites = false
    await quotas.exchange()
    expect(ledger.total).to.equal(11)
  })

  it('of several processes exceeds an amount by at most what the others serve in 11 s', async () => {
    const amount = 300
    const processes = Array.from({ length: 4 }, () => open())
    const served: { readonly ms: number; readonly process: number }[] = []
    for (const [index, one] of processes.entries()) {
      one.start()
      await clock.advance(index * 700)
    }
    for (let count = 0; count < 600; count++) {
      const index = (count * 7) % processes.length
      const [quotas] = processes.slice(index)
      if (quotas === undefined) throw new Error('there is no such process')
      const use = await knownUse(quotas)
      if (use.used < amount) {
        use.add(1)
        served.push({ ms: clock.now(), process: index })
      } else use.askAgain()
      await clock.advance(100)
    }
    for (const [position, { ms, process }] of served.entries()) {
      const late = served.filter(
        (other) => other.process !== process && other.ms <= ms && other.ms > ms - 11_000,
      )
      expect(position + 1).to.be.at.most(amount + late.length)
    }
    expect(served.length).to.be.at.least(amount)
    for (const one of processes) await one.stop()
    expect(ledger.total).to.equal(served.length)
  })
})
