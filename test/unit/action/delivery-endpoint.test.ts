/** `delivery_endpoint`: what users do with their own endpoints, and which URLs those may have. */
import { expect } from 'chai'
import { deliveryEndpointAction } from '#component/action/delivery-endpoint/perform.ts'
import { noTarget } from '#component/action/watching/action-target.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import { readEndpointUrl } from '#component/delivery/endpoints/endpoint-url.ts'
import { endpointHosts } from '#component/delivery/endpoints/public-hosts.ts'
import type { Identity } from '#component/identity.ts'
import { compilePorts, rehearse } from '#test/unit/explain/rehearse.ts'
import { runOf } from './doubles.ts'

const target = { ...noTarget, api: 'com.example.hooks' }
const userOf = (authmethod: string): Identity => ({
  ...runOf().run.identity,
  ...{ authid: 'ada', authmethod },
})

/** What the action asks for, or why it does not. */
async function performed(fields: object, authmethod = 'basic') {
  const asked: unknown[] = []
  const action = deliveryEndpointAction({
    async manageEndpoint({ verb, name, api_spec, given, identity }) {
      asked.push({ verb, name, api_spec, given, authid: identity.authid })
      return { endpoint: null }
    },
  })
  const { run } = runOf({ target, identity: userOf(authmethod) })
  const outcome: unknown = await action
    .perform({ delivery: 'orders', ...fields }, run)
    .catch((error: unknown) => error)
  return { outcome, asked }
}

describe('delivery_endpoint', () => {
  const verbs = [
    { fields: { do: 'add', url: 'https://a.example/' }, given: 'https://a.example/' },
    { fields: { do: 'list' }, given: '' },
    { fields: { do: 'remove', id: 'ep_1' }, given: 'ep_1' },
    { fields: { do: 'rotate', id: 'ep_1' }, given: 'ep_1' },
  ]
  for (const { fields, given } of verbs) {
    it(`asks for ${fields.do}, for the user of the request and the delivery of its document`, async () => {
      const { outcome, asked } = await performed(fields)
      expect(outcome).to.deep.equal({ result: { endpoint: null } })
      const named = { name: 'orders', api_spec: 'com.example.hooks', authid: 'ada' }
      expect(asked).to.deep.equal([{ verb: fields.do, given, ...named }])
    })

    it(`asks for no ${fields.do} where the request has no user`, async () => {
      const { outcome, asked } = await performed(fields, 'anonymous')
      expect(outcome).to.include({ uri: 'wamp.error.not_authorized' })
      expect(asked).to.deep.equal([])
    })
  }

  const wrong = [
    { do: 'add', key: 'url' },
    { do: 'remove', key: 'id' },
    { do: 'rotate', key: 'id' },
  ]
  for (const { do: verb, key } of wrong) {
    for (const value of ['', null, undefined, 7, ['ep_1']]) {
      it(`refuses ${verb} where ${key} is ${JSON.stringify(value)}`, async () => {
        const { outcome, asked } = await performed({ do: verb, [key]: value })
        expect(outcome).to.include({ message: `${key}: expected a text` })
        expect(asked).to.deep.equal([])
      })
    }
  }
})

describe('the URL of an endpoint', () => {
  const { listed } = endpointHosts(['10.0.0.7:8080', '*.internal.example'])

  const taken = [
    ['https://a.example', 'https://a.example/'],
    ['HTTPS://A.Example:443/x/../hooks?b=1', 'https://a.example/hooks?b=1'],
    ['https://a.example:8443/', 'https://a.example:8443/'],
    ['http://10.0.0.7:8080/hooks', 'http://10.0.0.7:8080/hooks'],
    ['http://one.internal.example/', 'http://one.internal.example/'],
  ] as const
  for (const [url, text] of taken) {
    it(`takes ${url}`, () => {
      expect(readEndpointUrl(url, listed)).to.include({ text })
    })
  }

  const refused = [
    [undefined, 'it is no text'],
    [7, 'it is no text'],
    ['', 'it is no text'],
    ['/hooks', 'it is malformed'],
    [`https://a.example/${'x'.repeat(2_048)}`, 'it has more than 2048 characters'],
    ['ftp://a.example/', 'its scheme is not https'],
    ['javascript:alert(1)', 'its scheme is not https'],
    ['http://a.example/', 'its scheme is not https'],
    ['http://10.0.0.7:8081/', 'its scheme is not https'],
    ['https://ada@a.example/', 'it holds a user or a password'],
    ['https://:secret@a.example/', 'it holds a user or a password'],
    ['https://a.example/#part', 'it has a fragment'],
    ['https://127.0.0.1/', 'its address is not public'],
    ['https://2130706433/', 'its address is not public'],
    ['https://0x7f.1/', 'its address is not public'],
    ['https://10.0.0.8/', 'its address is not public'],
    ['https://169.254.169.254/latest/meta-data/', 'its address is not public'],
    ['https://[::1]/', 'its address is not public'],
    ['https://[::ffff:10.0.0.8]/', 'its address is not public'],
    ['https://[fd00:ec2::254]/', 'its address is not public'],
  ] as const
  for (const [url, problem] of refused) {
    it(`refuses ${String(url).slice(0, 50)}: ${problem}`, () => {
      expect(readEndpointUrl(url, listed)).to.equal(problem)
    })
  }
})

/** A document whose users add endpoints. */
const documentWith = (action: object, to: object = { endpoints: {} }, security = true) => ({
  ...{ id: 'a', host: '_', realm_uri: 'com.example' },
  deliveries: { orders: { topic: 'com.example.order', to } },
  versions: {
    1: {
      base_path: '/',
      ...(security && { defaults: { security: { type: 'basic' } } }),
      paths: {
        '/endpoints': {
          post: {
            action: { type: 'delivery_endpoint', delivery: 'orders', ...action },
            response: { on_result: { body: '{{action.result}}', status_code: 201 } },
          },
        },
      },
    },
  },
})

const add = { do: 'add', url: '{{request.body.url}}' }

describe('a document with delivery_endpoint', () => {
  it('is taken where the delivery has endpoints of users, and the operation has security', () => {
    const { issues } = compileDocument(documentWith(add), compilePorts)
    expect(issues.map(({ path, message }) => [path, message])).to.deep.equal([])
  })

  it('is explained without a user: the request is refused before the action', async () => {
    const request = { method: 'post', path: '/endpoints', body: {} }
    const { reply } = await rehearse(documentWith(add), { request } as never)
    expect(reply?.status).to.equal(401)
  })

  for (const [what, document, key, message] of [
    [
      'another delivery',
      documentWith({ ...add, delivery: 'other' }),
      ...['/delivery', 'the document has no delivery "other"'],
    ],
    [
      'a delivery to one place',
      documentWith(add, { url: 'https://a.example' }),
      ...['/delivery', 'the delivery "orders" has no endpoints of users: its "to" has none'],
    ],
    [
      'no security',
      documentWith(add, { endpoints: {} }, false),
      ...['', 'delivery_endpoint acts for the user of the request: the operation needs security'],
    ],
    [
      'no URL to add',
      documentWith({ do: 'add' }),
      ...['/url', 'url is missing: expected the URL of the endpoint'],
    ],
    [
      'no id to remove',
      documentWith({ do: 'remove' }),
      ...['/id', 'id is missing: expected the id of the endpoint'],
    ],
    [
      'a verb that a request decides',
      documentWith({ do: '{{request.body.do}}' }),
      ...['/do', 'expected one of add, list, remove, rotate, got "{{request.body.do}}"'],
    ],
  ] as const) {
    it(`is refused with ${what}`, () => {
      const { issues } = compileDocument(document, compilePorts)
      const path = `/versions/1/paths/~1endpoints/post/action${key}`
      expect(issues[0]).to.deep.include({ path, message })
    })
  }
})
