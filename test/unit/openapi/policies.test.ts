/** What a description says of rate limits and ETags. */
import { expect } from 'chai'
import { withoutInternals } from '#component/openapi/public-view.ts'
import { call, documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'
import { describeDocument, operationOf, type Seen } from './describe.ts'

const limit = { name: 'burst', amount: 20, window: 1 }
const header = (name: string) => ({ [name]: { $ref: `#/components/headers/${name}` } })
const told = { ...header('RateLimit-Policy'), ...header('RateLimit') }

/** The answers of an operation, and the shared parts of its document. */
function described(operation: object, method = 'get'): { responses: Seen; components: Seen } {
  const document = documentOf({ '/x': { [method]: operation } })
  const { paths, components } = describeDocument(document)
  return { responses: paths['/x'][method].responses, components }
}

describe('a rate limit in a description', () => {
  it('is told in the fields of answers that are no errors, and refuses with 429', () => {
    const { responses, components } = described({ ...fixed('a'), rate_limit: limit })
    expect(Object.keys(responses)).to.deep.equal(['200', '406', '429'])
    expect(responses['200'].headers).to.deep.equal(told)
    expect(responses['429']).to.deep.equal({
      $ref: '#/components/responses/Limited',
      description: 'Too Many Requests',
    })
    expect(components.responses.Limited.headers).to.deep.equal({
      ...header('Retry-After'),
      ...told,
    })
    expect(components.responses.Limited.content).to.deep.equal(components.responses.Error.content)
    expect(Object.keys(components.headers)).to.deep.equal([
      ...['RateLimit-Policy', 'RateLimit', 'Retry-After'],
    ])
    expect(components.headers['Retry-After'].schema).to.deep.equal({ type: 'integer' })
  })

  it('without fields has Retry-After alone', () => {
    const operation = { ...fixed('a'), rate_limit: { ...limit, headers: false } }
    const { responses, components } = described(operation)
    expect(responses['200']).not.to.have.property('headers')
    expect(components.responses.Limited.headers).to.deep.equal(header('Retry-After'))
  })

  it('that only counts, or is taken away, is not told', () => {
    for (const rate_limit of [{ ...limit, mode: 'log' }, null]) {
      const { responses, components } = described({ ...fixed('a'), rate_limit })
      expect(responses).to.deep.equal(described(fixed('a')).responses)
      expect(components).not.to.have.property('headers')
    }
  })

  it('leaves the schema of an action that fails with 429, too', () => {
    const schema = { type: 'object', title: 'Mine' }
    const failing = call({}, {}, { status_code: 429, body: 'a', schema })
    const { responses } = described({ ...failing, rate_limit: limit })
    expect(responses['429'].headers).to.deep.equal({ ...header('Retry-After'), ...told })
    expect(responses['429'].content['application/json'].schema).to.deep.equal({
      anyOf: [schema, { $ref: '#/components/schemas/Error' }],
    })
  })

  it('keeps its fields where the author says more of 429', () => {
    const responses = { '429': { description: 'Slow down.', headers: { 'X-A': {} } } }
    const seen = described({ ...fixed('a'), rate_limit: limit, responses }).responses['429']
    expect(seen.description).to.equal('Slow down.')
    expect(seen.headers).to.deep.equal({
      ...{ ...header('Retry-After'), ...told },
      'X-A': { schema: { type: 'string' } },
    })
  })

  it('has the header that its expression reads as a parameter, and 400 where that does not fit', () => {
    const rate_limit = { ...limit, per: '{{request.headers.x-tenant}}' }
    const seen = operationOf({ ...fixed('a'), rate_limit })
    expect(seen.parameters).to.deep.equal([
      { name: 'x-tenant', in: 'header', schema: { type: 'string' } },
    ])
    expect(seen.responses).to.include.keys('400', '500')
  })

  it('of many operations is described once', () => {
    const operation = { ...call(), rate_limit: limit }
    const paths = { '/a': { get: operation }, '/b': { get: operation, post: operation } }
    const { components } = describeDocument(documentOf(paths))
    expect(Object.keys(components.responses)).to.deep.equal(['Error', 'ActionError', 'Limited'])
    expect(Object.keys(components.headers)).to.have.lengthOf(3)
  })

  it('is told to the public without the parts of hidden operations', () => {
    const hidden = { ...fixed('b'), etag: true, hidden: true }
    const paths = { '/x': { get: { ...fixed('a'), rate_limit: limit } }, '/y': { get: hidden } }
    const all = describeDocument(documentOf(paths), { isInternal: true })
    expect(all.components.headers).to.include.keys('ETag')
    const { components } = withoutInternals(all) as Seen
    expect(Object.keys(components.headers)).to.deep.equal([
      ...['RateLimit-Policy', 'RateLimit', 'Retry-After'],
    ])
  })
})

describe('an ETag in a description', () => {
  const tagged = { ...fixed('a'), etag: true }

  it('is a header of 200 and 304, and a parameter asks for what has changed', () => {
    const seen = operationOf(tagged)
    expect(seen.responses['200'].headers).to.deep.equal(header('ETag'))
    expect(seen.responses['304']).to.deep.equal({
      ...{ description: 'Not Modified', headers: header('ETag') },
    })
    expect(seen.parameters).to.deep.equal([
      { name: 'if-none-match', in: 'header', schema: { type: 'string' } },
    ])
  })

  it('stands beside the fields of a limit in 304', () => {
    const { responses } = described({ ...tagged, rate_limit: limit })
    expect(responses['304'].headers).to.deep.equal({ ...header('ETag'), ...told })
  })

  it('is no part of answers to POST, of other statuses, and of streams of events', () => {
    expect(described(tagged, 'post').responses).not.to.include.keys('304')
    const created = { ...fixed('a', { status_code: 203 }), etag: true }
    expect(described(created).responses).not.to.include.keys('304')
    const action = { type: 'wamp_subscribe', topic: 'com.example.t' }
    const stream = { action, response: { on_event: {}, on_error: {} }, etag: true }
    expect(described(stream).responses).not.to.include.keys('304')
  })

  it('that the document declares is told once', () => {
    const declared = { ...fixed('a', { headers: { etag: '"1"' } }), etag: true }
    const { headers } = described(declared).responses['200']
    expect(Object.keys(headers).filter((name) => name.toLowerCase() === 'etag')).to.have.lengthOf(1)
  })
})

describe('a cache in a description', () => {
  const cached = { ...call(), cache: { ttl: 60, statuses: [200, 404] } }
  const told = { ...header('Age'), ...header('Cache-Status') }

  it('is told by the answers that it keeps, and may have none for only-if-cached', () => {
    const { responses } = described({ ...fixed('a'), cache: { ttl: 60 } })
    expect(responses['200'].headers).to.deep.equal(told)
    expect(responses['504'].$ref).to.equal('#/components/responses/Error')
    const missing = described(cached).responses['404']
    expect(missing).to.not.have.property('$ref')
    expect(missing.headers).to.deep.equal(told)
    const tagged = described({ ...cached, etag: true }).responses
    expect(tagged['304'].headers).to.deep.equal({ ...header('ETag'), ...told })
  })

  it('is no part of other methods', () => {
    const post = described(cached, 'post')
    expect(JSON.stringify(post)).to.not.include('Cache-Status')
  })
})

describe('a circuit breaker in a description', () => {
  const guarded = { ...call(), circuit_breaker: {} }

  it('refuses with Retry-After, in the body of an action that fails', () => {
    const refused = described(guarded).responses['503']
    expect(refused.headers).to.deep.equal(header('Retry-After'))
    expect(refused.description).to.equal('Service Unavailable')
    expect(refused.content['application/json'].schema.anyOf).to.have.lengthOf(2)
  })

  it('refuses with the status of on_error, or of status_codes', () => {
    const declared = { ...call({}, {}, { status_code: 502 }), circuit_breaker: {} }
    expect(described(declared).responses['502'].headers).to.deep.equal(header('Retry-After'))
    const status_codes = { 'service.error.circuit_open': 429 }
    const mapped = described({ ...guarded, status_codes }).responses
    expect(mapped['429'].headers).to.deep.equal(header('Retry-After'))
  })

  it('is no part of operations without an upstream or a procedure', () => {
    const { responses } = described({ ...fixed('a'), circuit_breaker: {} })
    expect(responses).to.deep.equal(described(fixed('a')).responses)
  })
})
