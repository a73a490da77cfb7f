/** What a listener of a request hears of its stages: one row for each kind of request. */
import { expect } from 'chai'
import type { Outcome } from '#component/action/action.ts'
import type { Sent } from '#component/action/sent.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import type { JudgedPart } from '#component/gateway/schemas/mismatches.ts'
import type { BegunAction, StageListener } from '#component/gateway/stage.ts'
import type { StageFacts } from '#component/gateway/stage-facts.ts'
import { forEachType } from '#component/security/kinds.ts'
import { HandClock } from '#test/unit/policies/cached.ts'
import { policyPorts } from '#test/unit/policies/policy-ports.ts'
import {
  type Ask,
  call,
  documentOf,
  FakeExchange,
  fixed,
  type Performer,
  serve,
} from './fake-exchange.ts'
import { askOf, orders } from './tools/fixture.ts'

/** Facts in a few words: of parts of the gateway their names. */
const brief: Readonly<Record<string, (value: never) => unknown>> = {
  findings: (all: readonly { readonly name: string }[]) => all.map(({ name }) => name),
  lists: (all: readonly { readonly texts: readonly string[] }[]) => all.map(({ texts }) => texts),
  protection: ({ type }: { readonly type: string }) => type,
  identity: ({ authid }: { readonly authid: string }) => authid,
  checks: ({ mode }: { readonly mode: string }) => mode,
  outcome: (outcome: Outcome | undefined) => outcome && Object.keys(outcome)[0],
}

/** Keeps what it hears, a text for each. */
class Heard implements StageListener {
  finds(): void {}

  readonly all: string[] = []

  enter(name: keyof StageFacts): void {
    this.all.push(`> ${name}`)
  }
  leave(name: keyof StageFacts, facts: object, error?: unknown): void {
    const told = Object.entries(facts).map(([key, value]) => {
      const shown = Object.hasOwn(brief, key) ? brief[key]?.(value as never) : value
      return `${key}=${JSON.stringify(shown)}`
    })
    const uri = (error as { readonly uri?: string } | undefined)?.uri
    this.all.push([`< ${name}`, ...told, ...(uri === undefined ? [] : [`! ${uri}`])].join(' '))
  }
  judged({ part, mode, value, received, mistakes }: JudgedPart): void {
    const wrong = mistakes?.map(({ path, keyword }) => ` ${path} ${keyword}`).join('') ?? ''
    const read = value === received ? '' : ` read ${JSON.stringify(value)}`
    this.all.push(`judged ${part} ${mode}${read}${wrong}`)
  }
  actionBegins({ plan, fields }: BegunAction): void {
    this.all.push(`begins ${plan.type} ${JSON.stringify(fields)}`)
  }
  actionSends({ kind }: Sent): void {
    this.all.push(`sends ${kind}`)
  }
  actionEnds({ plan }: BegunAction, outcome: Outcome | undefined, error?: unknown): void {
    const end = outcome ? Object.keys(outcome)[0] : (error as Error).message
    this.all.push(`ends ${plan.type} ${end}`)
  }
  answered({ status }: Reply): void {
    this.all.push(`answered ${status}`)
  }
}

const failed: Performer = () => ({
  error: { error_uri: 'com.example.error.no', args: [], kwargs: {}, details: {} },
})

const basic = { security: { type: 'basic' } }
const limits = [
  { name: 'first', amount: 1, window: 60, per: 'address' },
  { name: 'then', amount: 9, window: 60 },
]
const schemas = {
  request: {
    bindings: { type: 'object', properties: { id: { type: 'integer', minimum: 1 } } },
  },
}

const validated = {
  validate_responses: 'enforce',
  response: { on_result: { schema: { type: 'integer' } }, on_error: {} },
}

const document = documentOf({
  '/fixed': { get: fixed() },
  '/https': { schemes: ['https'], get: fixed() },
  '/near': { allow_from: ['10.0.0.0/8'], get: fixed() },
  '/secured': { ...basic, get: fixed() },
  '/limited': { ...basic, rate_limit: limits, get: fixed() },
  '/body': { put: call({ args: ['{{request.body}}'] }) },
  '/raw': { post: call() },
  '/checked/:id': { get: { ...call(), ...schemas } },
  '/failing': { get: call() },
  '/progress': {
    get: { ...call(), response: { on_progress: {}, on_result: {}, on_error: {} } },
  },
  '/list': { get: { ...call(), action: [{ type: 'static', body: 1 }, call().action] } },
  '/kept': { cache: { ttl: 60 }, get: call() },
  '/unfit': { get: { ...fixed(), ...validated } },
  '/tagged': { etag: true, get: fixed() },
})

/** A call of a tool, and a message that calls none. */
const toCall = askOf({
  method: 'tools/call',
  params: { name: 'put_order', arguments: { id: '7' } },
})
const toList = askOf({ method: 'tools/list' })

const known = forEachType(() => ({
  authenticate: () => ({
    ...{ realm_uri: 'com.example.realm', username: 'ada', authid: 'ada', authmethod: 'basic' },
    ...{ authroles: [], groups: [], meta: {} },
  }),
}))

const types = '["application/json","application/msgpack"]'

const negotiated = ['> negotiate', `< negotiate provides=${types} type="application/json"`]

const rendered = (source: 'on_result' | 'on_error', status: number) => [
  '> render',
  `< render source="${source}"`,
  `answered ${status}`,
]

/** A fixed answer. */
const answered = [
  ...['> action', 'begins static {"body":"ok"}', 'ends static result', '< action outcome="result"'],
  ...rendered('on_result', 200),
]

const callOf = (more = '', end = 'result') => [
  `begins wamp_call {"procedure":"com.example.p"${more}}`,
  'sends snapshot',
  `ends wamp_call ${end}`,
]

/** A call that waits for its slot. */
const called = (status: number, more = '') => [
  ...['> action', ...callOf(more), '< action outcome="result"'],
  ...rendered('on_result', status),
]

const invalidated = ['> invalidate', '< invalidate']
const accepted = `< body accepts=${types} contentType="application/json" isAccepted=true isDecoded=true`
const ofMessage =
  '< body accepts=["application/json"] contentType="application/json" isAccepted=true isDecoded=true'

/** Of the call of a tool, as its operation sees it. */
const seen =
  '{"bindings":{"id":"7"},"query":{},"query_string":"","body":{},"headers":{"content-type":"application/json"},"method":"put","path":"/v1/orders/7"}'

/** What is asked, and what is heard of the last of `times` requests. */
type Row = readonly [what: string, line: string, ask: Ask, heard: readonly string[], times?: number]

const rows: readonly Row[] = [
  ['a fixed answer', 'GET /v1/fixed', {}, [...negotiated, ...answered]],
  [
    'plain http where https is needed',
    'GET /v1/https',
    {},
    ['> scheme', '< scheme scheme="http" ! wamp.error.not_authorized', 'answered 403'],
  ],
  [
    'a client of another network',
    'GET /v1/near',
    {},
    [
      '> network',
      '< network address="192.0.2.1" lists=[["10.0.0.0/8"]] ! wamp.error.not_authorized',
      'answered 403',
    ],
  ],
  [
    'a client without credentials',
    'GET /v1/secured',
    {},
    [
      '> security',
      '< security protection="basic" identity="anonymous" ! service.error.unauthorized',
      'answered 401',
    ],
  ],
  [
    'limits before and behind security',
    'GET /v1/limited',
    {},
    [
      ...['> limit.address', '< limit.address findings=["first"]'],
      ...['> security', '< security protection="basic" identity="ada"'],
      ...['> limit', '< limit findings=["first","then"]', ...negotiated, ...answered],
    ],
  ],
  [
    'a limit that refuses',
    'GET /v1/limited',
    {},
    [
      '> limit.address',
      '< limit.address findings=["first"] ! service.error.too_many_requests',
      'answered 429',
    ],
    2,
  ],
  [
    'a client that takes no type of the route',
    'GET /v1/fixed',
    { headers: { accept: 'text/html' } },
    [
      '> negotiate',
      `< negotiate provides=${types} type=undefined ! service.error.not_acceptable`,
      'answered 406',
    ],
  ],
  [
    'a body that is read',
    'PUT /v1/body',
    { body: '[1]' },
    [
      ...[...negotiated, '> body', `${accepted} bytes=3`, ...invalidated],
      ...called(204, ',"args":[[1]]'),
    ],
  ],
  [
    'a broken body',
    'PUT /v1/body',
    { body: '{' },
    [
      ...[...negotiated, '> body', `${accepted} bytes=0 ! service.error.bad_request`],
      'answered 400',
    ],
  ],
  [
    'a body of another type',
    'PUT /v1/body',
    { headers: { 'content-type': 'text/xml' }, body: '<' },
    [
      ...[...negotiated, '> body'],
      `< body accepts=${types} contentType="text/xml" isAccepted=false isDecoded=true bytes=0 ! service.error.unsupported_media_type`,
      'answered 415',
    ],
  ],
  [
    'no body where one may come',
    'POST /v1/raw',
    {},
    [
      ...[...negotiated, '> body'],
      '< body accepts=undefined contentType=undefined isAccepted=true isDecoded=false bytes=0',
      ...[...invalidated, ...called(204)],
    ],
  ],
  [
    'texts that a schema reads',
    'GET /v1/checked/7',
    {},
    [
      ...[...negotiated, '> schema', 'judged bindings enforce read {"id":7}'],
      ...['< schema checks="enforce"', ...called(200)],
    ],
  ],
  [
    'a value that does not fit its schema',
    'GET /v1/checked/0',
    {},
    [
      ...[...negotiated, '> schema'],
      'judged bindings enforce read {"id":0} /bindings/id minimum',
      ...['< schema checks="enforce" ! service.error.validation_failed', 'answered 400'],
    ],
  ],
  [
    'an answer that does not fit its schema',
    'GET /v1/unfit',
    {},
    [
      ...[...negotiated, '> action', 'begins static {"body":"ok"}', 'ends static result'],
      ...['< action outcome="result"', '> render', 'judged response enforce  type'],
      '< render source="on_result" ! service.error.response_mismatch',
      'answered 500',
    ],
  ],
  [
    'a call that fails',
    'GET /v1/failing',
    {},
    [
      ...[...negotiated, '> action', ...callOf('', 'error'), '< action outcome="error"'],
      ...rendered('on_error', 500),
    ],
  ],
  [
    'a list of actions',
    'GET /v1/list',
    {},
    [
      ...[...negotiated, '> action', 'begins static {"body":1}', 'ends static result'],
      ...[...callOf(), '< action outcome="result"', ...rendered('on_result', 200)],
    ],
  ],
  [
    'a stream of a call',
    'GET /v1/progress',
    { headers: { accept: 'text/event-stream' } },
    [
      '> negotiate',
      '< negotiate provides=["application/json","application/msgpack","text/event-stream","application/x-ndjson"] type="text/event-stream"',
      ...['> resume', '< resume isResumed=false', ...called(200)],
    ],
  ],
  [
    'an answer that is not kept yet',
    'GET /v1/kept',
    {},
    [
      ...[...negotiated, '> cache', ...called(200).slice(0, -1)],
      ...['< cache how="miss"', 'answered 200'],
    ],
  ],
  [
    'a kept answer',
    'GET /v1/kept',
    {},
    [...negotiated, '> cache', '< cache how="hit"', 'answered 200'],
    2,
  ],
  ['an ETag', 'GET /v1/tagged', {}, [...negotiated, '> etag', '< etag', ...answered]],
  ['a preflight', 'OPTIONS /v1/fixed', {}, ['> preflight', '< preflight', 'answered 204']],
  [
    'a method that the path does not serve',
    'DELETE /v1/fixed',
    {},
    [
      '> method',
      '< method method="delete" allow="GET, HEAD, OPTIONS" ! service.error.method_not_allowed',
      'answered 405',
    ],
  ],
  [
    'the call of a tool: those of its operation within that of the endpoint',
    'POST /v1/mcp',
    toCall,
    [
      ...['> endpoint', '> body', `${ofMessage} bytes=212`],
      ...['> arguments', '< arguments tool="put_order"', ...negotiated],
      ...['> body', `${accepted} bytes=2`, ...invalidated],
      ...['> action', `begins static {"body":${seen}}`, 'ends static result'],
      ...['< action outcome="result"', ...rendered('on_result', 200)],
      ...['< endpoint kind="mcp"', 'answered 200'],
    ],
  ],
  [
    'a generated endpoint',
    'POST /v1/mcp',
    toList,
    ['> endpoint', '> body', `${ofMessage} bytes=170`, '< endpoint kind="mcp"', 'answered 200'],
  ],
]

describe('a listener of a request', () => {
  for (const [what, line, ask, heard, times = 1] of rows) {
    it(`hears the stages of ${what}`, async () => {
      const clock = new HandClock()
      const perform: Performer = (performed) => {
        performed.run.onSent?.({ kind: 'snapshot', message: { options: {} } })
        return line.endsWith('/failing') ? failed(performed) : { result: { args: [], kwargs: {} } }
      }
      const schemes = line.endsWith('/limited') ? known : undefined
      const served = serve(
        ...([
          line.endsWith('/mcp') ? orders : document,
          perform,
          undefined,
          schemes,
          '*',
          undefined,
          policyPorts({}, clock),
        ] as const),
      )
      let last = new Heard()
      for (let count = 0; count < times; count++) {
        last = new Heard()
        const exchange = new FakeExchange(line, ask)
        await served.handle(Object.assign(exchange, { listener: last }))
      }
      expect(last.all).to.deep.equal(heard)
    })
  }
})
