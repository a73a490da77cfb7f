/** The procedures for deliveries, before an outbox in memory. */
import { expect } from 'chai'
import type { Delivery } from '#component/delivery/types.ts'
import { ServiceError } from '#component/errors.ts'
import { perform } from '#procedures/definition/procedure.ts'
import { deadEvent, deadPayload, memoryDeliveries } from '#test/unit/delivery/memory-outbox.ts'
import { ada, find, managementOf } from './doubles.ts'

const reader = { by: 'rita', access: 'read' } as const
const id = 'com.example.hooks'
const within = { ...ada, within: 'com.example.realm' }
const elsewhere = { ...ada, within: 'com.third' }

/** What a procedure answers, and what the outbox was asked. */
async function answer(
  name: string,
  args: readonly unknown[],
  caller: typeof ada = ada,
  ofUsers?: Delivery['endpoints'],
) {
  const deliveries = memoryDeliveries(ofUsers)
  const { management } = await managementOf({ deliveries })
  const procedure = find(name)
  const values = procedure.parameters.map((_, index) => args[index])
  const { value } = await perform(procedure, management, values, caller)
  return { value: value as Record<string, unknown>, asked: deliveries.asked }
}

const refusal = (...given: Parameters<typeof answer>) =>
  answer(...given).then(
    () => undefined,
    (error: unknown) => (error instanceof ServiceError ? `${error.uri}: ${error.message}` : error),
  )

const names = ({ deliveries }: Record<string, unknown>) =>
  (deliveries as { name: string; topic: string | null }[]).map(({ name, topic }) => [name, topic])

describe('list_deliveries', () => {
  const both = [
    ['orders', 'com.example.order.created'],
    ['gone', null],
  ]
  it('tells those of all documents, of one, and of the realm of the caller', async () => {
    expect(names((await answer('list_deliveries', [])).value)).to.deep.equal(both)
    expect(names((await answer('list_deliveries', [id])).value)).to.deep.equal(both.slice(0, 1))
    expect(names((await answer('list_deliveries', [], within)).value)).to.deep.equal(
      both.slice(0, 1),
    )
    expect(
      names((await answer('list_deliveries', ['com.other.hooks'], within)).value),
    ).to.deep.equal([])
  })

  it('tells which have endpoints of users', async () => {
    const { value } = await answer('list_deliveries', [], ada, { perUser: 10 } as never)
    const told = value.deliveries as readonly { readonly has_endpoints: boolean }[]
    expect(told.map(({ has_endpoints }) => has_endpoints)).to.deep.equal([true, false])
    const other = (await answer('list_deliveries', [])).value.deliveries as typeof told
    expect(other.map(({ has_endpoints }) => has_endpoints)).to.deep.equal([false, false])
  })
})

describe('list_delivery_events', () => {
  it('tells events and gaps, and no payload', async () => {
    const { value, asked } = await answer(
      'list_delivery_events',
      [id, 'orders', 'dead', '5', 'c'],
      reader,
    )
    expect(value).to.deep.include({ events: [deadEvent], cursor: 'next' })
    expect(value.gaps).to.have.length(1)
    expect(value.delivery).to.deep.include({ state: 'failing', topic: 'com.example.order.created' })
    expect(JSON.stringify(value)).not.to.include('4111')
    expect(asked).to.deep.equal([
      ['events', `${id} orders`, { limit: 5, state: 'dead', after: 'c' }],
    ])
  })

  for (const [what, args, message] of [
    ['another state', [id, 'orders', 'lost'], 'state: expected one of pending, held, done, dead'],
    ['a limit of 0', [id, 'orders', undefined, '0'], 'limit: expected an integer from 1 to 1000'],
    [
      'a limit of 1,001',
      [id, 'orders', undefined, '1001'],
      'limit: expected an integer from 1 to 1000',
    ],
    [
      'a limit that is no number',
      [id, 'orders', undefined, 'ten'],
      'limit: expected an integer from 1 to 1000',
    ],
  ] as const) {
    it(`refuses ${what}`, async () => {
      expect(await refusal('list_delivery_events', args)).to.equal(
        `wamp.error.invalid_argument: ${message}`,
      )
    })
  }
})

describe('get_delivery_event', () => {
  it('tells the payload to those who may load alone', async () => {
    const { value } = await answer('get_delivery_event', [id, 'orders', 'msg_1'])
    expect(value.event).to.deep.equal(deadPayload)
    expect(
      await refusal('get_delivery_event', [id, 'orders', 'msg_1'], reader as never),
    ).to.include('not_authorized')
    expect(await refusal('get_delivery_event', [id, 'orders', 'msg_2'])).to.include('not_found')
  })
})

describe('what is done to events and deliveries', () => {
  const rows: readonly (readonly [
    name: string,
    args: readonly unknown[],
    asked: readonly unknown[],
  ])[] = [
    [
      'replay_delivery_events',
      [id, 'orders', ['msg_1']],
      ['replay', `${id} orders`, { webhook_ids: ['msg_1'] }],
    ],
    [
      'replay_delivery_events',
      [id, 'orders', undefined, 'dead'],
      ['replay', `${id} orders`, { state: 'dead' }],
    ],
    [
      'drop_delivery_events',
      [id, 'orders', undefined, 'pending'],
      ['drop', `${id} orders`, { state: 'pending' }],
    ],
    ['pause_delivery', [id, 'orders'], ['pause', `${id} orders`]],
    ['resume_delivery', [id, 'orders'], ['resume', `${id} orders`]],
    [
      'test_delivery',
      [id, 'orders'],
      ['test', `${id} orders`, { topic: 'com.example.order.created', args: [], kwargs: {} }],
    ],
    [
      'test_delivery',
      [id, 'orders', { topic: 'a.b', kwargs: { id: 1 } }],
      ['test', `${id} orders`, { topic: 'a.b', args: [], kwargs: { id: 1 } }],
    ],
  ]
  for (const [name, args, expected] of rows) {
    it(`is asked of the outbox: ${name} ${JSON.stringify(args.slice(2))}`, async () => {
      expect((await answer(name, args)).asked).to.deep.equal([expected])
    })

    it(`is refused to those who may only read, and of other realms: ${name}`, async () => {
      expect(await refusal(name, args, reader as never)).to.include('not_authorized')
      expect(await refusal(name, args, elsewhere)).to.include('not_authorized')
      expect(await refusal(name, ['com.none', 'orders', ...args.slice(2)])).to.include('not_found')
    })
  }

  for (const [what, name, args, message] of [
    [
      'neither ids nor a state',
      'replay_delivery_events',
      [id, 'orders'],
      'expected either webhook_ids or state',
    ],
    [
      'both',
      'drop_delivery_events',
      [id, 'orders', ['a'], 'dead'],
      'expected either webhook_ids or state',
    ],
    [
      'a topic that is none',
      'test_delivery',
      [id, 'orders', { topic: 'a..b' }],
      'event: topic: expected a WAMP URI',
    ],
    [
      'another key',
      'test_delivery',
      [id, 'orders', { id: 1 }],
      'event: expected the keys topic, args and kwargs',
    ],
    [
      'kwargs that are a list',
      'test_delivery',
      [id, 'orders', { kwargs: [] }],
      'event: kwargs: expected an object',
    ],
  ] as const) {
    it(`is refused with ${what}`, async () => {
      expect(await refusal(name, args)).to.include(`wamp.error.invalid_argument: ${message}`)
    })
  }
})
