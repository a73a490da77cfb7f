import { expect } from 'chai'
import { Families } from '#component/metrics/families.ts'
import { ExportWatch } from '#component/telemetry/otlp/export-watch.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

/** A watch with what it has logged and counted. */
function watchOf() {
  const clock = new ManualClock()
  const lines: unknown[] = []
  const write = (line: unknown, message: string) => lines.push([line, message])
  const families = new Families({ now: () => clock.now() })
  const watch = new ExportWatch({
    ...{ clock, families },
    url: 'http://collector/v1/traces',
    log: { warn: write, info: write } as never,
  })
  const count = (name: string, label: string) => families.named(name)?.with(label).value
  return { clock, lines, watch, count }
}

describe('the watch over exported spans', () => {
  it('counts spans by what became of them, and drops by reason', () => {
    const { watch, count } = watchOf()
    watch.onExported(3)
    watch.onDropped(2, 'queue_full', '')
    watch.onDropped(5, 'unreachable', 'connect ECONNREFUSED')
    expect(count('gateway_telemetry_spans_total', 'exported')).to.equal(3)
    expect(count('gateway_telemetry_spans_total', 'dropped')).to.equal(7)
    expect(count('gateway_telemetry_dropped_total', 'queue_full')).to.equal(2)
    expect(count('gateway_telemetry_dropped_total', 'unreachable')).to.equal(5)
  })

  it('logs drops once a minute, with all that were dropped since the last line', async () => {
    const { clock, lines, watch } = watchOf()
    watch.onDropped(512, 'unreachable', 'connect ECONNREFUSED')
    watch.onDropped(1, 'queue_full', '')
    watch.onDropped(1, 'queue_full', '')
    await clock.advance(60_000)
    watch.onDropped(512, 'refused', 'the collector returned 400')
    const collector = 'http://collector/v1/traces'
    expect(lines).to.deep.equal([
      [
        { collector, reason: 'unreachable', spans: 512, cause: 'connect ECONNREFUSED' },
        'spans were dropped',
      ],
      [
        { collector, reason: 'refused', spans: 514, cause: 'the collector returned 400' },
        'spans were dropped',
      ],
    ])
  })

  it('logs that a collector is back, if it was missed', () => {
    const { lines, watch } = watchOf()
    watch.onExported(1)
    watch.onDropped(1, 'unreachable', 'connect ECONNREFUSED')
    watch.onExported(1)
    watch.onExported(1)
    expect(lines).to.have.length(2)
    expect(lines[1]).to.deep.equal([
      { collector: 'http://collector/v1/traces' },
      'the collector takes spans again',
    ])
  })
})
