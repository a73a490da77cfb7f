/** Spans of a gateway that is a process of its own, or several. */
import { expect } from 'chai'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { type Receiver, startReceiver } from '#test/support/telemetry/receiver.ts'

const document = {
  ...{ id: 'com.example.traced', host: '_', realm_uri: 'com.example.realm' },
  versions: {
    '1.0': {
      base_path: '/v1',
      paths: {
        '/fixed': {
          schemes: ['http'],
          get: { action: { type: 'static', body: 'ok' }, response: {} },
        },
      },
    },
  },
}

describe('the spans of a process', () => {
  let receiver: Receiver
  let gateway: GatewayProcess

  const start = async (settings: Readonly<Record<string, string>> = {}) => {
    receiver = await startReceiver()
    gateway = await startGatewayProcess({
      'telemetry.traces': 'otlp',
      'telemetry.endpoint': receiver.url,
      'telemetry.sample': '1',
      node: 'node',
      ...settings,
    })
    await gateway.post('/api_specs', document)
  }

  /** One request over a connection of its own. */
  const ask = async () => (await send(gateway.url, '/v1/fixed')).status

  afterEach(async () => {
    if (gateway.isRunning) await gateway.kill()
    await receiver.close()
  })

  it('are sent by each worker', async () => {
    await start({ workers: '2' })
    const senders = () =>
      new Set(receiver.spans.map(({ resource }) => resource['service.instance.id']))
    await until('spans of both workers', async () => {
      expect(await ask()).to.equal(200)
      return senders().size === 2
    })
    expect([...senders()].sort()).to.deep.equal(['node-1', 'node-2'])
    expect(await gateway.stop()).to.equal(0)
  })

  it('are sent before it leaves', async () => {
    await start()
    expect(await ask()).to.equal(200)
    expect(await gateway.stop()).to.equal(0)
    expect(receiver.spans.map(({ name }) => name)).to.deep.equal(['GET /v1/fixed'])
  })

  it('keep it for two seconds where the collector does not answer', async () => {
    await start({ 'log.level': 'warn' })
    receiver.answer = () => undefined
    expect(await ask()).to.equal(200)
    expect(await gateway.stop()).to.equal(0)
    expect(gateway.output).to.match(/"reason":"stopped","spans":1,.*"msg":"spans were dropped"/)
  })
})
