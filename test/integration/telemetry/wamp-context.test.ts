/** Distributed traces over WAMP: what a callee and a subscriber see of the trace of the HTTP request, on the embedded router and past a second gateway. */
import { expect } from 'chai'
import { openEventStream } from '#test/support/event-stream.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { openEmbeddedRouter } from '#test/support/peers/router.ts'
import { until } from '#test/support/running/until.ts'
import { TracedPeer, tracedDocument } from './wamp-callee.ts'

const traceId = '0af7651916cd43dd8448eb211c80319c'
const tracestate = 'vendor=1'
const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01`, tracestate }
const ofTrace = new RegExp(`^00-${traceId}-[0-9a-f]{16}-01$`)

/** Trusts whoever sends a trace context. */
const propagating = { 'telemetry.traces': 'propagate', 'telemetry.trust': 'all' }

describe('the trace context of a request over WAMP', () => {
  let gateway: TestGateway
  let peer: TracedPeer

  const begin = async (settings: Readonly<Record<string, string>>) => {
    gateway = await startGateway(settings, { isEmbedded: true })
    peer = await TracedPeer.join(gateway.routerUrl)
    const { status, body } = await gateway.load(tracedDocument)
    expect([status, body.warnings]).to.deep.equal([201, []])
  }

  describe('on the embedded router', () => {
    before(() => begin(propagating))
    after(async () => {
      await peer.stop()
      await gateway.stop()
    })
    beforeEach(() => {
      peer.calls.length = 0
      peer.events.length = 0
    })
    const ask = (target: string, method = 'GET') =>
      send(gateway.url, `/traced${target}`, { method, headers })

    it('reaches a callee in kwargs and in details, in the trace of the client', async () => {
      expect((await ask('/call')).status).to.equal(200)
      const [sent] = peer.calls
      expect(sent?.kwargs.a).to.equal(1)
      const { traceparent, ...others } = Object(sent?.kwargs._trace)
      expect(traceparent).to.match(ofTrace)
      expect(others).to.deep.equal({ tracestate })
      expect(sent?.details).to.deep.equal({ _traceparent: traceparent, _tracestate: tracestate })
    })

    it('reaches it in details only where the document takes the argument away', async () => {
      await ask('/plain')
      expect(peer.calls[0]?.kwargs).to.deep.equal({})
      expect(peer.calls[0]?.details._traceparent).to.match(ofTrace)
    })

    it('reaches a call in pieces', async () => {
      const { text } = await send(gateway.url, '/traced/pieces', {
        headers: { ...headers, accept: 'application/x-ndjson' },
      })
      expect(text).to.include('piece')
      expect(peer.calls[0]?.kwargs._trace).to.have.property('traceparent').that.matches(ofTrace)
    })

    it('reaches subscribers of a publication, and each action of a list', async () => {
      await ask('/publish', 'POST')
      await ask('/list', 'POST')
      await until('both events are there', async () => peer.events.length === 2)
      for (const { kwargs, details } of [...peer.calls, ...peer.events]) {
        expect(kwargs._trace).to.have.property('traceparent').that.matches(ofTrace)
        expect(details._traceparent).to.match(ofTrace)
      }
      expect(peer.calls).to.have.length(1)
    })

    it('is of the gateway, whatever a request puts in its place', async () => {
      const forged = `00-${'f'.repeat(32)}-b7ad6b7169203331-01`
      const options = { _traceparent: forged, _tracestate: 'forged=1' }
      const answer = await send(gateway.url, '/traced/call', {
        ...{ method: 'POST', headers },
        body: { b: 2, _trace: { traceparent: forged }, options },
      })
      expect(answer.status).to.equal(204)
      const { _trace, options: _, ...others } = peer.calls[0]?.kwargs ?? {}
      expect(others).to.deep.equal({ b: 2 })
      expect(_trace).to.have.property('traceparent').that.matches(ofTrace)
      expect(peer.calls[0]?.details._traceparent).to.match(ofTrace)
    })

    it('reaches the call of a snapshot, and no event of a stream', async () => {
      const stream = await openEventStream(`${gateway.url}/traced/events`, { headers })
      await stream.next()
      expect(peer.calls[0]?.kwargs._trace).to.have.property('traceparent').that.matches(ofTrace)
      await ask('/publish', 'POST')
      const { details, kwargs } = JSON.parse((await stream.next()).data)
      expect(details).to.deep.equal({})
      // what the publisher says to its subscribers is theirs
      expect(kwargs).to.have.property('_trace')
      stream.close()
    })

    it('is marked in an explanation', async () => {
      const answer = await send(gateway.adminUrl, '/explain', {
        ...{ method: 'POST', body: { request: { method: 'get', path: '/traced/call' } } },
      })
      const { action, rules } = answer.json() as { action: { kwargs: object }; rules: object }
      const at = '/versions/1.0/defaults/trace'
      expect(rules).to.deep.include({ trace: { value: { kwargs: '_trace' }, at } })
      expect(action.kwargs).to.deep.equal({ a: 1, _trace: '<trace context>' })
      expect(peer.calls).to.deep.equal([])
    })
  })

  it('is one from a gateway by a forward to another, and from there to a callee', async () => {
    const router = await openEmbeddedRouter()
    const settings = { ...propagating, 'wamp.url': router.url }
    const [first, second] = [await startGateway(settings), await startGateway(settings)]
    const callee = await TracedPeer.join(router.url)
    const forward = { type: 'forward', host: second.url, path: '/traced/call' }
    const { status } = await first.load({
      ...{ ...tracedDocument, id: 'com.example.front' },
      versions: {
        '1.0': {
          base_path: '/front',
          paths: { '/call': { get: { action: forward, response: {} } } },
        },
      },
    })
    expect(status).to.equal(201)
    await second.mustLoad(tracedDocument)
    await until('the first gateway serves', async () => {
      return (await send(first.url, '/front/call', { headers })).status === 200
    })
    expect(callee.calls[0]?.kwargs._trace).to.have.property('traceparent').that.matches(ofTrace)
    // the router is another process to them, and the same one
    expect(callee.calls[0]?.details._traceparent).to.match(ofTrace)
    await callee.stop()
    await first.stop()
    await second.stop()
    await router.stop()
  })

  describe('while traces are off', () => {
    before(() => begin({}))
    after(async () => {
      await peer.stop()
      await gateway.stop()
    })

    it('is nowhere, nor is what a request puts in its place', async () => {
      await send(gateway.url, '/traced/call', { headers })
      await send(gateway.url, '/traced/call', {
        ...{ method: 'POST', headers },
        body: { b: 2, _trace: headers, options: { _traceparent: headers.traceparent } },
      })
      expect(peer.calls.map(({ details }) => details)).to.deep.equal([{}, {}])
      expect(peer.calls.map(({ kwargs }) => Object.keys(kwargs))).to.deep.equal([
        ['a'],
        ['b', 'options'],
      ])
    })

    it('has no mark in an explanation', async () => {
      const answer = await send(gateway.adminUrl, '/explain', {
        ...{ method: 'POST', body: { request: { method: 'get', path: '/traced/call' } } },
      })
      expect(answer.json()).to.have.nested.property('action.kwargs').that.deep.equals({ a: 1 })
    })
  })
})
