/** The trace context of a request at a callee and a subscriber in Python: in the kwargs that the document names, on a router that passes no options on. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { type PythonPeer, startPythonPeer } from './peer.ts'

const realm = 'com.example.test'
const traceId = '0af7651916cd43dd8448eb211c80319c'
const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate: 'vendor=1' }
const ofTrace = new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`)

const call = (procedure: string, more: object = {}) => ({
  action: { type: 'wamp_call', procedure: `com.example.py.${procedure}`, ...more },
  response: { on_result: { body: '{{action.result}}' } },
})

const document = {
  ...{ id: 'com.example.traced.py', host: '_', realm_uri: realm },
  versions: {
    '1.0': {
      base_path: '/traced',
      paths: {
        '/echo': { get: call('echo', { kwargs: { a: 1 }, trace: { kwargs: '_trace' } }) },
        '/plain': { get: call('echo', { kwargs: { a: 1 } }) },
        '/seen': { get: call('seen') },
        '/publish': {
          trace: { kwargs: 'context' },
          post: {
            action: { type: 'wamp_publish', topic: 'com.example.py.topic', args: ['traced'] },
            response: {},
          },
        },
      },
    },
  },
}

describe('the trace context of a request in Python', () => {
  let gateway: TestGateway
  let peer: PythonPeer
  before(async () => {
    gateway = await startGateway({
      'telemetry.traces': 'propagate',
      'telemetry.trust': 'all',
    })
    peer = await startPythonPeer(gateway.routerUrl, realm)
    const { status, body } = await gateway.load(document)
    expect([status, body.warnings]).to.deep.equal([201, []])
  })
  after(async () => {
    await peer.stop()
    await gateway.stop()
  })
  const ask = async (target: string, method = 'GET') =>
    (await send(gateway.url, `/traced${target}`, { method, headers })).json() as {
      readonly args: readonly [{ readonly events: readonly { readonly kwargs: object }[] }]
      readonly kwargs: Readonly<Record<string, unknown>>
    }

  it('is an argument of a call', async () => {
    const { kwargs } = await ask('/echo')
    expect(kwargs).to.have.all.keys('a', '_trace')
    expect(kwargs._trace).to.have.property('tracestate', 'vendor=1')
    expect(kwargs._trace).to.have.property('traceparent').that.matches(ofTrace)
  })

  it('is not there where the document does not ask for it', async () => {
    expect((await ask('/plain')).kwargs).to.deep.equal({ a: 1 })
  })

  it('is an argument of a publication', async () => {
    await send(gateway.url, '/traced/publish', { method: 'POST', headers })
    await until('an event arrives', async () => {
      const [{ events }] = (await ask('/seen')).args
      if (events.length === 0) return false
      expect(events[0]?.kwargs).to.have.nested.property('context.traceparent').that.matches(ofTrace)
      return true
    })
  })
})
