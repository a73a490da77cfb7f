/** The lines of metrics in both formats. */
import { expect } from 'chai'
import { Families } from '#component/metrics/families.ts'
import { Family } from '#component/metrics/family.ts'
import { addPacked, packed } from '#component/metrics/packed.ts'
import { runAtOnce } from '#component/yielding.ts'
import { metricLines } from '#test/support/metric-lines.ts'

const trace = '4bf92f3577b34da6a3ce929d0e0e4736'
const other = '00f067aa0ba902b74bf92f3577b34da6'

/** A histogram, a counter and a gauge at a time in seconds. */
function start(seconds = 1_700_000_000.5) {
  const families = new Families({ now: () => seconds * 1000 })
  const node = { isOfNode: true, help: 'A "quoted" \\ help.' } as const
  const waits = new Family({ ...node, name: 'wait_seconds', bounds: [0.5, 1] }, families)
  const bytes = new Family({ ...node, name: 'sent_bytes_total' }, families)
  const open = new Family({ ...node, name: 'open', isGauge: true }, families)
  return { families, waits, bytes, open }
}

describe('a metric in OpenMetrics', () => {
  it('has the name of a counter without _total, the unit that its name ends with, and bounds as floats', () => {
    const { families, waits, bytes, open } = start()
    waits.with().observe(2)
    bytes.with().add(3)
    open.with().add()
    expect(metricLines(families, '', 'openmetrics').slice(2, -1)).to.deep.equal([
      '# TYPE wait_seconds histogram',
      '# UNIT wait_seconds seconds',
      '# HELP wait_seconds A \\"quoted\\" \\\\ help.',
      'wait_seconds_bucket{le="0.5"} 0',
      'wait_seconds_bucket{le="1.0"} 0',
      'wait_seconds_bucket{le="+Inf"} 1',
      'wait_seconds_sum 2',
      'wait_seconds_count 1',
      '# TYPE sent_bytes counter',
      '# UNIT sent_bytes bytes',
      '# HELP sent_bytes A \\"quoted\\" \\\\ help.',
      'sent_bytes_total 3',
      '# TYPE open gauge',
      '# HELP open A \\"quoted\\" \\\\ help.',
      'open 1',
    ])
  })

  it('has the last recorded trace of each bucket as its exemplar', () => {
    const { families, waits } = start()
    waits.with().observe(0.7, other)
    waits.with().observe(0.6, trace)
    waits.with().observe(0.8)
    waits.with().observe(7, other)
    expect(metricLines(families, 'wait_seconds_bucket', 'openmetrics')).to.deep.equal([
      'wait_seconds_bucket{le="0.5"} 0',
      `wait_seconds_bucket{le="1.0"} 3 # {trace_id="${trace}"} 0.6 1700000000.5`,
      `wait_seconds_bucket{le="+Inf"} 4 # {trace_id="${other}"} 7 1700000000.5`,
    ])
  })

  it('of several processes has the latest exemplar', () => {
    const [sum, early, late] = [start(), start(1_700_000_000), start(1_700_000_001)]
    early.waits.with().observe(0.6, other)
    late.waits.with().observe(0.6, trace)
    late.waits.with().observe(0.1)
    for (const { families } of [late, early]) {
      for (const [family, all] of runAtOnce(families.collect())) {
        for (const text of packed(family, all)) addPacked(sum.families, text)
      }
    }
    expect(metricLines(sum.families, 'wait_seconds_bucket{le="1.0"}', 'openmetrics')).to.deep.equal(
      [`wait_seconds_bucket{le="1.0"} 3 # {trace_id="${trace}"} 0.6 1700000001`],
    )
  })
})

describe('a metric in the text format', () => {
  it('has no unit, no exemplars, and a counter by its whole name', () => {
    const { families, waits, bytes } = start()
    waits.with().observe(0.7, trace)
    bytes.with().add(3)
    expect(metricLines(families, '').slice(2, -3)).to.deep.equal([
      '# HELP wait_seconds A "quoted" \\\\ help.',
      '# TYPE wait_seconds histogram',
      'wait_seconds_bucket{le="0.5"} 0',
      'wait_seconds_bucket{le="1"} 1',
      'wait_seconds_bucket{le="+Inf"} 1',
      'wait_seconds_sum 0.7',
      'wait_seconds_count 1',
      '# HELP sent_bytes_total A "quoted" \\\\ help.',
      '# TYPE sent_bytes_total counter',
      'sent_bytes_total 3',
    ])
  })
})
