/** Where the trace of a request comes from: whose parent is believed, and what is made without one. */
import { randomFillSync } from 'node:crypto'
import { expect } from 'chai'
import { childOf, linkOf, type Trust } from '#component/telemetry/origin.ts'
import { propagation } from '#component/telemetry/propagation.ts'
import { RandomIds } from '#component/telemetry/random-ids.ts'
import type { TracedRequest } from '#component/telemetry/telemetry.ts'
import { type TraceContext, traceparentOf } from '#component/telemetry/trace-context.ts'

const sent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const brought: TraceContext = {
  traceId: '0af7651916cd43dd8448eb211c80319c',
  spanId: 'b7ad6b7169203331',
  isSampled: true,
  isRandom: false,
  tracestate: 'foo=1',
}
const made: TraceContext = {
  traceId: '07'.repeat(16),
  spanId: '07'.repeat(8),
  isSampled: false,
  isRandom: true,
  tracestate: undefined,
}

const request = (isFromProxy: boolean, headers: Record<string, string>): TracedRequest => ({
  ...{ method: 'get', path: '/x', scheme: 'http', version: '1.1', host: 'a.example', port: '80' },
  ...{ client: '192.0.2.1', headers, isFromProxy },
})

const sevens = () => new RandomIds((bytes) => bytes.fill(7))
const telemetry = (trust: Trust, isSampled = false) =>
  propagation({ ids: sevens(), isSampled: () => isSampled, trust })

describe('propagation', () => {
  const headers = { traceparent: sent, tracestate: 'foo=1' }

  for (const [trust, isFromProxy, isBelieved] of [
    ['none', true, false],
    ['proxies', true, true],
    ['proxies', false, false],
    ['all', false, true],
  ] as const) {
    const who = isFromProxy ? 'a trusted proxy' : 'a client'
    it(`${isBelieved ? 'passes on' : 'replaces'} the context that ${who} sends, where ${trust} is trusted`, () => {
      const asked = request(isFromProxy, headers)
      const { context } = telemetry(trust).begin(asked, 0)
      expect(context).to.deep.equal(isBelieved ? brought : made)
      expect(linkOf(asked, trust)).to.deep.equal(isBelieved ? undefined : brought)
    })
  }

  it('begins a trace for a malformed parent, and drops its tracestate', () => {
    const malformed = request(false, { traceparent: 'x', tracestate: 'foo=1' })
    expect(telemetry('all').begin(malformed, 0).context).to.deep.equal(made)
    expect(linkOf(malformed, 'none')).to.equal(undefined)
  })

  it('lets the sampler decide for the traces that begin, and the parent for its own', () => {
    const begun = telemetry('all', true).begin(request(false, {}), 0)
    expect(begun.context.isSampled).to.equal(true)
    const unsampled = sent.replace(/01$/, '00')
    const followed = telemetry('all', true).begin(request(false, { traceparent: unsampled }), 0)
    expect(followed.context.isSampled).to.equal(false)
  })

  it('gives a request one context, however often it is asked for', () => {
    const ids = new RandomIds(randomFillSync)
    const traces = propagation({ ids, isSampled: () => true, trust: 'none' })
    const trace = traces.begin(request(false, {}), 0)
    expect(trace.context).to.equal(trace.context)
    expect(trace.context).to.not.deep.equal(traces.begin(request(false, {}), 0).context)
  })

  it('names a sampled trace as an exemplar where others may know of it', () => {
    const begun = telemetry('none', true).begin(request(false, {}), 0)
    expect(begun.sampledId).to.equal(undefined)
    expect(begun.context.traceId).to.equal(made.traceId)
    expect(begun.sampledId).to.equal(made.traceId)
    const followed = telemetry('all').begin(request(false, { traceparent: sent }), 0)
    expect(followed.sampledId).to.equal(brought.traceId)
    const unsampled = telemetry('none').begin(request(false, {}), 0)
    expect(unsampled.context.isSampled).to.equal(false)
    expect(unsampled.sampledId).to.equal(undefined)
  })
})

describe('childOf', () => {
  it('has an id of its own in the trace of the parent, with its flags and its tracestate', () => {
    const child = childOf(brought, sevens())
    expect(child).to.deep.equal({ ...brought, spanId: '07'.repeat(8) })
    expect(traceparentOf(child)).to.equal(`00-${brought.traceId}-${'07'.repeat(8)}-01`)
  })
})
