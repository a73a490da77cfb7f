/** How many rows the requests of strangers make in the ledger of quotas. */
import { expect } from 'chai'
import { type QuotaLedger, Quotas } from '#component/policies/limits/quotas.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

describe('the rows of quotas', () => {
  let clock: ManualClock
  let rows: Map<string, number>
  beforeEach(() => {
    clock = new ManualClock()
    rows = new Map()
  })

  const nameOf = (row: { rule: string; key: string; startMs: number }) =>
    `${row.rule} ${row.key} ${row.startMs}`
  const ledger: QuotaLedger = {
    sums: async (asked) => asked.map((row) => rows.get(nameOf(row)) ?? 0),
    add: async (added) => {
      for (const [row, units] of added) rows.set(nameOf(row), (rows.get(nameOf(row)) ?? 0) + units)
    },
  }
  const open = (maxKeys: number) =>
    new Quotas({ clock, ledger, maxKeys, digest: (...texts) => texts.join('|') })

  async function usedBy(quotas: Quotas, sharer: string): Promise<number> {
    const use = quotas.use('rule', 'hour', sharer)
    await quotas.known([use])
    return use.used
  }
  const request = (quotas: Quotas, sharer: string) => quotas.use('rule', 'hour', sharer).add(1)

  for (const kind of ['address', 'value']) {
    it(`are half as many as sharers are known, and one more, for any number of the kind ${kind}`, async () => {
      const quotas = open(100)
      for (let index = 0; index < 500; index++) request(quotas, `${kind} ${index}`)
      await quotas.exchange()
      expect(rows.size).to.equal(51)
      expect(await usedBy(quotas, `${kind} new`)).to.equal(450)
      expect(await usedBy(quotas, `${kind} 49`)).to.equal(1)
    })
  }

  for (const kind of ['user com.example', 'client', 'role']) {
    it(`are as many as there are of the kind ${kind}`, async () => {
      const quotas = open(100)
      for (let index = 0; index < 500; index++) request(quotas, `${kind} ${index}`)
      await quotas.exchange()
      expect(rows.size).to.equal(500)
    })
  }

  it('begin anew in the next window', async () => {
    const quotas = open(4)
    for (const name of ['a', 'b', 'c', 'd']) request(quotas, `address ${name}`)
    await clock.advance(3_600_000)
    request(quotas, 'address d')
    expect(await usedBy(quotas, 'address c')).to.equal(0)
    expect(await usedBy(quotas, 'address d')).to.equal(1)
  })

  it('are counted for each quota and window apart', async () => {
    const quotas = open(4)
    for (const name of ['a', 'b', 'c', 'd', 'a']) request(quotas, `value ${name}`)
    quotas.use('other rule', 'hour', 'value c').add(1)
    quotas.use('rule', 'day', 'value c').add(1)
    await quotas.exchange()
    expect([...rows.values()].sort()).to.deep.equal([1, 1, 1, 2, 2])
  })
})
