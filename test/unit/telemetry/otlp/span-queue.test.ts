import { expect } from 'chai'
import type { RecordedSpan } from '#component/telemetry/otlp/recorded-span.ts'
import { type ExportFailure, SpanQueue } from '#component/telemetry/otlp/span-queue.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'
import { spanOf, spansOf } from './spans.ts'

/** A queue before an exporter that ends its batches when it is told to. */
function queueOf() {
  const clock = new ManualClock()
  const batches: { spans: readonly RecordedSpan[]; done: (failure?: ExportFailure) => void }[] = []
  const told: unknown[] = []
  const queue = new SpanQueue(clock, (spans, done) => batches.push({ spans, done }), {
    onExported: (count) => told.push(['exported', count]),
    onDropped: (count, reason) => told.push([reason, count]),
  })
  const add = (count: number) => {
    for (const span of spansOf(count)) queue.add(span)
  }
  const sizes = () => batches.map(({ spans }) => spans.length)
  return { clock, batches, told, queue, add, sizes }
}

describe('a queue of spans', () => {
  it('sends a batch of 512 at once, and fewer after a second', async () => {
    const { clock, add, sizes } = queueOf()
    add(511)
    expect(sizes()).to.deep.equal([])
    add(1)
    expect(sizes()).to.deep.equal([512])

    const small = queueOf()
    small.add(3)
    await small.clock.advance(999)
    expect(small.sizes()).to.deep.equal([])
    await small.clock.advance(1)
    expect(small.sizes()).to.deep.equal([3])
    expect(clock.pending).to.equal(0)
  })

  it('sends one batch at a time', async () => {
    const { clock, add, sizes, batches, told } = queueOf()
    add(1100)
    await clock.advance(5000)
    expect(sizes()).to.deep.equal([512])
    batches[0]?.done()
    expect(sizes()).to.deep.equal([512, 512])
    batches[1]?.done()
    await clock.advance(1000)
    expect(sizes()).to.deep.equal([512, 512, 76])
    expect(told).to.deep.equal([
      ['exported', 512],
      ['exported', 512],
    ])
  })

  it('holds 2,048 spans, those that are being sent included, and drops the newest beyond', () => {
    const { add, batches, told, sizes } = queueOf()
    add(2050)
    expect(told).to.deep.equal([
      ['queue_full', 1],
      ['queue_full', 1],
    ])
    batches[0]?.done()
    add(1)
    expect(told).to.have.length(3)
    expect(sizes()).to.deep.equal([512, 512])
  })

  it('drops a batch that the collector does not take, and goes on with the next one', () => {
    const { add, batches, told, sizes } = queueOf()
    add(1024)
    batches[0]?.done({ reason: 'unreachable', message: 'connect ECONNREFUSED' })
    expect(sizes()).to.deep.equal([512, 512])
    batches[1]?.done()
    expect(told).to.deep.equal([
      ['unreachable', 512],
      ['exported', 512],
    ])
  })

  it('sends what is left when it is closed, and is closed when that is done', async () => {
    const { clock, add, batches, told, queue, sizes } = queueOf()
    add(600)
    const closed = queue.close(2000)
    expect(sizes()).to.deep.equal([512])
    batches[0]?.done()
    expect(sizes()).to.deep.equal([512, 88])
    batches[1]?.done()
    await closed
    expect(told).to.deep.equal([
      ['exported', 512],
      ['exported', 88],
    ])
    expect(clock.pending).to.equal(0)
  })

  it('is closed at once when it is empty', async () => {
    const { queue, clock } = queueOf()
    await queue.close(2000)
    await queue.close(2000)
    expect(clock.pending).to.equal(0)
  })

  it('drops what a slow collector has not taken in time, and every later span', async () => {
    const { clock, add, batches, told, queue } = queueOf()
    add(600)
    const closed = queue.close(2000)
    await clock.advance(2000)
    await closed
    queue.add(spanOf(1))
    batches[0]?.done()
    expect(told).to.deep.equal([
      ['stopped', 600],
      ['stopped', 1],
    ])
  })
})
