/** Ids of traces and spans: their form, and which traces of them are sampled. */
import { randomFillSync } from 'node:crypto'
import { expect } from 'chai'
import { RandomIds } from '#component/telemetry/random-ids.ts'
import { sampler } from '#component/telemetry/sampler.ts'

describe('RandomIds', () => {
  it('draws other ids each time, beyond one filling', () => {
    const ids = new RandomIds(randomFillSync)
    const traces = Array.from({ length: 1000 }, () => ids.traceId())
    const spans = Array.from({ length: 1000 }, () => ids.spanId())
    for (const id of traces) expect(id).to.match(/^[0-9a-f]{32}$/)
    for (const id of spans) expect(id).to.match(/^[0-9a-f]{16}$/)
    expect(new Set(traces).size).to.equal(1000)
    expect(new Set(spans).size).to.equal(1000)
  })

  it('uses each byte once', () => {
    let fillings = 0
    const ids = new RandomIds((bytes) => {
      fillings += 1
      randomFillSync(bytes)
    })
    const drawn = Array.from({ length: 256 }, () => ids.traceId() + ids.spanId())
    expect(fillings).to.equal(1)
    expect(new Set(drawn).size).to.equal(256)
    ids.spanId()
    expect(fillings).to.equal(2)
  })

  it('passes over zeros', () => {
    const ids = new RandomIds((bytes) => {
      bytes.fill(0)
      bytes[20] = 1
      bytes[40] = 16
    })
    expect(ids.spanId()).to.equal(`${'0'.repeat(8)}01${'0'.repeat(6)}`)
    expect(ids.spanId()).to.equal(`10${'0'.repeat(14)}`)
  })
})

describe('sampler', () => {
  const ids = new RandomIds(randomFillSync)
  const drawn = Array.from({ length: 4000 }, () => ids.traceId())

  it('takes none of a share of 0, and all of a share of 1', () => {
    expect(drawn.some(sampler(0))).to.equal(false)
    expect(drawn.every(sampler(1))).to.equal(true)
    expect(sampler(1)(`${'0'.repeat(31)}1`)).to.equal(true)
    expect(sampler(0)('f'.repeat(32))).to.equal(false)
  })

  it('takes about its share', () => {
    expect(drawn.filter(sampler(0.25)).length).to.be.within(800, 1200)
  })

  it('takes of a greater share what it takes of a smaller one', () => {
    const few = drawn.filter(sampler(0.1))
    expect(few.length).to.be.greaterThan(100)
    expect(few.every(sampler(0.5))).to.equal(true)
  })
})
