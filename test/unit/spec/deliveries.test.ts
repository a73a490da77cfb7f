/** What validation and compiling say of `deliveries`. */
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import type { DeliverySettings } from '#component/compile/deliveries/compile-delivery.ts'
import { isDeliveryEntry } from '#component/delivery/requests/plan.ts'
import { compilePorts } from '#test/unit/explain/rehearse.ts'

const settings: DeliverySettings = {
  signerOrigins: (_realm, name) =>
    name === 'shop' ? ['https://shop.example.com', 'http://10.0.0.5:8080'] : undefined,
  upstreamOrigins: (_realm, name) =>
    ({ near: ['http://10.0.0.5:8080'], far: ['http://10.0.0.5:8080', 'http://10.0.0.6:8080'] })[
      name
    ],
  ownOrigin: 'https://api.example.com',
}

const to = { url: 'https://shop.example.com/hooks' }
const fine = { topic: 'com.example.order', to, sign: 'shop' }

const compiled = (deliveries: unknown, more: object = {}) =>
  compileDocument(
    { id: 'a', realm_uri: 'com.example', deliveries, ...more },
    { ...compilePorts, deliverySettings: settings },
  )

const told = (issues: readonly { path: string; message: string }[]) =>
  issues.map(({ path, message }) => `${path}: ${message}`)

const at = '/deliveries/orders'

const planOf = (delivery: object, more: object = {}) =>
  compiled({ orders: delivery }, more).api?.entries.find(isDeliveryEntry)?.delivery

describe('a document with deliveries', () => {
  const allowed: readonly (readonly [what: string, delivery: object, more?: object])[] = [
    ['a topic and a URL', fine],
    ['a prefix', { ...fine, topic: 'com.example.', match: 'prefix' }],
    ['the meta events of the router', { ...fine, topic: 'wamp.session.on_join' }],
    ['a wildcard', { ...fine, topic: 'com..created', match: 'wildcard' }],
    ['an upstream', { ...fine, to: { upstream: 'near', path: '/hooks' } }],
    ['a filter', { ...fine, filter: '{{action.event.kwargs |> get(final, true) |> boolean}}' }],
    ['one order for all', { ...fine, order: 'all' }],
    ['an order by key', { ...fine, order: '{{action.event.kwargs.id |> string}}' }],
    [
      'the attempt in a header',
      { ...fine, to: { ...to, headers: { 'x-attempt': '{{delivery.attempt |> string}}' } } },
    ],
    [
      'a value in the path',
      { ...fine, to: { url: 'https://shop.example.com/{{action.event.topic}}' } },
    ],
    ['a message for gaps', { ...fine, on_gap: { body: { data: '{{action.gap.reason}}' } } }],
    [
      'a topic that a variable has',
      { ...fine, topic: '{{variables.base}}order' },
      { variables: { base: 'com.example.' } },
    ],
    [
      'a variable that reads the event',
      { ...fine, body: '{{variables.id}}' },
      { variables: { id: '{{action.event.kwargs.id}}' } },
    ],
    ['a comment', { ...fine, comment: 'a word' }],
  ]
  for (const [what, delivery, more] of allowed) {
    it(`may have ${what}`, () => {
      const { issues, warnings, api } = compiled({ orders: delivery }, more)
      expect(told(issues)).to.deep.equal([])
      expect(told(warnings)).to.deep.equal([])
      expect(api?.entries.filter(isDeliveryEntry)).to.have.length(1)
    })
  }

  const own = 'a document may not deliver topics under "service."'
  const noUrl = 'expected a URL such as https://shop.example.com/hooks'
  const refused: readonly (readonly [
    what: string,
    delivery: unknown,
    issue: string,
    more?: object,
  ])[] = [
    ['no map', 1, `${at}: expected a delivery: a map with topic and to, got 1`],
    ['no topic', { to }, `${at}/topic: topic is missing: expected a topic or a pattern`],
    ['no target', { topic: 'a.b' }, `${at}/to: to is missing: expected where requests go`],
    [
      'neither URL nor upstream',
      { ...fine, to: {} },
      `${at}/to: expected one of url, upstream and path, endpoints`,
    ],
    [
      'URL and upstream',
      { ...fine, to: { ...to, upstream: 'near' } },
      `${at}/to: expected one of url, upstream and path, endpoints`,
    ],
    [
      'an upstream without a path',
      { ...fine, to: { upstream: 'near' } },
      `${at}/to/path: path is missing: expected the path at the upstream`,
    ],
    ['a topic of the gateway', { ...fine, topic: 'service.a' }, `${at}/topic: ${own}`],
    ['a pattern of it', { ...fine, topic: 'serv', match: 'prefix' }, `${at}/topic: ${own}`],
    ['a wildcard of it', { ...fine, topic: '..a', match: 'wildcard' }, `${at}/topic: ${own}`],
    ['every topic', { ...fine, topic: '', match: 'prefix' }, `${at}/topic: ${own}`],
    [
      'a topic of the gateway by a variable',
      { ...fine, topic: '{{variables.base}}a' },
      `${at}/topic: ${own}`,
      { variables: { base: 'service.' } },
    ],
    [
      'a topic that an event decides',
      { ...fine, topic: '{{action.event.topic}}' },
      `${at}/topic: topic must be known when the specification is loaded: it may not depend on the event`,
    ],
    [
      'a signer that does not go there',
      { ...fine, to: { url: 'https://evil.example/hooks' } },
      `${at}/to/url: the signer "shop" does not go to https://evil.example`,
    ],
    [
      'a signer that does not go there, the path computed',
      { ...fine, to: { url: 'https://evil.example/{{action.event.topic}}' } },
      `${at}/to/url: the signer "shop" does not go to https://evil.example`,
    ],
    [
      'a signer that does not go to each target',
      { ...fine, to: { upstream: 'far', path: '/' } },
      `${at}/to/upstream: the signer "shop" does not go to http://10.0.0.6:8080`,
    ],
    [
      'another port',
      { ...fine, to: { url: 'https://shop.example.com:8443/' } },
      `${at}/to/url: the signer "shop" does not go to https://shop.example.com:8443`,
    ],
    [
      'another scheme',
      { ...fine, to: { url: 'ftp://a' } },
      `${at}/to/url: ${noUrl}: it begins with neither http:// nor https://`,
    ],
    [
      'a user',
      { ...fine, to: { url: 'https://a:b@shop.example.com' } },
      `${at}/to/url: ${noUrl}: it holds a user or a password`,
    ],
    [
      'a user before a computed path',
      { ...fine, to: { url: 'https://a:b@shop.example.com/{{action.event.topic}}' } },
      `${at}/to/url: ${noUrl}: it holds a user or a password`,
    ],
    [
      'a fragment',
      { ...fine, to: { url: 'https://shop.example.com/#a' } },
      `${at}/to/url: ${noUrl}: it has a fragment`,
    ],
    ...[
      '169.254.169.254',
      '0xa9fea9fe',
      '2852039166',
      '[fe80::1]',
      '[::ffff:169.254.169.254]',
      'metadata.google.internal',
    ].map(
      (host) =>
        [
          `the address ${host}`,
          { topic: 'a.b', to: { url: `http://${host}/` } },
          `${at}/to/url: ${noUrl}: link-local and cloud-metadata addresses may not be forwarded to`,
        ] as const,
    ),
    [
      'a header of the gateway',
      { ...fine, to: { ...to, headers: { 'Webhook-Id': 'a' } } },
      `${at}/to/headers/Webhook-Id: the gateway sets this header: leave it out`,
    ],
    [
      'another method',
      { ...fine, to: { ...to, method: 'get' } },
      `${at}/to/method: expected one of post, put, patch, got "get"`,
    ],
    [
      'an order that is a word',
      { ...fine, order: 'id' },
      `${at}/order: expected "all", or an expression, got "id": it is neither "all" nor an expression`,
    ],
    [
      'the attempt in a filter',
      { ...fine, filter: '{{delivery.attempt |> boolean}}' },
      `${at}/filter: there is no attempt yet: delivery is known in to, body and on_gap`,
    ],
    [
      'a gap in a body',
      { ...fine, body: '{{action.gap.reason}}' },
      `${at}/body: there is no gap: action.gap is known in on_gap only`,
    ],
    [
      'an event in on_gap',
      { ...fine, on_gap: { body: '{{action.event.topic}}' } },
      `${at}/on_gap/body: a gap has no event: action.event is not known in on_gap, nor in a to with on_gap`,
    ],
    [
      'an event in a to with on_gap',
      {
        ...fine,
        to: { url: 'https://shop.example.com/{{action.event.topic}}' },
        on_gap: { body: 1 },
      },
      `${at}/to/url: a gap has no event: action.event is not known in on_gap, nor in a to with on_gap`,
    ],
    [
      'a member that no event has',
      { ...fine, body: '{{action.event.topics}}' },
      `${at}/body: there is no "action.event.topics"; did you mean "topic"?`,
    ],
    [
      'a request',
      { ...fine, body: '{{request.body}}' },
      `${at}/body: there is no request in deliveries: action.event is known there`,
    ],
    [
      'a retry that an event decides',
      { ...fine, concurrency: 65 },
      `${at}/concurrency: expected an integer from 1 to 64, got 65`,
    ],
    [
      'too many delays',
      { ...fine, retry: { delays: Array.from({ length: 21 }, () => 1) } },
      `${at}/retry/delays: expected at most 20 delays, got 21`,
    ],
    [
      'an unknown key',
      { ...fine, retires: {} },
      `${at}/retires: expected one of topic, match, filter,`,
    ],
  ]
  for (const [what, delivery, issue, more] of refused) {
    it(`is refused with ${what}`, () => {
      const found = told(compiled({ orders: delivery }, more).issues)
      expect(found).to.have.length(1)
      expect(found[0]?.slice(0, issue.length)).to.equal(issue)
    })
  }

  it('is refused with a name that no path of management has', () => {
    const [issue] = told(compiled({ 'a/b': fine }).issues)
    expect(issue).to.include('/deliveries/a~1b: expected a name of 1 to 64 letters')
  })

  it('is refused with more than 100 of them', () => {
    const many = Array.from({ length: 101 }, (_, index) => [`d${index}`, fine])
    expect(told(compiled(Object.fromEntries(many)).issues)).to.deep.equal([
      '/deliveries: expected at most 100 deliveries, got 101',
    ])
  })

  const warned: readonly (readonly [what: string, delivery: object, warning: string])[] = [
    [
      'no signer',
      { topic: 'a.b', to },
      `${at}/sign: no signer: receivers cannot tell who has sent a message`,
    ],
    [
      'a signer that the realm lacks',
      { ...fine, sign: 'other' },
      `${at}/sign: com.example has no signer "other" in info.webhook_signers: nothing is sent`,
    ],
    [
      'an upstream that the realm lacks',
      { ...fine, to: { upstream: 'gone', path: '/' } },
      `${at}/to/upstream: com.example has no upstream "gone" in info.upstreams: nothing is sent`,
    ],
    [
      'a request to this gateway',
      { topic: 'a.b', to: { url: 'https://api.example.com/hooks' }, sign: 'other' },
      `${at}/to/url: this is the address of the gateway: what it receives may be published again, and so delivered again`,
    ],
  ]
  for (const [what, delivery, warning] of warned) {
    it(`loads with a warning for ${what}`, () => {
      const { issues, warnings } = compiled({ orders: delivery })
      expect(told(issues)).to.deep.equal([])
      expect(told(warnings)).to.include(warning)
    })
  }

  it('needs a gateway that knows them, and stays compiled', () => {
    expect(compiled({ orders: fine }).api?.features).to.include('deliveries')
  })

  it('has the defaults of the docs', () => {
    const plan = planOf(fine)
    expect(plan).to.deep.include({
      match: 'exact',
      isActive: true,
      method: 'post',
      connectTimeoutMs: 5_000,
    })
    expect(plan?.limits).to.deep.equal({
      delays: [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400],
      ...{ jitter: 0.2, disableAfter: 432_000, concurrency: 4, rate: undefined },
      ...{ maxPending: 100_000, maxAge: 604_800, onFull: 'refuse', timeoutMs: 15_000 },
    })
  })

  const targets: readonly (readonly [url: string, kind: string, origin?: string])[] = [
    ['https://shop.example.com', 'host', 'https://shop.example.com'],
    ['https://SHOP.example.com:443/a', 'host', 'https://shop.example.com'],
    ['https://shop.example.com/{{action.event.topic}}', 'host', 'https://shop.example.com'],
    ['https://shop.example.com?a={{action.event.topic}}', 'host', 'https://shop.example.com'],
    ['https://shop.example.com{{action.event.topic}}', 'url'],
    ['https://{{action.event.topic}}.example.com/a', 'url'],
    ['{{action.event.kwargs.url}}', 'url'],
  ]
  for (const [url, kind, origin] of targets) {
    it(`takes ${url} for a ${kind === 'host' ? 'fixed host' : 'computed one'}`, () => {
      const target = planOf({ topic: 'a.b', to: { url } })?.target
      expect(target?.kind).to.equal(kind)
      if (target?.kind === 'host') expect(target.origin).to.equal(origin)
    })
  }
})
