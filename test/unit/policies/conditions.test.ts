/** `etag` of a document: which answers have an ETag, and which requests are answered with 304. */
import { hash } from 'node:crypto'
import { expect } from 'chai'
import { Conditions, type Encode } from '#component/policies/etag/conditions.ts'
import { encodeBody } from '#http/codec.ts'
import { call, documentOf, fixed, issuesOf, serve } from '#test/unit/gateway/fake-exchange.ts'
import { policyPorts } from './policy-ports.ts'

function tagged(operation: object, encode: Encode = encodeBody, path: object = { etag: true }) {
  const document = documentOf({ '/x': { ...path, get: operation } })
  const result = { args: [{ total: 7 }], kwargs: {}, details: {}, request_id: 1 }
  return serve(
    document,
    () => ({ result }),
    undefined,
    undefined,
    '*',
    undefined,
    policyPorts({ conditions: new Conditions(encode) }),
  )
}

const computed = call({}, { body: '{{action.result.args |> head}}' })

/** Asks for an answer, and then for it again with a field made of its ETag. */
async function again(served: ReturnType<typeof serve>, field: (etag: string) => string) {
  const { headers } = await served.ask('GET /v1/x')
  const asked = field(String(headers.etag))
  return served.ask('GET /v1/x', { headers: { 'if-none-match': asked } })
}

describe('etag', () => {
  it('gives a computed answer 132 bits of the SHA-256 of its bytes, which are encoded once', async () => {
    let encoded = 0
    const served = tagged(computed, (value, type) => {
      encoded += 1
      return encodeBody(value, type)
    })
    const { headers, body } = await served.ask('GET /v1/x')
    // printf '{"total":7}' | openssl dgst -sha256 -binary | base64url | head -c 22
    expect(headers.etag).to.equal('"MOx2tynYCJ5RmJ4ZcOaKbe"')
    expect(headers['content-type']).to.equal('application/json')
    expect(body).to.deep.equal({ kind: 'bytes', bytes: '{"total":7}' })
    expect(encoded).to.equal(1)
  })

  it('encodes and digests a fixed answer once for each media type', async () => {
    const types: string[] = []
    const served = tagged(fixed({ total: 7 }), (value, type) => {
      types.push(type)
      return encodeBody(value, type)
    })
    const ask = async (accept: string) =>
      (await served.ask('GET /v1/x', { headers: { accept } })).headers.etag
    const [json, msgpack] = ['application/json', 'application/msgpack']
    const tags = [await ask(json), await ask(msgpack), await ask(json), await ask(msgpack)]
    expect(new Set(tags).size).to.equal(2)
    expect([tags[2], tags[3]]).to.deep.equal([tags[0], tags[1]])
    expect(types).to.deep.equal([json, msgpack])
  })

  it('follows what is computed: an answer as the one before has its ETag, another one another', async () => {
    const texts = ['a', 'a', 'b', 'a', 'b'.repeat(20_000), 'a']
    const document = documentOf({ '/x': { etag: true, get: computed } })
    let asked = 0
    const served = serve(
      document,
      () => ({ result: { args: [texts[asked++]], kwargs: {}, details: {}, request_id: 1 } }),
      undefined,
      undefined,
      '*',
      undefined,
      policyPorts({ conditions: new Conditions(encodeBody) }),
    )
    const tags: unknown[] = []
    for (const text of texts) {
      const { headers, body } = await served.ask('GET /v1/x')
      expect(body).to.deep.equal({ kind: 'bytes', bytes: JSON.stringify(text) })
      const digest = hash('sha256', JSON.stringify(text), 'base64url').slice(0, 22)
      expect(headers.etag).to.equal(`"${digest}"`)
      tags.push(headers.etag)
    }
    expect(new Set(tags).size).to.equal(3)
  })

  it('gives HEAD the ETag of GET', async () => {
    const served = tagged(computed)
    const [get, head] = [await served.ask('GET /v1/x'), await served.ask('HEAD /v1/x')]
    expect(head.headers.etag).to.be.a('string')
    expect(head.headers.etag).to.equal(get.headers.etag)
  })

  for (const [field, status] of [
    [(etag: string) => etag, 304],
    [(etag: string) => `W/${etag}`, 304],
    [() => '*', 304],
    [(etag: string) => `"a", W/"b,c" ,${etag}`, 304],
    [(etag: string) => `, ${etag},`, 304],
    [() => '"other"', 200],
    [(etag: string) => `"a${etag.slice(1)}`, 200],
    [(etag: string) => etag.slice(1, -1), 200],
    [(etag: string) => `unquoted, ${etag}`, 200],
    [(etag: string) => `"a" ${etag}`, 200],
    [() => '', 200],
  ] as const) {
    it(`answers ${field('"ETAG"') || 'an empty field'} with ${status}`, async () => {
      expect((await again(tagged(computed), field)).status).to.equal(status)
    })
  }

  it('repeats in a 304 what RFC 9110 §15.4.5 lists and CORS needs, without a body', async () => {
    const headers = { 'Cache-Control': 'max-age=5', 'X-Own': 'a', Vary: 'X-Own' }
    const reply = await again(tagged(call({}, { body: 'a', headers })), (etag) => etag)
    expect(reply.body).to.deep.equal({ kind: 'none' })
    expect(Object.keys(reply.headers).sort()).to.deep.equal([
      'access-control-allow-origin',
      'cache-control',
      'etag',
      'vary',
    ])
    expect(reply.headers).to.include({ 'cache-control': 'max-age=5' })
  })

  it('keeps an ETag that the document declares', async () => {
    const served = tagged(call({}, { body: 'a', headers: { ETag: '"v7"' } }))
    expect((await served.ask('GET /v1/x')).headers.etag).to.equal('"v7"')
    expect((await again(served, () => '"v7"')).status).to.equal(304)
  })

  it('gives none to errors, other statuses and bodies over 1 MiB', async () => {
    for (const on_result of [
      { body: 'a', status_code: 202 },
      { body: '{{action.result.args |> get(9)}}' },
      { body: 'a'.repeat(1_048_575) },
    ]) {
      const served = tagged(call({}, on_result))
      const { headers } = await served.ask('GET /v1/x', { headers: { 'if-none-match': '*' } })
      expect(headers).not.to.have.property('etag')
    }
  })

  it('leaves other methods and routes without it alone', async () => {
    const post = documentOf({ '/x': { etag: true, post: computed } })
    expect((await serve(post).ask('POST /v1/x')).headers).not.to.have.property('etag')
    const without = tagged(computed, encodeBody, {})
    const reply = await without.ask('GET /v1/x', { headers: { 'if-none-match': '*' } })
    expect(reply.status).to.equal(200)
    expect(reply.headers).not.to.have.property('etag')
  })

  it('must be true or false, known at load', () => {
    const at = (etag: unknown) =>
      issuesOf(documentOf({ '/x': { etag, get: fixed() } })).map(({ path }) => path)
    expect(at('yes')).to.deep.equal(['/versions/1.0/paths/~1x/etag'])
    expect(at('{{request.headers.x}}')).to.deep.equal(['/versions/1.0/paths/~1x/etag'])
    expect(at(false)).to.deep.equal([])
  })
})
