/** The text for Prometheus: written in pieces, and summed up over the processes of a gateway. */
import { expect } from 'chai'
import { Families } from '#component/metrics/families.ts'
import { Metrics, type MetricValues } from '#http/management/metrics.ts'
import { processText } from '#http/management/process-metrics.ts'

const emptyFamilies = () => new Families({ now: () => 0 })
const version = { api: 'com.example.a', label: '1' }
const at = (pattern: string) => ({ version, pattern })

async function textOf(metrics: Metrics): Promise<readonly string[]> {
  const pieces: string[] = []
  for await (const piece of metrics.render()) pieces.push(piece)
  return pieces
}

describe('the text of the metrics', () => {
  it('lets others have their turn after each series, and leaves in pieces', async () => {
    let turns = 0
    const yieldTurn = () => {
      turns += 1
      return undefined
    }
    const metrics = new Metrics({ families: emptyFamilies(), sources: {}, yieldTurn })
    for (let index = 0; index < 1000; index += 1) metrics.count(at(`/${index}`), 'get', 200, 1)
    const pieces = await textOf(metrics)
    metrics.close()
    expect(turns).to.be.at.least(2000)
    expect(pieces.length).to.be.above(10)
    for (const piece of pieces) expect(piece.length).to.be.below(70_000)
  })

  it('is well-formed: one HELP and TYPE for each metric, its samples behind them', async () => {
    const metrics = new Metrics({ families: emptyFamilies(), sources: {} })
    for (const status of [200, 404]) metrics.count(at('/a'), 'get', status, 1)
    const text = (await textOf(metrics)).join('')
    metrics.close()
    const seen = new Set<string>()
    let current = ''
    for (const line of text.split('\n').filter((one) => one !== '')) {
      const [, name] = /^# HELP (\S+) /.exec(line) ?? []
      if (name !== undefined) {
        expect(seen).to.not.include(name)
        seen.add(name)
        current = name
      } else if (line.startsWith('# TYPE '))
        expect(line).to.match(new RegExp(`^# TYPE ${current} `))
      else expect(line).to.match(new RegExp(`^${current}(_bucket|_sum|_count)?(\\{.*\\})? \\S+$`))
    }
    expect(seen)
      .to.include('gateway_http_requests_total')
      .and.include('nodejs_eventloop_lag_seconds')
    expect(text.endsWith('\n')).to.equal(true)
  })

  it('has no labels of the place where documents are not told apart', async () => {
    const families = new Families({ now: () => 0, hasApiLabel: false })
    const metrics = new Metrics({ families, sources: {} })
    for (const api of ['com.example.a', 'com.example.b']) {
      metrics.count({ version: { api, label: '1' }, pattern: '/a' }, 'get', 200, 1)
    }
    const text = (await textOf(metrics)).join('')
    metrics.close()
    const line = 'gateway_http_requests_total{route="/a",method="get",status="200"} 2'
    expect(text.split('\n')).to.include(line)
    expect(text).to.not.include('api')
  })

  it('has the samples of a series together, also those that were added up', async () => {
    const of = (metricName: string, value: number, kind: string, le?: string) => ({
      ...{ metricName, value, labels: { kind, ...(le !== undefined && { le }) } },
    })
    const samples = ['_bucket', '_sum', '_count'].flatMap((end) =>
      ['minor', 'major'].map((kind) =>
        of(`gc${end}`, 1, kind, end === '_bucket' ? '+Inf' : undefined),
      ),
    )
    const gc = { name: 'gc', help: '', type: 'histogram', values: samples, aggregator: 'sum' }
    const lines = [...processText([gc] as never, 'openmetrics')].slice(1).join('').split('\n')
    expect(lines).to.deep.equal([
      'gc_bucket{kind="minor",le="+Inf"} 1',
      'gc_sum{kind="minor"} 1',
      'gc_count{kind="minor"} 1',
      'gc_bucket{kind="major",le="+Inf"} 1',
      'gc_sum{kind="major"} 1',
      'gc_count{kind="major"} 1',
      '',
    ])
  })

  it('adds the processes of a gateway up', async () => {
    let ask = (): Promise<MetricValues> => Promise.reject(new Error('nobody can be asked'))
    const answerBy = (read: typeof ask) => {
      ask = read
    }
    const source = { help: 'What each has.', read: () => 2 }
    const ports = () => ({ families: emptyFamilies(), sources: { things: source } })
    const other = new Metrics({ ...ports(), siblings: { answerBy, gather: async () => [] } })
    const siblings = { answerBy: () => undefined, gather: async () => [await ask()] }
    const own = new Metrics({ ...ports(), siblings })
    for (const metrics of [own, other]) metrics.count(at('/a'), 'get', 200, 1)
    const text = (await textOf(own)).join('')
    for (const metrics of [own, other]) metrics.close()
    const labels = 'api="com.example.a",version="1",route="/a",method="get",status="200"'
    expect(text).to.include(`gateway_http_requests_total{${labels}} 2\n`)
    expect(text).to.include('\nthings 4\n')
  })
})
