/** What a forward sends to a real upstream. */
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import type { ActionFields, Run } from '#component/action/action.ts'
import type { TraceContext } from '#component/telemetry/trace-context.ts'
import { bodyOf, closeAll, failureOf, perform, requestWith, upstream } from './upstreams.ts'

describe('forward sends', () => {
  afterEach(closeAll)

  /** Echoes the request as JSON. */
  const echo = () =>
    upstream(async (request, response) => {
      const { method, url, rawHeaders } = request
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ method, url, rawHeaders, body: await text(request) }))
    })

  const echoed = async (fields: ActionFields, changes: Partial<Run> = {}) => {
    const host = await echo()
    const outcome = await perform({ host, ...fields }, changes)
    const seen = JSON.parse(await bodyOf(outcome))
    const headers: Record<string, string[]> = {}
    for (let index = 0; index < seen.rawHeaders.length; index += 2) {
      const name = seen.rawHeaders[index].toLowerCase()
      headers[name] = [...(headers[name] ?? []), seen.rawHeaders[index + 1]]
    }
    return { method: seen.method, url: seen.url, body: seen.body, headers, host }
  }

  it('method, path, query, headers and body of the request by default', async () => {
    const seen = await echoed(
      {},
      {
        method: 'put',
        rawBody: { stream: Readable.from([Buffer.from('12345')]), length: 5 },
        ...requestWith({
          query_string: 'a=1',
          headers: { 'content-type': 'text/plain', 'x-a': 'b', host: 'api.example.com:80' },
        }),
      },
    )
    expect(seen).to.deep.equal({
      method: 'PUT',
      url: '/things?a=1',
      body: '12345',
      host: seen.host,
      headers: {
        host: [seen.host],
        connection: ['keep-alive'],
        'content-type': ['text/plain'],
        'content-length': ['5'],
        'x-a': ['b'],
        via: ['1.1 gateway'],
        'x-forwarded-for': ['198.51.100.7'],
        'x-forwarded-host': ['api.example.com:80'],
        'x-forwarded-proto': ['http'],
      },
    })
  })

  it('what its fields say', async () => {
    const seen = await echoed({
      http_method: 'patch',
      path: '/p',
      query_string: 'q=1',
      headers: { 'x-b': 'c' },
      body: { a: 1 },
    })
    expect(seen).to.include({ method: 'PATCH', url: '/p?q=1', body: '{"a":1}' })
    expect(seen.headers).to.deep.include({
      'x-b': ['c'],
      'content-type': ['application/json'],
      'content-length': ['7'],
    })
  })

  it('the method of the request where an expression names none', async () => {
    const computed = new Set(['http_method'])
    const seen = await echoed({ http_method: null }, { method: 'put', computed })
    expect(seen).to.include({ method: 'PUT' })
  })

  it('one clean request whatever framing the client claimed (161)', async () => {
    const headers = { 'content-length': '1', 'transfer-encoding': 'chunked', 'x-a': '1' }
    const seen = await echoed({ headers, body: 'abcdef' }, { method: 'post' })
    expect(seen.body).to.equal('"abcdef"')
    expect(seen.headers['content-length']).to.deep.equal(['8'])
    expect(seen.headers['transfer-encoding']).to.equal(undefined)
  })

  it('a text as it is when the headers name another type', async () => {
    const seen = await echoed({
      headers: { 'content-type': 'text/plain' },
      body: 'abc',
      http_method: 'post',
    })
    expect(seen.body).to.equal('abc')
  })

  it('chunks when the client sent chunks', async () => {
    const stream = Readable.from([Buffer.from('ab'), Buffer.from('cd')])
    const seen = await echoed({}, { method: 'post', rawBody: { stream, length: undefined } })
    expect(seen.body).to.equal('abcd')
    expect(seen.headers['transfer-encoding']).to.deep.equal(['chunked'])
  })

  it('no body where there is none, and an explicit length of 0 for POST', async () => {
    const seen = await echoed({}, { method: 'post' })
    expect(seen.body).to.equal('')
    expect(seen.headers['content-length']).to.deep.equal(['0'])
  })

  for (const isInflated of [false, true]) {
    const coding = isInflated ? undefined : ['gzip']
    it(`the bytes of a body that was read, content-encoding: ${coding ?? 'taken off'}`, async () => {
      const seen = await echoed(
        {},
        {
          method: 'post',
          rawBody: { bytes: Buffer.from('{ "b": [1.0] }'), isInflated },
          ...requestWith({
            headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
          }),
        },
      )
      expect(seen.body).to.equal('{ "b": [1.0] }')
      expect(seen.headers['content-encoding']).to.deep.equal(coding)
    })
  }

  for (const [what, fields, tracestate] of [
    ['of the client', {}, 'foo=1'],
    ['of the document', { headers: { traceparent: 'x', tracestate: 'bar=2' } }, 'foo=1'],
    ['of the client, and no tracestate', {}, undefined],
  ] as const) {
    it(`the trace context of the request in place of that ${what}`, async () => {
      const headers = {
        traceparent: `00-${'2'.repeat(32)}-${'3'.repeat(16)}-00`,
        tracestate: 'baz=3',
      }
      const context: TraceContext = {
        ...{ traceId: '4'.repeat(32), spanId: '5'.repeat(16) },
        ...{ isSampled: true, isRandom: true, tracestate },
      }
      const trace = {
        context,
        sampledId: undefined,
        attempt: () => undefined,
        over: () => undefined,
      }
      const seen = await echoed(fields, { ...requestWith({ headers }), trace })
      expect(seen.headers.traceparent).to.deep.equal([`00-${'4'.repeat(32)}-${'5'.repeat(16)}-03`])
      expect(seen.headers.tracestate).to.deep.equal(tracestate && [tracestate])
    })
  }

  it('the trace context of the client as it came where the request has none', async () => {
    const headers = { traceparent: 'whatever', tracestate: 'it says' }
    const seen = await echoed({}, requestWith({ headers }))
    expect(seen.headers).to.deep.include({ traceparent: ['whatever'], tracestate: ['it says'] })
  })

  for (const [title, fields, uri] of [
    [
      'a path to another host (167)',
      { path: '//evil.com/x' },
      'service.error.http_gateway.invalid_expression',
    ],
    [
      'an absolute URL as path (167)',
      { path: 'http://evil.com/x' },
      'service.error.http_gateway.invalid_expression',
    ],
    [
      'a path with CRLF (171)',
      { path: '/a\r\nX: y' },
      'service.error.http_gateway.invalid_expression',
    ],
    [
      'a header with CRLF',
      { headers: { a: 'b\r\nc: d' } },
      'service.error.http_gateway.invalid_expression',
    ],
    [
      'a method of its own',
      { http_method: 'CONNECT' },
      'service.error.http_gateway.invalid_expression',
    ],
    [
      'a map as text/plain',
      { headers: { 'content-type': 'text/plain' }, body: {} },
      'service.error.http_gateway.invalid_expression',
    ],
  ] as const) {
    it(`nothing for ${title}`, async () => {
      let count = 0
      const host = await upstream((_request, response) => {
        count += 1
        response.end()
      })
      const failure = await failureOf(perform({ host, ...fields }))
      expect(failure).to.have.property('uri', uri)
      expect(count).to.equal(0)
    })
  }
})
