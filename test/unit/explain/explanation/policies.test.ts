/** What explanations tell of rate limits and ETags: as for a request before which nothing was asked. */
import { expect } from 'chai'
import type { JsonMap } from '#component/syntax/values.ts'
import { documentOf, fixed } from '#test/unit/gateway/fake-exchange.ts'
import { explained } from './explained.ts'

const ada = { authid: 'ada' }
const secured = { security: { type: 'basic' } }

/** The explanation of `GET /v1/x`. */
const explain = (operation: object, request: object = {}, as: unknown = ada) =>
  explained({ request: { path: '/v1/x', ...request }, as } as JsonMap, [
    documentOf({ '/x': { get: operation } }),
  ])

describe('an explanation of a route with rate limits', () => {
  const rate_limit = [
    { name: 'user', amount: 10, window: 60, by: { staff: 30 } },
    { name: 'address', amount: 5, window: 1, per: 'address' },
  ]

  it('tells who shares each limit, the amount that holds, and where it is written: per address before security', async () => {
    const { checks } = await explain({ ...fixed('a'), ...secured, rate_limit })
    expect(checks.map(({ step }) => step)).to.deep.equal([
      ...['scheme', 'rate_limit', 'security', 'rate_limit', 'accept'],
    ])
    const at = '/versions/1.0/paths/~1x/get/rate_limit'
    expect(checks[1]).to.deep.equal({
      ...{ step: 'rate_limit', name: 'address', passed: true, amount: 5, window: 1 },
      ...{ shared_by: 'address 127.0.0.1', cost: 1, left: 4, at: `${at}/1` },
    })
    expect(checks[3]).to.deep.equal({
      ...{ step: 'rate_limit', name: 'user', passed: true, amount: 30, window: 60 },
      ...{ shared_by: 'user com.example.realm ada', cost: 1, left: 29, at: `${at}/0` },
    })
  })

  it('tells the fields that the client would see, however often it is asked', async () => {
    const limited = { ...fixed('a'), rate_limit: { amount: 1, window: 60 } }
    for (let count = 0; count < 3; count += 1) {
      const { response } = await explain(limited)
      expect(response?.status).to.equal(200)
      expect(response?.headers).to.include({ ratelimit: '"default";r=0;t=60' })
    }
  })

  it('tells what expressions make of who shares it and of its cost', async () => {
    const rate_limit = {
      ...{ amount: 10, window: 60, per: '{{request.headers.x-tenant}}' },
      cost: '{{request.query_params.n |> integer}}',
    }
    const request = { query_string: 'n=4', headers: { 'x-tenant': 'acme' } }
    const { checks } = await explain({ ...fixed('a'), rate_limit }, request)
    const told = checks.find(({ step }) => step === 'rate_limit')
    expect(told).to.include({ shared_by: 'value acme', cost: 4, left: 6 })
    const { problem } = await explain({ ...fixed('a'), rate_limit })
    expect(problem).to.include({ status: 400 })
  })

  it('tells a limit that only counts', async () => {
    const rate_limit = { amount: 1, window: 60, mode: 'log' }
    const { checks, response } = await explain({ ...fixed('a'), rate_limit })
    const told = checks.find(({ step }) => step === 'rate_limit')
    expect(told).to.include({ passed: true, mode: 'log', would_pass: true })
    expect(response?.headers).to.not.have.property('ratelimit')
  })

  it('hides a secret that a limit is shared by', async () => {
    const rate_limit = { amount: 1, window: 60, per: '{{request.headers.x-secret}}' }
    const request = { headers: { 'x-secret': 'a-secret-of-the-client' } }
    const told = await explain({ ...fixed('a'), rate_limit }, request)
    expect(JSON.stringify(told)).to.not.contain('a-secret-of-the-client')
    expect(told.checks.some(({ step }) => step === 'rate_limit')).to.equal(true)
  })
})

describe('an explanation of a route with ETags', () => {
  it('has the ETag, and 304 for a client that has the answer', async () => {
    const tagged = { ...fixed({ a: '{{request.path}}' }), etag: true }
    const { response: first } = await explain(tagged)
    expect(first).to.deep.include({ status: 200, body: { a: '/v1/x' } })
    const etag = String(first?.headers.etag)
    expect(etag).to.match(/^"[\w-]{22}"$/)
    const { response } = await explain(tagged, { headers: { 'if-none-match': etag } })
    expect(response).to.deep.include({ status: 304, body: '' })
    expect(response?.from).to.deep.equal({
      ...{ status: 'rule: the client has the ETag', body: 'rule: no content' },
    })
  })
})

describe('an explanation of a route with idempotency', () => {
  it('tells the rule, and where it is written', async () => {
    const { rules } = await explain({ ...fixed('a'), idempotency: { ttl: 60 } })
    expect(rules?.idempotency).to.deep.equal({
      value: { required: false, ttl: 60, on_unknown: 'refuse', max_bytes: 262_144 },
      at: '/versions/1.0/paths/~1x/get/idempotency',
    })
  })
})

describe('an explanation of a route with compress', () => {
  const text = 'a text that is long enough to be compressed '.repeat(40)
  const compressed = { ...fixed(text), compress: true, etag: true }
  const told = async (headers: object, operation: object = compressed) => {
    const { checks, response } = await explain(operation, { headers })
    return { check: checks.find(({ step }) => step === 'compress'), response }
  }

  it('tells the coding, the fields of the answer, and the body without its coding', async () => {
    const { check, response } = await told({ 'accept-encoding': 'gzip' })
    expect(check).to.deep.equal({ step: 'compress', passed: true, coding: 'gzip' })
    expect(response).to.deep.include({ status: 200, body: text })
    expect(response?.headers).to.include({ 'content-encoding': 'gzip' })
    expect(response?.headers.etag).to.match(/--gzip"$/)
  })

  it('tells why there is none', async () => {
    const gzip = { 'accept-encoding': 'gzip' }
    const cases: readonly (readonly [headers: object, why: string, operation?: object])[] = [
      [{}, 'not_accepted'],
      [{ 'accept-encoding': 'gzip;q=0' }, 'not_accepted'],
      [{ ...gzip, cookie: 'a=b' }, 'credentials'],
      [{ ...gzip, range: 'bytes=0-1' }, 'range'],
      [{ ...gzip, 'cache-control': 'no-transform' }, 'no_transform'],
      [gzip, 'size', { ...fixed('short'), compress: true }],
      [gzip, 'type', { ...compressed, compress: { types: ['text/*'] } }],
    ]
    for (const [headers, why, operation] of cases) {
      const { check, response } = await told(headers, operation)
      expect(check, why).to.deep.equal({ step: 'compress', passed: true, why })
      expect(response?.headers).not.to.have.property('content-encoding')
    }
  })
})
