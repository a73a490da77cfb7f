/** Windows of quotas: boundaries in UTC, months of every length, and windows of seconds. */
import { expect } from 'chai'
import { type QuotaWindow, spanAt } from '#component/policies/limits/quota-window.ts'

const at = (text: string) => Date.parse(text)
const told = (window: QuotaWindow, now: number) => {
  const { startMs, endMs } = spanAt(window, now)
  return [new Date(startMs).toISOString(), new Date(endMs).toISOString()]
}

describe('the window of a quota', () => {
  for (const [window, now, start, end] of [
    ['hour', '2026-11-24T10:59:59.999Z', '2026-11-24T10:00:00.000Z', '2026-11-24T11:00:00.000Z'],
    ['hour', '2026-11-24T11:00:00.000Z', '2026-11-24T11:00:00.000Z', '2026-11-24T12:00:00.000Z'],
    ['day', '2026-12-31T23:59:59.999Z', '2026-12-31T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['month', '2026-12-31T23:59:59.999Z', '2026-12-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z'],
    ['month', '2027-01-01T00:00:00.000Z', '2027-01-01T00:00:00.000Z', '2027-02-01T00:00:00.000Z'],
    ['month', '2028-02-29T12:00:00.000Z', '2028-02-01T00:00:00.000Z', '2028-03-01T00:00:00.000Z'],
    ['month', '2027-02-28T23:59:59.999Z', '2027-02-01T00:00:00.000Z', '2027-03-01T00:00:00.000Z'],
    ['month', '2100-02-28T12:00:00.000Z', '2100-02-01T00:00:00.000Z', '2100-03-01T00:00:00.000Z'],
    [600_000, '1970-01-01T00:19:59.999Z', '1970-01-01T00:10:00.000Z', '1970-01-01T00:20:00.000Z'],
    [600_000, '1970-01-01T00:20:00.000Z', '1970-01-01T00:20:00.000Z', '1970-01-01T00:30:00.000Z'],
  ] as const) {
    it(`of ${window} at ${now} is from ${start} to ${end}`, () => {
      expect(told(window, at(now))).to.deep.equal([start, end])
    })
  }

  it('of a month has as many days as the month', () => {
    const days = (month: string) => {
      const { startMs, endMs } = spanAt('month', at(`${month}-15T00:00:00Z`))
      return (endMs - startMs) / 86_400_000
    }
    expect(['2026-02', '2028-02', '2026-04', '2026-12'].map(days)).to.deep.equal([28, 29, 30, 31])
  })

  it('never leaves a gap, and never overlaps the next one', () => {
    for (const window of ['hour', 'day', 'month', 61_000] as const) {
      let { startMs, endMs } = spanAt(window, at('2027-12-30T00:00:00Z'))
      for (let count = 0; count < 100; count++) {
        const next = spanAt(window, endMs)
        expect(spanAt(window, endMs - 1)).to.deep.equal({ startMs, endMs })
        expect(next.startMs).to.equal(endMs)
        ;({ startMs, endMs } = next)
      }
    }
  })
})
