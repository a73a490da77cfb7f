/** Deliveries of documents: events reach an HTTP endpoint, each of them, in order by key, again until it is taken. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { untilHolds } from '#test/support/running/until.ts'
import {
  deliveryTo,
  documentOf,
  openPublisher,
  openReceiver,
  type Publisher,
  type Receiver,
} from './deliveries.setup.ts'

describe('a delivery of a document', () => {
  let gateway: TestGateway
  let receiver: Receiver
  let publisher: Publisher

  before(async () => {
    gateway = await startGateway()
    publisher = await openPublisher(gateway.routerUrl)
  })
  after(async () => {
    await publisher?.close()
    await gateway?.stop()
  })
  beforeEach(async () => {
    receiver = await openReceiver()
  })
  afterEach(() => receiver.close())

  /** Loads it, and waits until its events come. */
  async function load(delivery: object): Promise<void> {
    await gateway.mustLoad(documentOf({ orders: delivery }))
    await untilHolds(async () => {
      await publisher.publish('com.example.order.hello', {})
      return receiver.received.length > 0
    })
  }
  const told = () => receiver.received.filter(({ body }) => body.type !== 'com.example.order.hello')

  it('is told in /metrics and in /registry', async () => {
    await load(deliveryTo(receiver))
    const ask = async (path: string) => (await fetch(`${gateway.adminUrl}${path}`)).text()
    let registry = ''
    await untilHolds(async () => {
      registry = await ask('/registry')
      return registry.includes('"pending":0')
    })
    const { deliveries } = JSON.parse(registry) as { deliveries: unknown }
    expect(deliveries).to.deep.equal([
      {
        ...{ api_spec: 'com.example.hooks', realm_uri: 'com.example.test', delivery: 'orders' },
        ...{ state: 'active', is_owner: true, pending: 0, dead: 0 },
      },
    ])
    const names = '{api="com.example.hooks",delivery="orders"'
    let lines: readonly string[] = []
    await untilHolds(async () => {
      lines = (await ask('/metrics')).split('\n')
      return lines.includes(`gateway_delivery_pending${names}} 0`)
    })
    for (const line of [
      `gateway_delivery_pending${names}} 0`,
      `gateway_delivery_dead${names}} 0`,
      `gateway_delivery_oldest_seconds${names}} 0`,
      `gateway_delivery_state${names},state="active"} 1`,
      `gateway_delivery_state${names},state="stopped"} 0`,
      `gateway_delivery_attempts_total${names},result="failed"} 0`,
    ]) {
      expect(lines).to.include(line)
    }
  })

  it('sends 150 events of one moment, each once', async () => {
    await load(deliveryTo(receiver))
    const numbers = Array.from({ length: 150 }, (_, index) => index)
    await Promise.all(numbers.map((id) => publisher.publish('com.example.order.new', { id })))
    await untilHolds(() => told().length >= 150)
    const ids = told().map(({ body }) => (body.data as { id: number }).id)
    expect(ids.sort((a, b) => a - b)).to.deep.equal(numbers)
    expect(new Set(told().map(({ id }) => id)).size).to.equal(150)
    expect([...receiver.doubled]).to.deep.equal([])
  })

  it('keeps the order of each key across failures, while other keys go on', async () => {
    const retry = { delays: [1, 1], jitter: 0 }
    await load(deliveryTo(receiver, { order: '{{action.event.kwargs |> get(key, hello)}}', retry }))
    let failures = 2
    receiver.answer = ({ body }) => {
      const { key, id } = body.data as { key: string; id: number }
      return key === 'a' && id === 0 && failures-- > 0 ? [500] : [204]
    }
    for (const id of [0, 1, 2]) {
      for (const key of ['a', 'b']) await publisher.publish('com.example.order.new', { key, id })
    }
    await untilHolds(() => told().length >= 8)
    const of = (key: string) =>
      told()
        .map(({ body, attempt }) => ({ ...(body.data as { key: string; id: number }), attempt }))
        .filter((one) => one.key === key)
        .map(({ id, attempt }) => `${id}/${attempt}`)
    expect(of('a')).to.deep.equal(['0/1', '0/2', '0/3', '1/1', '2/1'])
    expect(of('b')).to.deep.equal(['0/1', '1/1', '2/1'])
  })
})
