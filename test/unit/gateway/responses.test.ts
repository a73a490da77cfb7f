/** What outcomes are answered (behaviour §4): status, body and headers, as declared or by default. */
import { expect } from 'chai'
import type { Outcome } from '#component/action/action.ts'
import { Encodings } from '#component/gateway/encodings.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import { initialStatusCodes } from '#component/spec/defaults.ts'
import { answer, bodyOf, call, documentOf, fixed, serve } from './fake-exchange.ts'

const failure = (error_uri: string): Outcome => ({
  error: { error_uri, args: [1], kwargs: { k: 2 }, details: {} },
})

describe('the status of a result', () => {
  const rows: readonly [title: string, method: string, operation: object, status: number][] = [
    ['as declared', 'get', call({}, { status_code: 203 }), 203],
    ['declared as text', 'get', call({}, { status_code: '203' }), 203],
    ['computed', 'get', call({}, { status_code: '{{action.result.request_id}}' }), 203],
    ['201 for a POST with uri', 'post', call({}, { uri: '/things/1', body: 'x' }), 201],
    [
      'the declared one for a POST with uri',
      'post',
      call({}, { uri: '/1', status_code: 202 }),
      202,
    ],
    ['200 for a POST with an empty uri', 'post', call({}, { uri: '', body: 1 }), 200],
    ['200 for a PUT with uri and body', 'put', call({}, { uri: '/things/1', body: 1 }), 200],
    ['204 for an empty POST', 'post', call(), 204],
    ['204 for an empty PUT', 'put', call({}, { body: '' }), 204],
    ['204 for an empty PATCH', 'patch', call(), 204],
    ['204 for an empty DELETE', 'delete', call(), 204],
    ['200 for an empty GET', 'get', call(), 200],
    ['200 for a null body', 'post', call({}, { body: null }), 200],
  ]
  for (const [title, method, operation, status] of rows) {
    it(`is ${title}`, async () => {
      const outcome = { result: { request_id: 203, args: [], kwargs: {}, details: {} } }
      expect((await answer(method, operation, outcome)).status).to.equal(status)
    })
  }

  it('has a Location when uri is declared', async () => {
    const uri = '"/things/{{action.result.args |> head}}"'
    const reply = await answer('post', call({}, { uri }), { result: { args: [5] } })
    expect(reply.headers.location).to.equal('/things/5')
  })

  const locations = [
    ['/a b', '/a%20b'],
    ['/Bücher/日本', '/B%C3%BCcher/%E6%97%A5%E6%9C%AC'],
    ['/a"<>\\^`{|}', '/a%22%3C%3E%5C%5E%60%7B%7C%7D'],
    ['/tab\tdel\u007f', '/tab%09del%7F'],
    ['https://a.example:80/b?c=d&e[]=1#f', 'https://a.example:80/b?c=d&e[]=1#f'],
    ["/-._~!$&'()*+,;=:@", "/-._~!$&'()*+,;=:@"],
    ['/caf%C3%A9/100%/%zz', '/caf%C3%A9/100%25/%25zz'],
  ] as const
  for (const [value, sent] of locations) {
    it(`has the Location ${sent} for a text that is not encoded, or only in part`, async () => {
      const computed = '{{action.result.text}}'
      const outcome = { result: { text: value } }
      const declared = [{ uri: computed }, { headers: { location: computed } }]
      const written = value.includes('{') ? [] : [{ uri: value }, { headers: { Location: value } }]
      for (const on_result of [...declared, ...written]) {
        const reply = await answer('get', call({}, on_result), outcome)
        expect(reply.headers.location, JSON.stringify(on_result)).to.equal(sent)
      }
    })
  }

  it('never has a Location with a line break', async () => {
    for (const text of ['/a\nb', '/a\r', '/\u0000', '/\ud800']) {
      for (const on_result of [
        { uri: '{{action.result.text}}' },
        { headers: { location: '{{action.result.text}}' } },
      ]) {
        const reply = await answer('get', call({}, on_result), { result: { text } })
        expect([reply.status, reply.headers.location]).to.deep.equal([500, undefined])
      }
    }
  })
})

describe('the status of an error', () => {
  for (const [error_uri, status] of Object.entries(initialStatusCodes)) {
    it(`is ${status} for ${error_uri}`, async () => {
      expect((await answer('get', call(), failure(error_uri))).status).to.equal(status)
    })
  }

  it('is 500 for any other', async () => {
    expect((await answer('get', call(), failure('com.example.odd'))).status).to.equal(500)
  })

  it('is as on_error declares', async () => {
    const operation = call({}, {}, { status_code: 418 })
    expect((await answer('get', operation, failure('wamp.error.canceled'))).status).to.equal(418)
  })

  it('is as the nearest status_codes say, for the status and for expressions', async () => {
    const seen = { body: '{{status_codes |> get({{action.error.error_uri}}, 500)}}' }
    const document = documentOf(
      {
        '/a': { get: call({}, {}, seen) },
        '/b': {
          status_codes: { 'com.x': 422, 'wamp.error.canceled': '499' },
          get: call({}, {}, seen),
        },
        '/c': { get: { ...call({}, {}, seen), status_codes: { 'com.x': '{{variables.code}}' } } },
      },
      { status_codes: { 'com.x': 409 }, variables: { code: 451 } },
    )
    const ask = async (path: string, error_uri: string) => {
      const reply = await serve(document, () => failure(error_uri)).ask(`GET /v1${path}`)
      expect(Number(bodyOf(reply))).to.equal(reply.status)
      return reply.status
    }
    expect(await ask('/a', 'com.x')).to.equal(409)
    expect(await ask('/b', 'com.x')).to.equal(422)
    expect(await ask('/b', 'wamp.error.canceled')).to.equal(499)
    expect(await ask('/c', 'com.x')).to.equal(451)
    expect(await ask('/c', 'wamp.error.no_such_procedure')).to.equal(501)
  })
})

describe('the body', () => {
  it('of an error without declaration is error_uri, args, kwargs and details', async () => {
    expect(bodyOf(await answer('get', call(), failure('com.x')))).to.deep.equal({
      error_uri: 'com.x',
      args: [1],
      kwargs: { k: 2 },
      details: {},
    })
  })

  it('of a result without declaration is empty', async () => {
    expect((await answer('get', call())).body.kind).to.equal('none')
  })

  it('of a static answer is its own, and its headers are', async () => {
    const operation = {
      action: { type: 'static', body: { a: 1 }, headers: { 'x-a': 1, 'x-b': 'action' } },
      response: { on_result: { headers: { 'x-b': 'result' } } },
    }
    const reply = await answer('get', operation)
    expect(bodyOf(reply)).to.deep.equal({ a: 1 })
    expect(reply.headers).to.include({ 'x-a': '1', 'x-b': 'result' })
  })

  it('that is a string is encoded, unless the declared type is another', async () => {
    const typed = (type: string) => fixed('text', { headers: { 'Content-Type': type } })
    expect((await answer('get', fixed('text'))).body).to.deep.include({
      kind: 'value',
      value: 'text',
      type: 'application/json',
    })
    expect((await answer('get', typed('text/plain'))).body).to.deep.equal({
      kind: 'bytes',
      bytes: 'text',
    })
    expect((await answer('get', typed('application/json; charset=utf-8'))).body).to.deep.include({
      kind: 'value',
      value: 'text',
      type: 'application/json; charset=utf-8',
    })
  })

  it('that is binary goes out as it is under a declared type that is neither JSON nor MessagePack', async () => {
    const bytes = Uint8Array.of(0, 1, 255)
    const body = async (type: string) => {
      const declared = { headers: { 'content-type': type }, body: '{{action.result.args |> head}}' }
      return (await answer('get', call({}, declared), { result: { args: [bytes] } })).body
    }
    expect(await body('image/png')).to.deep.equal({ kind: 'bytes', bytes })
    expect(await body('application/json')).to.include({ kind: 'value', value: bytes })
  })

  it('of a static answer that is null is null', async () => {
    const reply = await answer('post', { action: { type: 'static', body: null }, response: {} })
    expect(reply.status).to.equal(200)
    expect(reply.body).to.deep.include({ kind: 'value', value: null, type: 'application/json' })
  })

  it('is of the type that the client prefers among those provided', async () => {
    const served = serve(documentOf({ '/x': { get: fixed() } }))
    for (const [accept, type] of [
      ['application/msgpack', 'application/msgpack'],
      ['application/json;q=0.1, application/msgpack', 'application/msgpack'],
      ['*/*', 'application/json'],
    ] as const) {
      const { body } = await served.ask('GET /v1/x', { headers: { accept } })
      expect(body).to.include({ type })
    }
  })

  it('goes out for HEAD as for GET, for http to measure', async () => {
    const reply = await serve(documentOf({ '/x': { get: fixed('abc') } })).ask('HEAD /v1/x')
    expect(reply.status).to.equal(200)
    expect(bodyOf(reply)).to.equal('abc')
  })
})

describe('the encodings of a body', () => {
  const encodingsOf = ({ body }: Reply) => (body.kind === 'value' ? body.encodings : undefined)
  it('are kept where it is the same for every request', async () => {
    for (const operation of [fixed({ a: 1 }), call({}, { body: { a: 1 } })]) {
      expect(
        encodingsOf(await answer('get', operation)),
        JSON.stringify(operation),
      ).to.be.an.instanceOf(Encodings)
    }
  })

  it('are not where it waits for the request, or its type does', async () => {
    const waits = '{{request.query_string}}'
    for (const operation of [
      fixed({ a: waits }),
      call({}, { body: { a: waits } }),
      call({}, { body: { a: 1 }, headers: { 'content-type': waits } }),
    ]) {
      const reply = await answer('get', operation)
      expect(reply.body.kind).to.equal('value')
      expect(encodingsOf(reply), JSON.stringify(operation)).to.equal(undefined)
    }
  })
})
