/** Procedures that documents register: WAMP callers are answered by HTTP services, by fixed answers and by other callees. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import {
  type Answered,
  type Caller,
  documentOf,
  openCaller,
  openService,
  realm,
  type Service,
} from './procedures.setup.ts'

describe('a procedure of a document', () => {
  let gateway: TestGateway
  let service: Service
  let caller: Caller

  before(async () => {
    service = await openService((request, response, body) => {
      const { pathname, search } = new URL(request.url ?? '', 'http://x')
      const status = Number(/^\/status\/(\d+)$/.exec(pathname)?.[1] ?? 200)
      if (pathname === '/text') {
        response.writeHead(200, { 'content-type': 'text/plain' }).end('plain')
        return
      }
      const { method, headers } = request
      const told = { method, path: pathname, search, headers, body: body.toString() }
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(told))
    })
    gateway = await startGateway()
    const host = service.origin
    const forward = (path: string, more: object = {}) => ({
      type: 'forward',
      ...{ host, http_method: 'get', path },
      ...more,
    })
    const response = {
      on_result: { args: ['{{action.result.body}}'] },
      on_error: { kwargs: { status: '{{action.error.status_code}}' } },
    }
    await gateway.mustLoad(
      documentOf(
        {
          'com.example.invoice.get': {
            input: {
              kwargs: {
                type: 'object',
                required: ['id'],
                properties: { id: { type: 'string' }, page: { type: 'integer' } },
              },
            },
            action: forward('/invoices/{{invocation.kwargs.id}}', {
              query_string: '{{invocation.kwargs |> without([id]) |> url:form}}',
              headers: { 'x-call': '{{invocation.id}}' },
            }),
            response,
          },
          'com.example.invoice.add': {
            action: forward('/invoices', {
              http_method: 'post',
              body: '{{invocation.kwargs}}',
            }),
          },
          'com.example.by_id': { action: forward('/by_id/{{invocation.kwargs.id}}') },
          'com.example.text': { action: forward('/text') },
          'com.example.fixed': { action: { type: 'static', body: { a: 1 } } },
          'com.example.status': { action: forward('/status/{{invocation.args |> head}}') },
          'com.example.named': {
            action: forward('/me', { headers: { 'x-user': '{{invocation.caller.authid}}' } }),
          },
          'com.example.known': {
            callers: {},
            action: { type: 'static', body: '{{invocation.caller.authrole}}' },
          },
          'com.example.staff': { callers: { roles: ['staff'] }, action: { type: 'static' } },
          'com.example.log.': {
            match: 'prefix',
            action: { type: 'static', body: '{{invocation.components |> nth(4)}}' },
          },
          'com.example..of': {
            match: 'wildcard',
            action: { type: 'static', body: '{{invocation.procedure}}' },
          },
          'com.example.limited': {
            rate_limit: { amount: 1, window: 60 },
            action: { type: 'static', body: 'yes' },
          },
          'com.example.kept': {
            cache: { ttl: 60 },
            action: forward('/kept/{{invocation.args |> head}}', {
              headers: { 'x-call': '{{invocation.id}}' },
            }),
            response: { on_result: { args: ['{{action.result.body.headers.x-call}}'] } },
          },
          'com.example.called': {
            action: { type: 'wamp_call', procedure: 'com.example.fixed' },
          },
          'com.example.chain': {
            action: [
              { type: 'wamp_call', procedure: 'com.example.fixed' },
              forward('/chain/{{action.result.args |> head |> get(a)}}'),
            ],
            response: { on_result: { kwargs: { path: '{{action.result.body.path}}' } } },
          },
          'com.example.own_error': {
            action: forward('/status/404'),
            response: {
              on_error: {
                error_uri: 'com.example.error.gone',
                args: ['{{action.error.body.path}}'],
              },
            },
          },
          'com.example.nobody': {
            action: { type: 'wamp_call', procedure: 'com.example.no.such.callee' },
          },
          'com.example.off': { is_active: false, action: { type: 'static' } },
        },
        {
          error_uris: { 418: 'com.example.error.teapot', '5XX': 'com.example.error.broken' },
          status_codes: { 'com.example.error.taken': 409 },
        },
      ),
    )
    caller = await openCaller(gateway.routerUrl)
  })
  after(async () => {
    await caller?.close()
    await gateway?.stop()
    service?.close()
  })

  type Told = Readonly<Record<string, unknown>> & {
    readonly headers: Readonly<Record<string, string>>
  }
  const toldIn = ({ args }: Answered) => args[0] as Told

  it('is answered by the body of the upstream', async () => {
    const answer = await caller.call('com.example.invoice.get', [], { id: 'a b', page: 2 })
    const { path, search, method } = toldIn(answer)
    expect([path, search, method]).to.deep.equal(['/invoices/a%20b', '?page=2', 'GET'])
  })

  it('tells the upstream its id and the way, and nothing of a client', async () => {
    const { headers } = toldIn(await caller.call('com.example.invoice.get', [], { id: '1' }))
    expect(headers['x-request-id']).to.equal(headers['x-call'])
    expect(headers.via).to.match(/^1\.1 /)
    const forwarded = Object.keys(headers).filter((name) => name.startsWith('x-forwarded'))
    expect(forwarded).to.deep.equal([])
  })

  it('sends a body where the document declares one', async () => {
    const told = toldIn(await caller.call('com.example.invoice.add', [], { sum: 7 }))
    expect([told.method, told.body]).to.deep.equal(['POST', '{"sum":7}'])
    expect(told.headers['content-type']).to.equal('application/json')
  })

  const results: readonly (readonly [string, readonly unknown[], readonly unknown[]])[] = [
    ['com.example.text', [], ['plain']],
    ['com.example.fixed', [], [{ a: 1 }]],
    ['com.example.log.today', [], ['today']],
    ['com.example.photos.of', [], ['com.example.photos.of']],
    ['com.example.called', [], [{ a: 1 }]],
  ]
  for (const [procedure, args, expected] of results) {
    it(`${procedure} gives ${JSON.stringify(expected)}`, async () => {
      expect((await caller.call(procedure, args)).args).to.deep.equal(expected)
    })
  }

  it('performs a list of actions', async () => {
    expect(await caller.call('com.example.chain')).to.deep.equal({
      args: [],
      kwargs: { path: '/chain/1' },
    })
  })

  /** Statuses of upstreams without a word of the document. */
  const usual: readonly (readonly [status: number, error: string])[] = [
    [400, 'wamp.error.invalid_argument'],
    [401, 'wamp.error.not_authorized'],
    [402, 'wamp.error.invalid_argument'],
    [403, 'wamp.error.not_authorized'],
    [404, 'service.error.not_found'],
    [405, 'wamp.error.invalid_argument'],
    [408, 'service.error.timeout'],
    [409, 'com.example.error.taken'],
    [410, 'service.error.not_found'],
    [412, 'service.error.conflict'],
    [413, 'wamp.error.payload_size_exceeded'],
    [418, 'com.example.error.teapot'],
    [422, 'wamp.error.invalid_argument'],
    [429, 'service.error.too_many_requests'],
    [499, 'wamp.error.invalid_argument'],
    [500, 'com.example.error.broken'],
    [503, 'com.example.error.broken'],
    [599, 'com.example.error.broken'],
  ]
  for (const [status, error] of usual) {
    it(`tells ${status} of the upstream as ${error}`, async () => {
      const answer = await caller.call('com.example.status', [status])
      expect([answer.error, answer.kwargs.status_code]).to.deep.equal([error, status])
      expect(answer.args).to.deep.equal([`the upstream returned ${status}`])
      expect((answer.kwargs.body as Told).path).to.equal(`/status/${status}`)
    })
  }

  it('tells the error that on_error declares', async () => {
    const { error, args } = await caller.call('com.example.own_error')
    expect([error, args]).to.deep.equal(['com.example.error.gone', ['/status/404']])
  })

  it('passes on the error of a callee', async () => {
    const { error } = await caller.call('com.example.nobody')
    expect(error).to.equal('wamp.error.no_such_procedure')
  })

  const misfits: readonly (readonly [what: string, kwargs: object, path: string])[] = [
    ['an absent argument', {}, '/kwargs/id'],
    ['an argument of another type', { id: 7 }, '/kwargs/id'],
    ['another argument of another type', { id: '7', page: 'x' }, '/kwargs/page'],
  ]
  for (const [what, kwargs, path] of misfits) {
    it(`refuses ${what}, and says where`, async () => {
      const answer = await caller.call('com.example.invoice.get', [], kwargs)
      expect(answer.error).to.equal('wamp.error.invalid_argument')
      const errors = answer.kwargs.errors as { path: string }[]
      expect(errors.map((one) => one.path)).to.deep.equal([path])
    })
  }

  const refusedValues: readonly (readonly [value: string, named: string])[] = [
    ['../admin', 'path'],
    ['a/b', 'path'],
    ['a\\b', 'path'],
    ['%2e%2e%2f', 'path'],
    ['a\r\nb', 'path'],
    ['..', 'path'],
  ]
  for (const [id, named] of refusedValues) {
    it(`refuses ${JSON.stringify(id)} in a path`, async () => {
      const answer = await caller.call('com.example.invoice.get', [], { id })
      expect(answer.error).to.equal('wamp.error.invalid_argument')
      expect(String(answer.args[0])).to.include(named)
    })
  }

  it('names the argument that is missing', async () => {
    const answer = await caller.call('com.example.by_id')
    expect(answer.error).to.equal('wamp.error.invalid_argument')
    expect(String(answer.args[0])).to.include('invocation.kwargs.id')
    expect(answer.kwargs.code).to.equal(answer.error)
  })

  it('sends the name of a caller that the router discloses', async () => {
    const { headers } = toldIn(
      await caller.call('com.example.named', [], {}, { disclose_me: true }),
    )
    expect(headers['x-user']).to.be.a('string').that.is.not.empty
  })

  it('takes disclosed callers where it has callers', async () => {
    const known = await caller.call('com.example.known', [], {}, { disclose_me: true })
    expect(known.args).to.deep.equal(['anonymous'])
  })

  it('refuses callers of other roles', async () => {
    const answer = await caller.call('com.example.staff', [], {}, { disclose_me: true })
    expect(answer.error).to.equal('wamp.error.not_authorized')
  })

  it('refuses calls beyond a limit, and tells when to come back', async () => {
    expect((await caller.call('com.example.limited')).args).to.deep.equal(['yes'])
    const answer = await caller.call('com.example.limited')
    expect(answer.error).to.equal('service.error.too_many_requests')
    expect(answer.kwargs.retry_after).to.be.within(1, 66)
  })

  it('answers equal calls by a cached response', async () => {
    const [first] = (await caller.call('com.example.kept', ['a'])).args
    const [second] = (await caller.call('com.example.kept', ['a'])).args
    const [other] = (await caller.call('com.example.kept', ['b'])).args
    expect(first).to.be.a('string')
    expect(second).to.equal(first)
    expect(other).to.not.equal(first)
  })

  it('is not there where it is not active', async () => {
    expect((await caller.call('com.example.off')).error).to.equal('wamp.error.no_such_procedure')
  })

  it('is served by no request', async () => {
    const answer = await fetch(`${gateway.url}/com.example.fixed`, {
      headers: { host: 'procedures' },
    })
    expect(answer.status).to.equal(404)
  })

  it('is gone with its document', async () => {
    const id = 'com.example.other'
    await gateway.mustLoad({
      ...documentOf({ 'com.example.gone': { action: { type: 'static', body: 1 } } }),
      id,
    })
    expect((await caller.call('com.example.gone')).args).to.deep.equal([1])
    await gateway.mustLoad({
      ...documentOf({ 'com.example.gone': { action: { type: 'static', body: 2 } } }),
      id,
    })
    expect((await caller.call('com.example.gone')).args).to.deep.equal([2])
    await fetch(`${gateway.adminUrl}/api_specs/${id}`, { method: 'DELETE' })
    expect((await caller.call('com.example.gone')).error).to.equal('wamp.error.no_such_procedure')
  })

  it('belongs to the document that registers it first', async () => {
    const { status, body } = await gateway.load({
      ...documentOf({ 'com.example.fixed': { action: { type: 'static' } } }),
      id: 'com.example.second',
    })
    expect([status, body.code]).to.deep.equal([400, 'service.error.already_exists'])
    expect(body.details).to.deep.equal([
      {
        path: '/procedures/com.example.fixed',
        message: 'the procedure com.example.fixed belongs to com.example.billing already',
      },
    ])
    const other = await gateway.load({
      ...documentOf({ 'com.example.fixed': { match: 'prefix', action: { type: 'static' } } }),
      id: 'com.example.second',
    })
    expect([realm, other.status]).to.deep.equal([realm, 201])
  })
})
