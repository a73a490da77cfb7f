/** What deliveries would make of an event, as it is explained. */
import { expect } from 'chai'
import { compileDocument } from '#component/compile/compile-document.ts'
import { InvalidSpecError } from '#component/errors.ts'
import { explainEvent, readEvent } from '#component/explain/explanation/explained-event.ts'
import { RoutingTable } from '#component/routes/routing-table.ts'
import { compilePorts, ports } from '#test/unit/explain/rehearse.ts'

const to = { url: 'https://shop.example.com/hooks', headers: { authorization: 'Bearer sssh' } }

const documents = [
  {
    ...{ id: 'com.example.hooks', realm_uri: 'com.example' },
    deliveries: {
      orders: { topic: 'com.example.order.', match: 'prefix', to, sign: 'shop', order: 'all' },
      paid: { topic: 'com.example.order.created', to, filter: '{{action.event.kwargs.paid}}' },
      others: { topic: 'com.example.invoice', to },
    },
  },
  {
    ...{ id: 'com.other.hooks', realm_uri: 'com.other' },
    deliveries: { all: { topic: 'com.', match: 'prefix', to, is_active: false } },
  },
]

const { table } = RoutingTable.build(
  documents.flatMap((one) => compileDocument(one, compilePorts).api?.entries ?? []),
)

const explained = (event: object, within?: string) => {
  const isVisible = (realm_uri: unknown) => within === undefined || within === realm_uri
  return explainEvent(readEvent(event), { table, isVisible }, ports.codec, []).deliveries
}

const topic = 'com.example.order.created'

describe('an explained event', () => {
  it('tells each delivery whose topic it has, and what would be sent', () => {
    const rows = explained({ topic, kwargs: { paid: false } })
    expect(rows.map(({ delivery, request }) => [delivery, request?.method ?? null])).to.deep.equal([
      ['orders', 'POST'],
      ['paid', null],
      ['all', 'POST'],
    ])
    expect(rows[0]).to.deep.include({ sign: 'shop', order: 'all', is_active: true, error: null })
    expect(rows[2]).to.deep.include({ sign: null, order: null, is_active: false })
    expect(rows[0]?.request?.body).to.deep.include({ type: topic, data: { paid: false } })
  })

  it('tells why the document cannot render it', () => {
    const [, paid] = explained({ topic })
    expect(paid?.request).to.equal(null)
    expect(paid?.error).to.include('paid')
  })

  it('tells nothing of other realms, and no secret', () => {
    const rows = explained({ topic, kwargs: { paid: true } }, 'com.example')
    expect(rows.map(({ delivery }) => delivery)).to.deep.equal(['orders', 'paid'])
    expect(JSON.stringify(rows)).not.to.include('sssh')
  })

  for (const [what, event, path] of [
    ['no topic', {}, '/event/topic'],
    ['no map', 1, '/event'],
    ['kwargs that are a list', { topic, kwargs: [] }, '/event/kwargs'],
    ['a misspelt key', { topic, kwarg: {} }, '/event/kwarg'],
  ] as const) {
    it(`is refused with ${what}`, () => {
      expect(() => readEvent(event))
        .to.throw(InvalidSpecError)
        .with.nested.property('issues[0].path', path)
    })
  }
})
