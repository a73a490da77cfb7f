/** `errors: problem` of a document: the errors of the gateway as problem details (RFC 9457). */
import { expect } from 'chai'
import { errorOf, type Outcome } from '#component/action/action.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import { problemFaults } from '#test/support/problem-schema.ts'
import {
  type Ask,
  bodyOf,
  call,
  documentOf,
  FakeExchange,
  fixed,
  issuesOf,
  serve,
} from '#test/unit/gateway/fake-exchange.ts'

const id = '0195A2C3-4d5e-7f60-8a1b-2c3d4e5f6071'
const base = 'https://errors.example.com/'

/** Asks a document with one path whose errors are problems. */
async function ask(
  operation: object,
  {
    outcome,
    version = { problem_base: base },
    path = { errors: 'problem' },
    ...more
  }: Ask & {
    readonly outcome?: Outcome
    readonly version?: object
    readonly path?: object
  } = {},
): Promise<Reply> {
  const document = documentOf({ '/x': { ...path, post: operation } }, {}, version)
  const served = serve(document, outcome && (() => outcome))
  const exchange = Object.assign(new FakeExchange('POST /v1/x', { body: '{}', ...more }), { id })
  const reply = await served.handle(exchange)
  if (!reply) throw new Error('nothing is served')
  return reply
}

const typeOf = ({ body }: Reply): string | undefined =>
  body.kind === 'value' ? body.type : undefined
const problem = 'application/problem+json'
const instance = 'urn:uuid:0195a2c3-4d5e-7f60-8a1b-2c3d4e5f6071'

describe('errors: problem', () => {
  it('makes the errors of the gateway problems, with type, title, status, detail, instance and code', async () => {
    const reply = await ask(fixed(), { headers: { 'content-type': 'text/csv' } })
    expect([reply.status, typeOf(reply), reply.headers.vary]).to.deep.equal([
      ...[415, problem, 'Accept'],
    ])
    expect(bodyOf(reply)).to.deep.equal({
      type: `${base}service.error.unsupported_media_type`,
      title: 'The media type of the request is not accepted.',
      status: 415,
      detail: 'expected a body of type application/json or application/msgpack',
      instance,
      code: 'service.error.unsupported_media_type',
    })
  })

  it('has no type without problem_base, and no instance where the id of the request is no UUID', async () => {
    const document = documentOf({ '/x': { errors: 'problem', get: fixed() } })
    const reply = await serve(document).ask('PUT /v1/x')
    expect(bodyOf(reply)).to.have.all.keys('title', 'status', 'detail', 'code')
    expect(reply.headers.allow).to.equal('GET, HEAD, OPTIONS')
  })

  it('lists mistakes with their pointers as URI fragments', async () => {
    const properties = { 'a b': { type: 'integer' }, 'c/d': { type: 'integer' } }
    const request = { body: { type: 'object', properties } }
    const body = JSON.stringify({ 'a b': 'x', 'c/d': 'y' })
    const reply = await ask({ ...fixed(), request }, { body })
    const { errors, code } = bodyOf(reply) as {
      readonly errors: readonly { readonly pointer: string; readonly detail: string }[]
      readonly code: string
    }
    expect(code).to.equal('service.error.validation_failed')
    expect(errors.map(({ pointer }) => pointer)).to.deep.equal(['#/body/a%20b', '#/body/c~1d'])
    expect(errors[0]?.detail).to.be.a('string').and.not.equal('')
    expect(bodyOf(reply)).not.to.have.property('details')
  })

  it('makes an error of a callee a problem, with its args and kwargs', async () => {
    const kwargs = { message: 'there are none left', left: 0 }
    const error = { error_uri: 'com.example.error.no_stock', args: ['x'], kwargs, details: {} }
    const operation = { ...call(), status_codes: { [error.error_uri]: 409 } }
    const reply = await ask(operation, { outcome: { error } })
    expect([reply.status, typeOf(reply)]).to.deep.equal([409, problem])
    expect(bodyOf(reply)).to.deep.equal({
      type: `${base}com.example.error.no_stock`,
      title: 'com.example.error.no_stock',
      status: 409,
      detail: 'there are none left',
      instance,
      code: 'com.example.error.no_stock',
      args: ['x'],
      kwargs,
    })
  })

  it('has no detail where a callee sends no text, and escapes what may not stand in a URI', async () => {
    const error = { error_uri: 'com.exämple."x"/\ud800', args: [], kwargs: {}, details: {} }
    const told = bodyOf(await ask(call(), { outcome: { error } })) as Record<string, unknown>
    expect(told).not.to.have.property('detail')
    expect(told.type).to.equal(`${base}com.ex%C3%A4mple.%22x%22%2F%EF%BF%BD`)
    expect(problemFaults(told)).to.deep.equal([])
  })

  it('makes the failures of an action that the gateway finds problems without args and kwargs', async () => {
    const reason = 'the router did not respond in time'
    const outcome = { error: errorOf('service.error.timeout', reason), reason }
    expect(bodyOf(await ask(call(), { outcome }))).to.deep.equal({
      type: `${base}service.error.timeout`,
      title: 'The action was not finished in time.',
      status: 504,
      detail: reason,
      instance,
      code: 'service.error.timeout',
    })
  })

  it('makes a failed expression a problem', async () => {
    const reply = await ask(call({ args: ['{{request.body.none}}'] }))
    expect([reply.status, typeOf(reply)]).to.deep.equal([400, problem])
    expect(bodyOf(reply)).to.include({ code: 'service.error.http_gateway.invalid_request' })
  })

  it('leaves a body of on_error, its type and the answer of an upstream as they are', async () => {
    const error = { error_uri: 'com.example.gone', args: [], kwargs: {}, details: {} }
    const declared = call({}, {}, { body: { mine: true } })
    const reply = await ask(declared, { outcome: { error } })
    expect([bodyOf(reply), typeOf(reply)]).to.deep.equal([{ mine: true }, 'application/json'])
    const answer = {
      ...{ status_code: 404, headers: { 'content-type': 'text/plain' } },
      ...{ body: new TextEncoder().encode('gone'), length: 4 },
    }
    const forward = {
      action: { type: 'forward', host: 'http://backend.example' },
      response: { on_result: {}, on_error: {} },
    }
    const passed = await ask(forward, { outcome: { error, answer } })
    expect([passed.status, passed.headers['content-type']]).to.deep.equal([404, 'text/plain'])
  })

  it('drops a type that on_error or the path declares for its answers', async () => {
    const error = { error_uri: 'com.example.gone', args: [], kwargs: {}, details: {} }
    const headers = { 'Content-Type': 'text/csv', Vary: 'Origin', 'X-Kept': '1' }
    const reply = await ask(call({}, {}, { headers }), { outcome: { error } })
    expect(typeOf(reply)).to.equal(problem)
    expect(reply.headers).to.include({ 'x-kept': '1' }).and.not.have.property('content-type')
    expect(String(reply.headers.vary).split(', ')).to.include.members(['Origin', 'Accept'])
  })

  for (const [accept, type] of [
    ['*/*', problem],
    ['application/json, text/plain, */*', problem],
    ['application/json, */*;q=0.1', problem],
    ['application/problem+json', problem],
    ['application/json', 'application/json'],
    ['application/msgpack', 'application/msgpack'],
    ['application/problem+json;q=0, */*', 'application/json'],
    ['text/html', 'application/json'],
  ] as const) {
    it(`sends ${type} to a client that accepts ${accept}`, async () => {
      const error = { error_uri: 'com.example.gone', args: [], kwargs: {}, details: {} }
      const operation = call({}, {}, {})
      const path = { errors: 'problem', provides: ['application/json', 'application/msgpack'] }
      const refused = await ask(operation, { headers: { accept, 'content-type': 'x/y' }, path })
      expect(typeOf(refused)).to.equal(type)
      if (accept === 'text/html' || accept === 'application/problem+json') return
      const headers = { accept, 'content-type': 'application/json' }
      const failed = await ask(operation, { headers, path, outcome: { error } })
      expect(typeOf(failed)).to.equal(type)
      if (type !== problem) expect(bodyOf(failed)).to.deep.equal(error)
    })
  }

  it('is inherited, and plain takes it away', async () => {
    const path = { errors: 'plain', defaults: { errors: 'problem' } }
    const headers = { 'content-type': 'text/csv' }
    expect(typeOf(await ask(fixed(), { headers, path }))).to.equal('application/json')
  })

  it('leaves the endpoints of security as their standards have them', async () => {
    const served = serve(
      documentOf(
        { '/x': { security: { type: 'oauth2', flow: 'client_credentials' }, get: fixed() } },
        { defaults: { errors: 'problem' } },
      ),
    )
    const refused = await served.ask('GET /v1/oauth/token')
    expect([refused.status, typeOf(refused)]).to.deep.equal([405, 'application/json'])
  })

  for (const [errors, message] of [
    ['rfc9457', 'expected one of plain, problem, got "rfc9457"'],
    ['{{request.body}}', 'errors must be known when the specification is loaded'],
  ] as const) {
    it(`refuses ${errors}`, () => {
      const [issue] = issuesOf(documentOf({ '/x': { errors, get: fixed() } }))
      expect(issue?.path).to.equal('/versions/1.0/paths/~1x/errors')
      expect(issue?.message).to.include(message)
    })
  }
})
