/** What a document may declare of WebSockets, and what is told of it: refusals, features, OpenAPI, explanations. */
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { indexOf } from '#component/compile/kept/api-index.ts'
import type { CompiledOperation } from '#component/gateway/api.ts'
import { rehearse } from '#test/unit/explain/rehearse.ts'
import { describeDocument } from '#test/unit/openapi/describe.ts'

const forward = (more: object = {}) => ({
  action: { type: 'forward', host: 'http://127.0.0.1:1', path: '/x', websocket: true, ...more },
  response: {},
})

const documentOf = (path: object, more: object = {}, ofVersion: object = {}) => ({
  ...{ id: 'a', host: '_', realm_uri: 'r', ...more },
  versions: { '1': { base_path: '/v1', paths: { '/a': path }, ...ofVersion } },
})

const load = (path: object, more: object = {}, ofVersion: object = {}) =>
  compileDocument(documentOf(path, more, ofVersion), { callTimeout: 30_000 })

const operationOf = (path: object): CompiledOperation =>
  load(path).api?.entries[0]?.routes.get as CompiledOperation

const handshake = {
  connection: 'Upgrade',
  upgrade: 'websocket',
  'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  'sec-websocket-version': '13',
}

describe('websocket of a forward', () => {
  it('holds by default with the times of the design', () => {
    expect(operationOf({ get: forward() }).websocket).to.deep.equal({
      origins: [],
      protocols: undefined,
      idleMs: 300_000,
      maxDurationMs: 0,
      maxSockets: undefined,
    })
  })

  it('has each of its keys', () => {
    const websocket = {
      comment: 'for people',
      origins: ['https://a.example:8443'],
      protocols: ['x'],
      idle_timeout: 1_000,
      max_duration: 5,
      max_sockets: 1,
    }
    expect(operationOf({ get: forward({ websocket }) }).websocket).to.deep.equal({
      origins: ['https://a.example:8443'],
      protocols: ['x'],
      idleMs: 1_000,
      maxDurationMs: 5,
      maxSockets: 1,
    })
  })

  it('may stand in a variable', () => {
    const variables = { sockets: { idle_timeout: 2_000 } }
    const { api } = load({ get: forward({ websocket: '{{variables.sockets}}' }) }, { variables })
    const route = api?.entries[0]?.routes.get as CompiledOperation
    expect(route.websocket?.idleMs).to.equal(2_000)
  })

  it('is none where it is false: the operation is as ever', () => {
    const { websocket: _, ...action } = forward().action
    const without = operationOf({ get: { action, response: {} } })
    const names = ({ stages }: CompiledOperation) => stages.map(({ name }) => name)
    for (const operation of [operationOf({ get: forward({ websocket: false }) }), without]) {
      expect(operation.websocket).to.equal(undefined)
      expect(names(operation)).to.deep.equal(['action', 'render'])
    }
  })

  it('has its stages behind the network and before limits and security, and right before the action', () => {
    const { stages } = operationOf({
      get: forward(),
      schemes: ['https'],
      allow_from: ['10.0.0.0/8'],
      security: { type: 'basic' },
    })
    expect(stages.map(({ name }) => name)).to.deep.equal([
      ...['scheme', 'network', 'websocket', 'security', 'place', 'action', 'render'],
    ])
  })

  const action = '/versions/1/paths/~1a/get/action'
  const refused: readonly (readonly [what: string, path: object, issue: string, at?: string])[] = [
    ['a text', { get: forward({ websocket: 'yes' }) }, 'expected true, false or a map, got "yes"'],
    ['a number', { get: forward({ websocket: 1 }) }, 'expected true, false or a map, got 1'],
    [
      'an unknown key',
      { get: forward({ websocket: { origin: [] } }) },
      'expected one of origins, protocols, idle_timeout, max_duration, max_sockets',
      `${action}/websocket/origin`,
    ],
    [
      'no origin',
      { get: forward({ websocket: { origins: [] } }) },
      'expected a list of origins, got an empty list',
      `${action}/websocket/origins`,
    ],
    [
      'any origin',
      { get: forward({ websocket: { origins: ['*'] } }) },
      'expected an origin such as "https://shop.example.com", got "*": it is no scheme and host in lower case without a path',
      `${action}/websocket/origins/0`,
    ],
    [
      'an origin with a path',
      { get: forward({ websocket: { origins: ['https://a.example/'] } }) },
      'expected an origin such as "https://shop.example.com", got "https://a.example/": it is no scheme and host in lower case without a path',
      `${action}/websocket/origins/0`,
    ],
    [
      'a subprotocol that is no token',
      { get: forward({ websocket: { protocols: ['a b'] } }) },
      'expected a subprotocol, got "a b": it is no token',
      `${action}/websocket/protocols/0`,
    ],
    [
      'a time too short',
      { get: forward({ websocket: { idle_timeout: 999 } }) },
      'expected an integer of milliseconds from 1000 to 3600000, got 999',
      `${action}/websocket/idle_timeout`,
    ],
    [
      'no socket at all',
      { get: forward({ websocket: { max_sockets: 0 } }) },
      'expected an integer of at least 1, got 0',
      `${action}/websocket/max_sockets`,
    ],
    [
      'a value of the request',
      { get: forward({ websocket: '{{request.query_params.w}}' }) },
      'websocket must be known when the specification is loaded: it may not depend on the request',
    ],
    [
      'another method of the path',
      { post: forward() },
      'websocket is allowed under get, not under post',
      '/versions/1/paths/~1a/post/action/websocket',
    ],
    [
      'another method of the upstream',
      { get: forward({ http_method: 'post' }) },
      'websocket needs the method get, not post',
    ],
    [
      'a list',
      { get: { action: [forward().action, forward({ websocket: false }).action], response: {} } },
      'an action with websocket may not stand in a list of actions',
      `${action}/0/websocket`,
    ],
    [
      'cache',
      { get: { ...forward(), cache: { ttl: 60, per: 'all' } } },
      'websocket and cache exclude each other: a WebSocket is no response to keep; "cache": null takes cache away',
    ],
    [
      'idempotency',
      { idempotency: {}, get: forward() },
      'websocket and idempotency exclude each other: a WebSocket is no response to keep; "idempotency": null takes idempotency away',
    ],
  ]
  for (const [what, path, message, at = `${action}/websocket`] of refused) {
    it(`is refused with ${what}`, () => {
      expect(load(path).issues).to.deep.include({ path: at, message })
    })
  }

  it('is no tool', () => {
    const tool = { name: 'a', description: 'what it does' }
    const { issues } = load({ get: { ...forward(), tool } }, {}, { mcp: { name: 'x' } })
    expect(issues.map(({ message }) => message)).to.include('a WebSocket cannot be a tool')
  })

  it('is a feature that gateways must know, and keeps its document compiled', () => {
    const { api } = load({ get: forward() })
    expect(api?.features).to.deep.equal(['websocket'])
    expect(api && indexOf(api, 1_000)).to.equal(undefined)
    const plain = load({ get: forward({ websocket: false }) }).api
    expect(plain?.features).to.deep.equal([])
    expect(plain && indexOf(plain, 1_000)).not.to.equal(undefined)
  })

  it('is told in OpenAPI: 101, and the refusals of a handshake', () => {
    const described = describeDocument(documentOf({ get: forward() }))
    const operation = described.paths['/a']?.get as { responses: object } | undefined
    expect(operation?.responses).to.include.keys('101', '400', '403', '426', '429', '503')
  })

  it('is explained: the check, the handshake that leaves, and the 101', async () => {
    const request = {
      path: '/v1/a',
      headers: { ...handshake, origin: 'http://localhost', 'sec-websocket-protocol': 'x, y' },
    }
    const { checks, actions, sent } = await rehearse(documentOf({ get: forward() }), { request })
    expect(checks.find(({ step }) => step === 'websocket')).to.include({
      passed: true,
      origin: 'http://localhost',
    })
    const [told] = actions
    expect(told?.headers).to.include({
      'sec-websocket-version': '13',
      'sec-websocket-protocol': 'x, y',
    })
    expect(sent?.status).to.equal(101)
    expect(sent?.headers).to.include({ upgrade: 'websocket', 'sec-websocket-protocol': 'x' })
  })

  it('is explained where the handshake is refused', async () => {
    const request = { path: '/v1/a', headers: { ...handshake, origin: 'https://evil.example' } }
    const { checks, actions, sent } = await rehearse(documentOf({ get: forward() }), { request })
    expect(checks.at(-1)).to.include({ step: 'websocket', passed: false })
    expect([actions.length, sent?.status]).to.deep.equal([0, 403])
  })

  it('is explained with an upstream that answers otherwise', async () => {
    const request = { path: '/v1/a', headers: handshake }
    const refusing = { error: { status_code: 403, body: 'no' } }
    const { sent } = await rehearse(documentOf({ get: forward() }), { request, outcome: refusing })
    expect(sent?.status).to.equal(403)
    const wrong = { result: { status_code: 101, headers: { 'sec-websocket-accept': 'x' } } }
    const { sent: failed } = await rehearse(documentOf({ get: forward() }), {
      request,
      outcome: wrong,
    })
    expect(failed?.status).to.equal(504)
  })

  it('leaves explanations of other requests as they are', async () => {
    const { checks, sent } = await rehearse(documentOf({ get: forward() }), {
      request: { path: '/v1/a' },
    })
    expect(checks.map(({ step }) => step)).not.to.include('websocket')
    expect(sent?.status).to.equal(200)
  })
})
