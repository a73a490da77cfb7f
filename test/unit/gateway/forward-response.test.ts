/** What a forward is answered: the upstream's answer as it came, or what the document declares instead. */
import { Readable } from 'node:stream'
import { expect } from 'chai'
import { answer, bodyOf, documentOf, serve } from './fake-exchange.ts'

describe('a forward', () => {
  const operation = (response: object = {}) => ({
    action: { type: 'forward', host: 'upstream.example', path: '/' },
    response,
  })
  const upstream = (status_code: number, body: Uint8Array | Readable, more: object = {}) => {
    const headers = { 'content-type': 'text/x', etag: '"1"', 'x-up': 'u', ...more }
    const answer = { status_code, headers, body, length: undefined }
    const shown = { status_code, headers, body: 'decoded', uri: 'http://upstream.example/' }
    return status_code < 400
      ? { result: shown, answer }
      : { error: { ...shown, error_uri: 'com.up', args: [], kwargs: {}, details: {} }, answer }
  }

  it('passes status, headers and stream on', async () => {
    const stream = Readable.from(['x'])
    const reply = await answer('get', operation(), upstream(206, stream))
    expect(reply.status).to.equal(206)
    expect(reply.headers).to.include({ 'content-type': 'text/x', 'x-up': 'u', etag: '"1"' })
    expect(reply.body).to.deep.equal({ kind: 'stream', stream, length: undefined })
  })

  it('passes an error on with its status and body', async () => {
    const bytes = new Uint8Array([1])
    const reply = await answer('get', operation(), upstream(404, bytes))
    expect([reply.status, reply.body]).to.deep.equal([404, { kind: 'bytes', bytes }])
  })

  it('gives an upstream error the status that the specification says', async () => {
    const stream = Readable.from(['x'])
    const response = { on_error: { status_code: 502, body: { no: true } } }
    const reply = await answer('get', operation(response), upstream(404, stream))
    expect([reply.status, bodyOf(reply)]).to.deep.equal([502, { no: true }])
    expect(stream.destroyed).to.equal(true)
  })

  it('lays the path’s and on_result’s headers over the upstream’s', async () => {
    const on_result = { headers: { 'x-up': 'mine' } }
    const reply = await answer('get', operation({ on_result }), upstream(200, new Uint8Array()))
    expect(reply.headers).to.include({ 'x-up': 'mine', etag: '"1"' })
  })

  it('keeps the upstream’s variant, and what is declared adds to what it varies by', async () => {
    const more = { vary: 'Cookie', 'content-language': 'fr' }
    const outcome = upstream(200, new Uint8Array(), more)
    const plain = await answer('get', operation(), outcome)
    expect(plain.headers).to.include(more)
    const declared = operation({ on_result: { headers: { vary: 'Origin' } } })
    const { headers } = await answer('get', declared, outcome)
    expect(headers).to.include({ vary: 'Cookie, Origin', 'content-language': 'fr' })
    const again = operation({ on_result: { headers: { vary: 'cookie, Origin' } } })
    expect((await answer('get', again, outcome)).headers).to.include({ vary: 'Cookie, Origin' })
  })

  it('with a body of its own drops what described the upstream’s', async () => {
    const response = { on_result: { body: { mine: '{{action.result.status_code}}' } } }
    const reply = await answer('get', operation(response), upstream(200, Readable.from(['x'])))
    expect(reply.headers).to.have.property('x-up', 'u')
    expect(reply.headers).to.not.have.any.keys('etag', 'content-type')
    expect(reply.body).to.deep.equal({
      kind: 'value',
      value: { mine: 200 },
      type: 'application/json',
    })
  })

  it('reads the upstream’s body only for an expression that does', async () => {
    const reads = async (body: unknown) => {
      const document = documentOf({ '/x': { get: operation({ on_result: { body } }) } })
      const served = serve(document, () => upstream(200, new Uint8Array()))
      await served.ask('GET /v1/x')
      return served.performed[0]?.run.readsBody
    }
    expect(await reads('{{action.result.body}}')).to.equal(true)
    expect(await reads('{{action.result}}')).to.equal(true)
    expect(await reads('{{action.result.status_code}}')).to.equal(false)
    expect(await reads('fixed')).to.equal(false)
  })

  it('destroys the stream of an answer that cannot be rendered', async () => {
    const stream = Readable.from(['x'])
    const response = { on_result: { body: '{{action.result.missing}}' } }
    const reply = await answer('get', operation(response), upstream(200, stream))
    expect([reply.status, stream.destroyed]).to.deep.equal([500, true])
  })

  it('tells the length of a body that a HEAD does not have', async () => {
    const outcome = upstream(200, new Uint8Array())
    const served = serve(documentOf({ '/x': { get: operation() } }), () => ({
      ...outcome,
      answer: { ...outcome.answer, length: 12 },
    }))
    expect((await served.ask('HEAD /v1/x')).body).to.include({ kind: 'stream', length: 12 })
  })

  for (const [what, response, status_code, expected] of [
    ['a body of the document', { on_result: { body: 'whole' } }, 206, 200],
    ['a computed body', { on_result: { body: '{{action.result.body}}' } }, 206, 200],
    ['a status of the document', { on_result: { status_code: 206, body: 'whole' } }, 200, 200],
    [
      'a computed status',
      { on_result: { status_code: '{{action.result.status_code}}', body: 'whole' } },
      206,
      200,
    ],
    ['an error', { on_error: { status_code: 206, body: 'whole' } }, 404, 200],
    ['the body of the upstream', {}, 206, 206],
    ['the body of the upstream under a status', { on_result: { status_code: 206 } }, 206, 206],
  ] as const) {
    it(`is answered with ${expected} where a part meets ${what}`, async () => {
      const outcome = upstream(status_code, new Uint8Array([1]))
      expect((await answer('get', operation(response), outcome)).status).to.equal(expected)
    })
  }

  describe('to an upstream of more languages', () => {
    const languages = ['en', 'de']
    const languageOf = async (response: object, more: object = {}, status = 200) => {
      const document = documentOf({ '/x': { get: operation(response) } }, {}, { languages })
      const served = serve(document, () => upstream(status, new Uint8Array([1]), more))
      const { headers } = await served.ask('GET /v1/x', { headers: { 'accept-language': 'de' } })
      return headers['content-language']
    }

    for (const [what, response, more, status, language] of [
      ['no language of its own', {}, {}, 200, undefined],
      ['its language', {}, { 'content-language': 'fr' }, 200, 'fr'],
      ['no language of its error', {}, {}, 404, undefined],
      [
        'that of a declared header',
        { on_result: { headers: { 'Content-Language': 'it' } } },
        {},
        200,
        'it',
      ],
      ['that of the gateway for a declared body', { on_result: { body: 'x' } }, {}, 200, 'de'],
      [
        'that of the gateway for a declared body of an error',
        { on_error: { body: 'x' } },
        {},
        404,
        'de',
      ],
    ] as const) {
      it(`passes ${what} on`, async () => {
        expect(await languageOf(response, more, status)).to.equal(language)
      })
    }
  })
})
