/** The deliveries of a document in its description. */
import { expect } from 'chai'
import { call, documentOf } from '#test/unit/gateway/fake-exchange.ts'
import { describeDocument, type Seen } from './describe.ts'

const orders = {
  ...{ topic: 'com.example.order', sign: 'shop', description: 'Orders that were made.' },
  to: { url: 'https://shop.example.com/secret-path' },
}

const { description: _, ...untold } = orders

/** What is told of deliveries. */
function webhooks(deliveries: object): Seen {
  return describeDocument({ ...documentOf({ '/a': { get: call() } }), deliveries }).webhooks
}

describe('the webhooks of a description', () => {
  it('are the deliveries with a description, with the body that is sent', () => {
    const found = webhooks({
      orders,
      others: untold,
      off: { ...orders, is_active: false },
    })
    expect(Object.keys(found)).to.deep.equal(['orders'])
    const { post } = found.orders as Seen
    expect(post.description).to.equal(orders.description)
    expect(post.parameters.map(({ name }: { name: string }) => name)).to.deep.equal([
      'webhook-id',
      'webhook-timestamp',
    ])
    expect(post.requestBody.content['application/json'].schema.required).to.deep.equal([
      'type',
      'timestamp',
      'data',
    ])
    expect(Object.keys(post.responses)).to.deep.equal(['410', '2XX', 'default'])
  })

  it('tell neither where requests go, nor who signs them', () => {
    const text = JSON.stringify(webhooks({ orders }))
    for (const one of ['shop.example.com', 'secret-path', '"shop"'])
      expect(text).not.to.include(one)
  })

  it('tell the body of the document as far as it is written out', () => {
    const body = {
      type: 'order',
      id: '{{action.event.kwargs.id}}',
      list: ['{{action.event.args}}'],
    }
    const { put } = webhooks({
      orders: {
        ...orders,
        to: {
          ...orders.to,
          method: 'put',
          headers: { 'Content-Type': 'application/vnd.shop+json' },
        },
        body,
      },
    }).orders
    expect(put.requestBody.content).to.deep.equal({
      'application/vnd.shop+json': {
        schema: {
          type: 'object',
          properties: { type: { const: 'order' }, id: {}, list: { type: 'array' } },
          required: ['type', 'id', 'list'],
        },
      },
    })
  })

  it('are absent where there is none', () => {
    expect(webhooks({ orders: untold })).to.equal(undefined)
  })
})
