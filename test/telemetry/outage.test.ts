/** A collector that is killed under load, and comes back. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { keptLog } from '#test/support/log-lines.ts'
import { until } from '#test/support/running/until.ts'
import { type Receiver, startReceiver } from '#test/support/telemetry/receiver.ts'
import { Collector, collectorProgram } from './collector.ts'

const document = {
  ...{ id: 'com.example.traced', host: '_', realm_uri: 'com.example.realm' },
  versions: {
    '1.0': {
      base_path: '/v1',
      paths: {
        '/fixed/:name': {
          schemes: ['http'],
          get: { action: { type: 'static', body: 'ok' }, response: {} },
        },
      },
    },
  },
}

/** Clients that ask at the same time, one request after the other. */
const clients = 4

describe('a collector that is killed under load', () => {
  const { log, lines } = keptLog()
  let receiver: Receiver
  let collector: Collector
  let gateway: TestGateway

  before(async function () {
    this.timeout(900_000)
    collectorProgram()
    receiver = await startReceiver()
    collector = await Collector.start(receiver.url)
    // what cannot be sent within this time is dropped
    process.env.OTEL_EXPORTER_OTLP_TIMEOUT = '500'
    gateway = await startGateway(
      {
        'telemetry.traces': 'otlp',
        'telemetry.endpoint': collector.url,
        'telemetry.sample': '1',
      },
      { log },
    )
    delete process.env.OTEL_EXPORTER_OTLP_TIMEOUT
    await gateway.mustLoad(document)
  })

  after(async () => {
    await gateway?.stop()
    await collector?.stop()
    await receiver?.close()
  })

  const tracesOf = (name: string) =>
    receiver.spans.filter(({ attributes }) => attributes['url.path'] === `/v1/fixed/${name}`)
  const said = (message: string) => lines.some(({ msg }) => msg === message)

  /** What /metrics says of spans. */
  const counted = async () => {
    const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    const of = (result: string) =>
      Number(
        new RegExp(`^gateway_telemetry_spans_total{result="${result}"} (\\d+)$`, 'm').exec(
          text,
        )?.[1],
      )
    return { exported: of('exported'), dropped: of('dropped') }
  }

  it('costs no request, its spans are counted as dropped, and those after it arrive', async () => {
    const statuses = new Map<number, number>()
    let phase = 'before'
    let isOver = false
    const ask = async () => {
      while (!isOver) {
        const answer = await fetch(`${gateway.url}/v1/fixed/${phase}`)
        await answer.text()
        statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      }
    }
    const load = Promise.all(Array.from({ length: clients }, ask))
    try {
      await until('spans before', () => tracesOf('before').length > 0)
      await collector.kill()
      phase = 'during'
      await until('drops', () => said('spans were dropped'), 30_000)
      await collector.start()
      phase = 'after'
      await until('spans after', () => tracesOf('after').length > 0, 30_000)
    } finally {
      isOver = true
    }
    await load
    expect([...statuses.keys()]).to.deep.equal([200])
    // the collector passes spans on before the gateway has its response
    await until('the end of the drops', () => said('the collector takes spans again'))
    const requests = statuses.get(200) ?? 0
    await until('all spans are counted', async () => {
      const { exported, dropped } = await counted()
      return exported + dropped === requests
    })
    expect((await counted()).dropped).to.be.within(1, requests - 1)
  })
})
