import { expect } from 'chai'
import { readSpans } from '#test/support/telemetry/otlp.ts'
import { batchOf, origin, spanOf } from './spans.ts'

/** An attribute as a collector reads it. */
function readBack(value: string | number | boolean): unknown {
  const batch = batchOf([{ ...spanOf(1), attributes: { value } }])
  return readSpans(Buffer.from(batch.requestOf(origin)))[0]?.attributes.value
}

describe('a batch of spans', () => {
  const lengths = [0, 1, 63, 64, 65, 120, 127, 128, 129, 16_383, 16_384, 100_000]
  for (const text of ['a', 'ü', '漢', '😀']) {
    it(`has texts of ${text} of every length`, () => {
      for (const length of lengths) {
        expect(readBack(text.repeat(length)), `${length}`).to.equal(text.repeat(length))
      }
    })
  }

  it('has text that begins as ASCII, and a lone surrogate as U+FFFD', () => {
    expect(readBack('GET /ü')).to.equal('GET /ü')
    expect(readBack('a\ud800b')).to.equal('a\ufffdb')
  })

  for (const number of [
    ...[0, 1, 127, 128, 2 ** 31, 2 ** 32, Number.MAX_SAFE_INTEGER],
    ...[-1, -128, -(2 ** 31), Number.MIN_SAFE_INTEGER],
    ...[0.5, -1.25, 2 ** 60, 1e300, Number.NaN, Number.POSITIVE_INFINITY],
  ]) {
    it(`has the number ${number}`, () => {
      expect(readBack(number)).to.deep.equal(number)
    })
  }

  it('has the nanoseconds of every time', () => {
    for (const ms of [0, 0.000001, 999.999999, 1_699_999_999_999.5, 1_763_000_065_535.25, 4e12]) {
      const batch = batchOf([{ ...spanOf(1), start: ms, end: ms }])
      const [span] = readSpans(Buffer.from(batch.requestOf(origin)))
      const seconds = Math.floor(ms / 1000)
      const nanoseconds = Math.round((ms - seconds * 1000) * 1e6)
      const expected = BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds)
      expect([span?.start, span?.end]).to.deep.equal([expected, expected])
    }
  })

  it('has the digits of every id', () => {
    const traceId = '0123456789abcdef'.repeat(2)
    const context = { ...spanOf(1).context, traceId, spanId: 'fedcba9876543210' }
    const [span] = readSpans(Buffer.from(batchOf([{ ...spanOf(1), context }]).requestOf(origin)))
    expect(span).to.include({ traceId, spanId: 'fedcba9876543210' })
  })

  it('is a request without spans at first, and counts them', () => {
    const batch = batchOf([])
    expect([batch.count, readSpans(Buffer.from(batch.requestOf(origin)))]).to.deep.equal([0, []])
    batch.add(spanOf(1))
    batch.add(spanOf(2))
    const names = readSpans(Buffer.from(batch.requestOf(origin))).map(({ name }) => name)
    expect([batch.count, names]).to.deep.equal([2, ['span 1', 'span 2']])
  })
})
