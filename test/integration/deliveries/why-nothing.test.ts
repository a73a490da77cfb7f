/** From an alert to the row with its reason: the commands of the page that the runbook names, for each cause that a partner of a document gets nothing. */
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { alerts } from '#test/deploy/alerts.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { Authority } from '#test/support/tls/authority.ts'
import { runCli } from '#test/unit/cli/terminal.ts'
import {
  deliveryTo,
  documentOf,
  openPublisher,
  openReceiver,
  type Publisher,
  type Receiver,
} from './deliveries.setup.ts'
import { commands, meanings } from './runbook.ts'

const topic = 'com.example.order.new'
const place = { id: 'com.example.hooks', name: 'orders' }

/** What has gone wrong, and how an operator sees it. */
interface Cause {
  readonly what: string
  /** Of the delivery. */
  readonly changes?: object
  readonly status?: number
  /** Where it goes instead; a part of the origin. */
  readonly isTls?: boolean
  /** What an operator has done before. */
  readonly verb?: 'pause'
  readonly events: number
  readonly alert: string
  /** What the page explains, and both commands tell. */
  readonly told: string
  /** In the row, beside it. */
  readonly last: RegExp
}

const once = { retry: { delays: [1], jitter: 0 } }

const causes: readonly Cause[] = [
  {
    ...{ what: 'the partner fails', status: 500, events: 6 },
    ...{ alert: 'WampGatewayDeliveryLate', told: 'failing', last: /pending .* 500$/m },
  },
  {
    ...{ what: 'the certificate of the partner is wrong', isTls: true, events: 6 },
    ...{
      alert: 'WampGatewayDeliveryLate',
      told: 'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
      last: /failing[\s\S]*pending .*\(UNABLE_/,
    },
  },
  {
    ...{ what: 'the partner has refused each attempt', status: 503, events: 1, changes: once },
    ...{ alert: 'WampGatewayDeliveryDead', told: 'dead (exhausted)', last: / 503$/m },
  },
  {
    ...{ what: 'the partner is gone', status: 410, events: 1 },
    ...{ alert: 'WampGatewayDeliveryStopped', told: 'stopped (gone)', last: /pending .* 410$/m },
  },
  {
    ...{ what: 'an operator has paused it', verb: 'pause', events: 1 },
    ...{ alert: 'WampGatewayDeliveryLate', told: 'paused', last: /pending/ },
  },
  {
    ...{ what: 'the document fails for the event', events: 1 },
    changes: { body: '{{action.event.kwargs.none}}' },
    ...{ alert: 'WampGatewayDeliveryDead', told: 'dead (not_rendered)', last: /kwargs/ },
  },
  {
    ...{ what: 'the realm has no such signer', events: 1, changes: { sign: 'shop' } },
    ...{ alert: 'WampGatewayDeliveryDead', told: 'dead (refused)', last: /no signer "shop"/ },
  },
  {
    ...{ what: 'there is no room for more', verb: 'pause', events: 4, changes: { max_pending: 1 } },
    ...{ alert: 'WampGatewayDeliveryGap', told: 'full', last: /^full .* [1-9]\d*$/m },
  },
]

describe('why a partner gets nothing', () => {
  let gateway: TestGateway
  let receiver: Receiver
  let publisher: Publisher
  const authority = new Authority('Of nobody')
  const { cert, key } = authority.issue({ name: 'localhost', dns: ['localhost'] })
  const untrusted = createServer({ cert, key })

  before(async () => {
    await new Promise<void>((resolve) => untrusted.listen(0, '127.0.0.1', resolve))
  })
  after(() => {
    untrusted.close()
  })
  beforeEach(async () => {
    gateway = await startGateway()
    publisher = await openPublisher(gateway.routerUrl)
    receiver = await openReceiver()
  })
  afterEach(async () => {
    receiver.close()
    await publisher?.close()
    await gateway?.stop()
  })

  const run = async (args: readonly string[]) => {
    const { code, out, err } = await runCli([...args, '--admin', gateway.adminUrl])
    expect(code, err).to.equal(0)
    return out
  }
  const one = ['deliveries', place.id, place.name] as const

  /** The value of the series that an alert looks at. */
  const seen = async (alert: string): Promise<number> => {
    const expr = alerts.find((each) => each.alert === alert)?.expr ?? ''
    const [, metric = '', labels = ''] = /(gateway_delivery_\w+)(?:\{([^}]*)\})?/.exec(expr) ?? []
    const text = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`))
    const ours = lines.filter((line) => line.includes('delivery="orders"') && line.includes(labels))
    return ours.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' '))), 0)
  }

  for (const { what, changes, status, isTls, verb, events, alert, told, last } of causes) {
    it(`is found: ${what}`, async () => {
      const delivery = deliveryTo(receiver)
      await gateway.mustLoad(documentOf({ orders: delivery }))
      await untilHolds(async () => {
        await publisher.publish('com.example.order.hello', {})
        return receiver.received.length > 0
      })
      receiver.answer = () => [status ?? 200]
      const { port } = untrusted.address() as AddressInfo
      const to = isTls ? { to: { url: `https://localhost:${port}/hooks` } } : {}
      await gateway.mustLoad(documentOf({ orders: { ...delivery, ...to, ...changes } }))
      if (verb) await run([...one, verb])
      for (let id = 0; id < events; id += 1) await publisher.publish(topic, { id })

      await untilHolds(async () => (await seen(alert)) > 0)
      const isDead = told.startsWith('dead')
      const [list = [], ...others] = commands(place)
      expect(await run(list)).to.include(place.name)
      const rows = others.find((args) => args.at(-1) === (isDead ? 'dead' : 'pending')) ?? []
      expect(rows.slice(0, 3)).to.deep.equal(one)
      let out = ''
      await untilHolds(async () => {
        out = await run(rows)
        return out.includes(told) && last.test(out)
      })
      expect(
        meanings.some((cell) => cell.includes(`\`${told}\``)),
        told,
      ).to.equal(true)
    })
  }
})
