/** `deliver`: an event for a delivery of the document. */
import { expect } from 'chai'
import { deliverAction } from '#component/action/deliver/perform.ts'
import { noTarget } from '#component/action/watching/action-target.ts'
import { compileDocument } from '#component/compile/compile-document.ts'
import { ServiceError } from '#component/errors.ts'
import { compilePorts, rehearse } from '#test/unit/explain/rehearse.ts'
import { runOf } from './doubles.ts'

const fields = { delivery: 'orders', topic: 'com.example.order', kwargs: { id: 7 } }
const target = { ...noTarget, api: 'com.example.hooks' }
const kept = { webhook_id: 'msg_1', is_repeat: true }

/** What the action answers, and what it has handed in. */
async function performed(more: object, answer: object | ServiceError = kept, run = {}) {
  const handed: unknown[] = []
  const action = deliverAction({
    allowedDynamicUris: [],
    async handIn(to, event) {
      handed.push({ to, event })
      if (answer instanceof Error) throw answer
      return answer as typeof kept
    },
  })
  const outcome = await action
    .perform({ ...fields, ...more }, runOf({ target, ...run }).run)
    .catch((error: unknown) => error)
  return { outcome, handed }
}

describe('deliver', () => {
  it('hands the event to the delivery of its document, and answers once that has it', async () => {
    const { outcome, handed } = await performed({ args: [1], id: 42 })
    expect(outcome).to.deep.equal({ result: kept })
    const [{ to, event } = {}] = handed as { to?: object; event?: object }[]
    expect(to).to.deep.include({ api_spec: 'com.example.hooks', name: 'orders' })
    expect(event).to.deep.equal({ topic: fields.topic, args: [1], kwargs: { id: 7 }, id: '42' })
  })

  for (const id of [undefined, null, '']) {
    it(`has no id of ${id}`, async () => {
      const { handed } = await performed({ id })
      expect((handed as { event: object }[])[0]?.event).not.to.have.property('id')
    })
  }

  it('is refused an id that is a map, or too long', async () => {
    for (const id of [{}, 'x'.repeat(256)]) {
      const { outcome, handed } = await performed({ id })
      expect(outcome)
        .to.have.property('message')
        .that.includes('id: expected a text of at most 255')
      expect(handed).to.deep.equal([])
    }
  })

  it('names no topic of the gateway that a request has decided', async () => {
    const { outcome } = await performed({ topic: 'service.a' }, kept, {
      computed: new Set(['topic']),
    })
    expect(outcome).to.have.property('uri', 'wamp.error.not_authorized')
  })

  it('is unavailable where the event cannot be kept', async () => {
    const error = new ServiceError('service.error.unavailable', 'the delivery is full')
    expect((await performed({}, error)).outcome).to.equal(error)
  })

  it('ends in an error of the action where the delivery is gone', async () => {
    const { outcome } = await performed({}, new ServiceError('service.error.not_found', 'gone'))
    expect(outcome).to.have.nested.property('error.error_uri', 'service.error.not_found')
    expect(outcome).to.have.property('effect', 'none')
  })
})

/** A document with a route that hands in. */
const documentWith = (action: unknown, more: object = {}) => ({
  ...{ id: 'a', host: '_', realm_uri: 'com.example' },
  deliveries: { orders: { topic: 'com.example.order', to: { url: 'https://a.example' } } },
  versions: {
    1: {
      base_path: '/',
      paths: {
        '/orders': {
          post: {
            action,
            response: { on_result: { body: '{{action.result}}', status_code: 202 } },
            ...more,
          },
        },
      },
    },
  },
})

describe('a document with deliver', () => {
  it('answers what became of the event', async () => {
    const { reply } = await rehearse(documentWith({ type: 'deliver', ...fields }), {
      request: { method: 'post', path: '/orders', body: {} },
    } as never)
    expect(reply?.status).to.equal(202)
  })

  for (const [what, action, issue] of [
    [
      'a delivery that it has not',
      { type: 'deliver', ...fields, delivery: 'other' },
      ['/versions/1/paths/~1orders/post/action/delivery', 'the document has no delivery "other"'],
    ],
    [
      'one in a list',
      [{ type: 'static' }, { type: 'deliver', ...fields, delivery: 'other' }],
      ['/versions/1/paths/~1orders/post/action/1/delivery', 'the document has no delivery "other"'],
    ],
    [
      'no topic',
      { type: 'deliver', delivery: 'orders' },
      [
        '/versions/1/paths/~1orders/post/action/topic',
        'topic is missing: expected the topic of the event',
      ],
    ],
  ] as const) {
    it(`is refused with ${what}`, () => {
      const { issues } = compileDocument(documentWith(action), compilePorts)
      expect(issues.map(({ path, message }) => [path, message])).to.deep.equal([issue])
    })
  }

  it('is refused where a request decides the delivery', () => {
    const action = { type: 'deliver', ...fields, delivery: '{{request.body.name}}' }
    const { issues } = compileDocument(documentWith(action), compilePorts)
    expect(issues).to.have.length(1)
    expect(issues[0]?.message).to.include('delivery')
  })
})
