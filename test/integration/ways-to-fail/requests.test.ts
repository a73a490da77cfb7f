/** Ways in which a request fails: of each, one line of the log alone says what is wrong and where. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { openLog } from '#component/log.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import { WampError } from '#component/wamp/session.ts'
import { freePort } from '#test/support/free-port.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { keptLog, type LogLine } from '#test/support/log-lines.ts'
import { untilHolds } from '#test/support/running/until.ts'

/** Only the client, the callee and the upstream send it. */
const canary = 'CANARY'
const realm_uri = 'com.example.realm'
const boom = 'com.example.error.boom'
const invalid = 'service.error.http_gateway.invalid_expression'

const call = (procedure: string, more: object = {}, response: object = {}) => ({
  action: { type: 'wamp_call', procedure, ...more },
  response,
})
const forward = (host: string, path: string) => ({
  action: { type: 'forward', host, path },
  response: {},
})

/** @param up an upstream that behaves badly @param down a port where nobody listens */
const pathsWith = (up: string, down: string) => ({
  '/callee-fails': { get: call('com.example.fails', { args: ['{{request.query_params.q}}'] }) },
  '/busy': { status_codes: { [boom]: 503 }, get: call('com.example.fails') },
  '/not-found': { status_codes: { [boom]: 404 }, get: call('com.example.fails') },
  '/no-callee': { get: call('com.example.nobody') },
  '/slow-callee': { timeout: 50, get: call('com.example.slow') },
  '/no-member': {
    get: call('com.example.echo', {}, { on_result: { body: '{{action.result.kwargs.total}}' } }),
  },
  '/no-parameter': { get: call('com.example.echo', { args: ['{{request.query_params.page}}'] }) },
  '/no-status': {
    get: call(
      'com.example.echo',
      {},
      { on_result: { status_code: '{{action.result.args |> length}}' } },
    ),
  },
  '/broken-on-error': {
    get: call('com.example.fails', {}, { on_error: { body: '{{action.error.kwargs.code}}' } }),
  },
  '/upstream-down': { get: forward(down, '/{{request.query_params.q}}') },
  '/upstream-502': { get: forward(up, '/502') },
  '/upstream-breaks-off': { get: forward(up, '/breaks-off') },
  '/slow-upstream': { timeout: 50, get: forward(up, '/slow') },
  '/no-tls': { get: forward(up.replace('http', 'https'), '/') },
  '/maintenance': {
    get: {
      action: { type: 'static', body: 'later' },
      response: { on_result: { status_code: 503 } },
    },
  },
})
const documentWith = (up: string, down: string) => ({
  ...{ id: 'com.example.ways', name: 'ways', host: '_', realm_uri },
  defaults: { schemes: ['http'] },
  versions: {
    '1.0': { base_path: '/v1', paths: pathsWith(up, down) },
    '2.0': {
      ...{ base_path: '/v2', pool_size: 1 },
      paths: { '/full': { timeout: 500, get: call('com.example.slow') } },
    },
  },
})

const at = (path: string) => `/versions/1.0/paths/~1${path}/get`

/** The path, the status, and what the line says; `upstream` with whatever port it has. */
const rows: readonly (readonly [path: string, status: number, line: LogLine])[] = [
  [
    'callee-fails',
    500,
    {
      ...{ error: boom, procedure: 'com.example.fails', pointer: at('callee-fails') },
      reason: 'the peer returned this error, and status_codes has no row for it',
    },
  ],
  ['busy', 503, { error: boom, reason: 'status_codes gives this error its status' }],
  [
    'no-callee',
    501,
    {
      ...{ error: 'wamp.error.no_such_procedure', procedure: 'com.example.nobody' },
      reason: 'No callee has registered the procedure.',
    },
  ],
  [
    'slow-callee',
    504,
    { error: 'service.error.timeout', procedure: 'com.example.slow', pointer: at('slow-callee') },
  ],
  [
    'no-member',
    500,
    {
      ...{ error: invalid, pointer: `${at('no-member')}/response/on_result/body`, column: 3 },
      ...{ expression: '{{action.result.kwargs.total}}' },
      reason: 'there is no "action.result.kwargs.total"',
    },
  ],
  [
    'no-parameter',
    400,
    {
      error: 'service.error.http_gateway.invalid_request',
      pointer: `${at('no-parameter')}/action/args/0`,
      expression: '{{request.query_params.page}}',
      level: 'info',
    },
  ],
  [
    'no-status',
    500,
    {
      error: invalid,
      reason: `${at('no-status')}/response/on_result/status_code: expected an HTTP status from 200 to 599`,
    },
  ],
  [
    'broken-on-error',
    500,
    { error: invalid, action_error: boom, expression: '{{action.error.kwargs.code}}' },
  ],
  [
    'upstream-down',
    504,
    {
      error: 'service.error.bad_gateway',
      reason: 'the connection to the upstream failed (ECONNREFUSED)',
      upstream: 'http://127.0.0.1',
    },
  ],
  [
    'upstream-502',
    502,
    {
      error: 'service.error.http_gateway.upstream_status',
      reason: 'the upstream returned 502',
      upstream: 'http://127.0.0.1',
    },
  ],
  [
    'upstream-breaks-off',
    200,
    {
      error: 'service.error.bad_gateway',
      reason: 'the connection to the upstream failed during its response (UND_ERR_SOCKET)',
      upstream: 'http://127.0.0.1',
    },
  ],
  [
    'slow-upstream',
    504,
    {
      error: 'service.error.timeout',
      reason: 'the upstream did not respond within the timeout',
      upstream: 'http://127.0.0.1',
    },
  ],
  [
    'no-tls',
    504,
    {
      error: 'service.error.bad_gateway',
      reason: 'the connection to the upstream failed (ERR_SSL_WRONG_VERSION_NUMBER)',
      upstream: 'https://127.0.0.1',
    },
  ],
  ['maintenance', 503, { reason: 'on_result declares this status', pointer: at('maintenance') }],
]

describe('a request that fails', () => {
  const { log, lines } = keptLog()
  const peer = { clock: systemClock, log: openLog('silent') }
  let gateway: TestGateway
  let upstream: Server
  let callee: ReturnType<typeof componentSession>

  before(async () => {
    gateway = await startGateway({}, { log, isEmbedded: true })
    upstream = createServer(({ url = '' }, response) => {
      if (url.startsWith('/502')) response.writeHead(502).end(canary)
      if (!url.startsWith('/breaks-off')) return
      response.writeHead(200, { 'content-length': '100' })
      response.write(canary, () => response.destroy())
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const { port } = upstream.address() as { readonly port: number }
    const document = documentWith(
      `http://127.0.0.1:${port}`,
      `http://127.0.0.1:${await freePort()}`,
    )
    const answer = await gateway.load(document)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(201)
    const auth = { authmethod: 'anonymous' } as const
    callee = componentSession({
      ...peer,
      url: gateway.routerUrl,
      realm_uri,
      serializer: 'json',
      auth,
    })
    await callee.joined(5_000)
    await callee.register('com.example.fails', () => {
      throw new WampError(boom, { args: [canary], kwargs: { canary }, details: { canary } })
    })
    await callee.register('com.example.echo', ({ args }) => ({ args, kwargs: { canary } }))
    await callee.register('com.example.slow', () => new Promise(() => undefined))
  })
  after(async () => {
    await callee?.leave()
    upstream?.closeAllConnections()
    upstream?.close()
    await gateway?.stop()
  })
  beforeEach(() => {
    lines.length = 0
  })

  const told = () => lines.filter(({ msg }) => msg !== 'request')
  const requests = () => lines.filter(({ msg }) => msg === 'request')

  for (const [path, status, { upstream: origin, ...line }] of rows) {
    it(`on /${path} has one line that says what and where`, async () => {
      await send(gateway.url, `/v1/${path}?q=${canary}`).catch(() => undefined)
      await untilHolds(() => requests().length > 0 && told().length > 0)
      const [first, ...more] = told()
      expect(more).to.deep.equal([])
      expect(first).to.include({
        ...{ level: 'error', msg: 'a request failed', status, method: 'get', route: `/v1/${path}` },
        ...line,
        request_id: requests()[0]?.request_id,
      })
      expect(first).to.include({ api_spec: 'com.example.ways', version: '1.0' })
      expect(String(first?.upstream)).to.include(String(origin))
      expect(requests()[0]?.error).to.equal(line.error)
      expect(JSON.stringify(lines)).to.not.contain(canary)
    })
  }

  it('by an error of the callee that is declared as 404 is told by its access line alone', async () => {
    const { status } = await send(gateway.url, '/v1/not-found')
    await untilHolds(() => requests().length > 0)
    expect(status).to.equal(404)
    expect(told()).to.deep.equal([])
    expect(requests()[0]).to.include({ status: 404, error: boom, route: '/v1/not-found' })
    expect(JSON.stringify(lines)).to.not.contain(canary)
  })

  it('because others take too long has one line', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => send(gateway.url, '/v2/full')))
    const refused = all.filter(({ status }) => status === 503)
    expect(refused).to.not.have.length(0)
    await untilHolds(() => requests().length === 5)
    const full = told().filter(({ error }) => error === 'service.error.unavailable')
    expect(full).to.have.length(refused.length)
    expect(full[0]).to.include({
      ...{ level: 'error', status: 503, route: '/v2/full', version: '2.0' },
      reason: 'the request waited too long for its turn',
    })
  })

  it('because the gateway stops has one line', async () => {
    const stopping = await startGateway(
      { 'gateway.drain_timeout': '10' },
      { log, isEmbedded: true },
    )
    const up = `http://127.0.0.1:${(upstream.address() as { readonly port: number }).port}`
    const paths = { '/slow': { get: forward(up, '/slow') } }
    const document = documentWith(up, up)
    await stopping.load({ ...document, versions: { '1.0': { base_path: '/v1', paths } } })
    const asked = send(stopping.url, '/v1/slow')
    await untilHolds(() => stopping.component.isReady())
    await once(upstream, 'request')
    await stopping.stop()
    expect((await asked).status).to.equal(504)
    const failed = told().filter(({ level }) => level === 'error')
    expect(failed).to.have.length(1)
    expect(failed[0]).to.include({ status: 504, reason: 'this node is stopping' })
  })
})
