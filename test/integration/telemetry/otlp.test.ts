/** Spans of a gateway, as a receiver of OTLP gets them. */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { ConfigError } from '#component/config/config.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { keptLog } from '#test/support/log-lines.ts'
import { until } from '#test/support/running/until.ts'
import { type Receiver, startReceiver } from '#test/support/telemetry/receiver.ts'

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
        '/mine': {
          schemes: ['http'],
          get: {
            security: { type: 'basic' },
            action: { type: 'static', body: 'ok' },
            response: {},
          },
        },
      },
    },
  },
}

describe('spans of requests', () => {
  const { log, lines } = keptLog()
  let receiver: Receiver
  let gateway: TestGateway

  beforeEach(async () => {
    lines.length = 0
    receiver = await startReceiver()
  })

  afterEach(async () => {
    await gateway.stop()
    await receiver.close()
  })

  const start = async (settings: Readonly<Record<string, string>> = {}) => {
    gateway = await startGateway(
      {
        'telemetry.traces': 'otlp',
        'telemetry.endpoint': receiver.url,
        'telemetry.sample': '1',
        ...settings,
      },
      { log },
    )
    await gateway.mustLoad(document)
  }

  const ask = async (path: string, headers = {}) => {
    const answer = await fetch(`${gateway.url}${path}`, { headers })
    await answer.text()
    return answer.status
  }

  it('are sent to the collector, with the resource and header fields of the configuration', async () => {
    await start({
      'telemetry.resource': '{service.name: orders, deployment.environment.name: test}',
      'telemetry.headers': 'x-api-key=abc',
      node: 'one',
    })
    expect(await ask('/v1/fixed/a?secret=planted')).to.equal(200)
    await until('a span', () => receiver.spans.length > 0)
    const [{ name, attributes, resource, parentSpanId } = expect.fail('none')] = receiver.spans
    expect([name, parentSpanId]).to.deep.equal(['GET /v1/fixed/:name', ''])
    expect(attributes).to.include({
      'http.route': '/v1/fixed/:name',
      'url.path': '/v1/fixed/a',
      'server.address': '127.0.0.1',
      'client.address': '127.0.0.1',
      'network.protocol.version': '1.1',
      'http.response.status_code': 200,
    })
    expect(resource).to.include({
      'service.name': 'orders',
      'deployment.environment.name': 'test',
      'service.instance.id': 'one',
    })
    expect(receiver.requests[0]?.headers).to.include({ 'x-api-key': 'abc' })
  })

  it('are none for paths that no document has', async () => {
    await start()
    expect(await ask('/none')).to.equal(404)
    expect(await ask('/v1/fixed/a')).to.equal(200)
    await until('a span', () => receiver.spans.length > 0)
    expect(receiver.spans.map(({ name }) => name)).to.deep.equal(['GET /v1/fixed/:name'])
  })

  it('name the user of a request only where telemetry.enduser says so', async () => {
    const authorization = `Basic ${Buffer.from('ada:wonderland').toString('base64')}`
    const users = [{ username: 'ada', password: 'wonderland' }]
    const realm = { uri: 'com.example.realm', authmethods: ['anonymous', 'password'], users }
    for (const [isTold, found] of [
      ['true', 'ada'],
      ['false', undefined],
    ] as const) {
      await start({ 'telemetry.enduser': isTold })
      await gateway.component.manage('service.load_realm', [realm])
      receiver.spans.splice(0)
      expect(await ask('/v1/mine', { authorization })).to.equal(200)
      await until('a span', () => receiver.spans.length > 0)
      expect(receiver.spans[0]?.attributes['enduser.id']).to.equal(found)
      await gateway.stop()
    }
  })

  it('tell of a request that waited for a slot of the pool', async () => {
    await start()
    const held: ServerResponse[] = []
    const upstream = createServer((_, response) => held.push(response)).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const { port } = upstream.address() as AddressInfo
    const get = { action: { type: 'forward', host: `127.0.0.1:${port}` }, response: {} }
    const path = { schemes: ['http'], get }
    const versions = { '1.0': { base_path: '/pool', pool_size: 1, paths: { '/:name': path } } }
    const loaded = await gateway.load({ ...document, id: 'com.example.pooled', versions })
    expect(loaded.status, JSON.stringify(loaded.body)).to.equal(201)
    const first = ask('/pool/first')
    await until('the first', () => held.length === 1)
    const second = ask('/pool/second')
    await until('the second', async () => {
      const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
      return /^gateway_pool_waiting\{.*\} 1$/m.test(text)
    })
    held[0]?.end()
    await until('the second has the slot', () => held.length === 2)
    held[1]?.end()
    expect(await Promise.all([first, second])).to.deep.equal([200, 200])
    upstream.close()
    const eventsOf = (name: string) =>
      receiver.spans.find(({ attributes }) => attributes['url.path'] === `/pool/${name}`)?.events
    await until(
      'both spans',
      () => eventsOf('first') !== undefined && eventsOf('second') !== undefined,
    )
    expect(eventsOf('first')).to.deep.equal([])
    expect(eventsOf('second')?.map(({ name }) => name)).to.deep.equal(['waited for pool'])
  })

  it('are sent before the gateway stops', async () => {
    await start()
    await ask('/v1/fixed/a')
    await gateway.stop()
    expect(receiver.spans).to.have.length(1)
  })

  it('are not sent by a gateway whose environment names no collector that can be reached', async () => {
    process.env.OTEL_EXPORTER_OTLP_ENDPOINT = '127.0.0.1:4318'
    const refused = await startGateway({ 'telemetry.traces': 'otlp' }).catch((error) => error)
    delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT
    expect(refused).to.be.instanceOf(ConfigError)
    expect(refused.message).to.equal(
      'option "telemetry.traces": OTEL_EXPORTER_OTLP_ENDPOINT: must be a URL of http or https',
    )
    await start()
  })

  it('are dropped, counted and logged where the collector is away; requests do not notice', async () => {
    await receiver.close()
    await start()
    expect(await ask('/v1/fixed/a')).to.equal(200)
    await gateway.stop()
    const [line] = lines.filter(({ msg }) => msg === 'spans were dropped')
    expect(line).to.include({ reason: 'stopped', spans: 1 })
    receiver = await startReceiver()
  })
})
