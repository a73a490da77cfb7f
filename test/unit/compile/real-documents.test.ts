/** The real documents of this family of gateways: each loads unchanged, and each of its routes answers as declared. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { bodyOf, FakeExchange, serve } from '#test/unit/gateway/fake-exchange.ts'

const folder = join(import.meta.dirname, '..', '..', 'cases', 'specs')
const read = (name: string): Record<string, unknown> =>
  JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8'))

const result = { uri: 'com.made', given: true }
const succeed = () => ({
  result: Object.defineProperties(
    { request_id: 7, details: { d: 1 }, args: [result], kwargs: { k: 2 } },
    { arguments: { value: [result] }, arguments_kw: { value: { k: 2 } } },
  ),
})
const fail = (error_uri: string) => () => {
  const kwargs = { message: 'no' }
  const error = { error_uri, args: ['bad'], kwargs, details: {} }
  return { error: Object.defineProperties(error, { arguments_kw: { value: kwargs } }) }
}

/** Any request that the expressions of these documents are content with. */
const body = JSON.stringify({
  procedure: 'com.example.echo',
  topic: 'com.example.topic',
  options: { disclose_me: true },
  args: [1],
  kwargs: { a: 2 },
  username: 'ann',
  new_password: 'secret',
})

/** Every operation of every document. */
const operations = [
  'admin_2019',
  'call_and_publish',
  'call_timeout',
  'example_2021',
  'orders_oauth2',
  'services_call_oidc',
  'simple',
  'static_ping_oidc',
].flatMap((name) => {
  const { api } = serve(read(name))
  return api.entries.flatMap(({ pattern, host, routes }) =>
    Object.entries(routes).flatMap(([method, operation]) => {
      if (operation.kind !== undefined) return []
      const path = pattern.replaceAll('[', '').replaceAll(']', '').replaceAll(/:\w+/g, '5')
      const hasBody = ['post', 'put', 'patch'].includes(method)
      const ask = {
        host: host === '_' ? 'localhost' : host.replace('[www.]', 'www.'),
        scheme: operation.inherited.admitsHttp ? ('http' as const) : ('https' as const),
        ...(hasBody && { body }),
      }
      return { name, method, path, ask, operation, line: `${method.toUpperCase()} ${path}` }
    }),
  )
})

describe('the real documents', () => {
  it('have routes', () => {
    expect(operations.length).to.be.greaterThan(60)
  })

  for (const { name, line, ask, operation } of operations) {
    const isSecured = operation.inherited.protection !== undefined && !line.startsWith('OPTIONS')
    if (isSecured) {
      it(`${name}: ${line} is 401 with a challenge`, async () => {
        const reply = await serve(read(name), succeed).ask(line, ask)
        expect(reply.status).to.equal(401)
        expect(reply.headers['www-authenticate']).to.match(/^Bearer realm="com\./)
      })
      continue
    }
    if (operation.action.type === 'none') {
      it(`${name}: ${line} is 200 without a body, with Allow and the path's headers`, async () => {
        const reply = await serve(read(name), succeed).ask(line, ask)
        expect(reply.status).to.equal(200)
        expect(reply.body.kind).to.equal('none')
        expect(reply.headers).to.have.property('allow')
        expect(reply.headers).to.have.property('access-control-allow-origin', '*')
      })
      continue
    }
    it(`${name}: ${line} answers the result as declared`, async () => {
      const reply = await serve(read(name), succeed).ask(line, ask)
      expect(reply.error).to.equal(undefined)
      expect(reply.status).to.be.oneOf([200, 201, 204])
      if (name === 'admin_2019' && !line.endsWith('/info')) {
        expect(bodyOf(reply)).to.deep.equal(result)
      }
    })
    it(`${name}: ${line} answers an error as declared`, async () => {
      const reply = await serve(read(name), fail('service.error.not_found')).ask(line, ask)
      expect(reply.status).to.equal(404)
      if (name === 'admin_2019') {
        expect(bodyOf(reply)).to.deep.equal({ message: 'no', code: 'service.error.not_found' })
      }
    })
  }

  it('admin_2019: a created realm has its Location', async () => {
    const reply = await serve(read('admin_2019'), succeed).ask('POST /v1.0/realms', { body })
    expect(reply.status).to.equal(201)
    expect(reply.headers.location).to.equal('/v1.0/realms/com.made')
  })

  it('admin_2019: /api_specs/:id/info shows the chosen keys', async () => {
    const made = serve(read('admin_2019'), () => ({
      result: { args: [], kwargs: {}, arguments: [{ id: 1, name: 2, host: 3, versions: 4 }] },
    }))
    expect(bodyOf(await made.ask('GET /api_specs/x/info'))).to.deep.equal({
      id: 1,
      name: 2,
      host: 3,
    })
  })

  it('admin_2019: a text in a binding becomes an integer, or the request fails', async () => {
    const made = serve(read('admin_2019'), succeed)
    await made.ask('GET /realms/r/registrations/12')
    expect(made.performed[0]?.fields.arguments).to.deep.equal(['r', 12])
    const reply = await made.ask('GET /realms/r/registrations/twelve')
    expect(reply.status).to.equal(400)
    expect(reply.error?.uri).to.equal('service.error.http_gateway.invalid_request')
  })

  it('example_2021: procedure, options, args and kwargs come from the body', async () => {
    const made = serve(read('example_2021'), succeed)
    const reply = await made.ask('POST /services/call', { body })
    expect(made.performed[0]?.fields).to.deep.equal({
      procedure: 'com.example.echo',
      options: { disclose_me: true },
      args: [1],
      kwargs: { a: 2 },
    })
    expect([...(made.performed[0]?.run.computed ?? [])]).to.include('procedure')
    expect(made.performed[0]?.run.attempts).to.deep.equal({
      timeout: 20_000,
      connect_timeout: 5000,
      retries: 0,
      retry_timeout: 5000,
    })
    expect(bodyOf(reply)).to.deep.equal({ args: [result], kwargs: { k: 2 }, details: { d: 1 } })
  })

  it('call_and_publish: no_such_procedure is 404 there, not 501', async () => {
    const made = serve(read('call_and_publish'), fail('wamp.error.no_such_procedure'))
    expect((await made.ask('POST /longpoll-test/call', { body })).status).to.equal(404)
  })

  it('simple: the lowest variable and the lowest default win', async () => {
    const made = serve(read('simple'), succeed)
    const ask = { host: 'myapi.com' }
    await made.ask('GET /v1.0/agents', ask)
    expect(made.performed[0]?.fields.args).to.deep.equal([200])
    expect(made.performed[0]?.run.attempts.timeout).to.equal(20_000)
    const things = made.api.entries.find(({ pattern }) => pattern === '/v1.0/things')
    const get = things?.routes.get
    if (get?.kind !== undefined) throw new Error('the route is generated')
    expect(get?.inherited.attempts.fixed.timeout).to.equal(30_000)
    expect(get?.inherited.protection?.object.token_path).to.equal('/auth/token')
  })

  it('static_ping_oidc: plain http is 403', async () => {
    const made = serve(read('static_ping_oidc'))
    const reply = await made.handle(new FakeExchange('GET /api/ping'))
    expect(reply?.status).to.equal(403)
    expect(reply?.error?.uri).to.equal('wamp.error.not_authorized')
  })
})
