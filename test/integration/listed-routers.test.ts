/** A gateway with a list of routers, whose first one is killed and comes back: calls, streams and WAMP clients go on at the second, and then at the first. */
import { expect } from 'chai'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import { Routers } from '#component/wamp/routers/routers.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { RouterPeer } from '#test/contract/router/peer.ts'
import { basics } from '#test/contract/session/support.ts'
import { type EventStream, openEventStream } from '#test/support/event-stream.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { until } from '#test/support/running/until.ts'

const realm_uri = 'com.example.test'
const [procedure, topic] = ['com.example.test.work', 'com.example.test.news']
const where = 'com.example.test.where'

const document = {
  ...{ id: 'com.example.listed', host: '_', realm_uri },
  versions: {
    one: {
      base_path: '/l',
      paths: {
        '/work': {
          get: {
            action: { type: 'wamp_call', procedure },
            response: { on_result: { body: '{{action.result.args}}' }, on_error: {} },
          },
        },
        '/where': {
          get: {
            action: { type: 'wamp_call', procedure: where, args: ['{{request.query_params.n}}'] },
            response: { on_result: { body: '{{action.result.args}}' }, on_error: {} },
          },
        },
        '/news': {
          get: { action: { type: 'wamp_subscribe', topic }, response: { on_error: {} } },
        },
      },
    },
  },
}

describe('a gateway with a list of routers', () => {
  let routers: readonly [TestRouter, TestRouter]
  let gateway: TestGateway
  let backend: SupervisedSession
  let events: EventStream

  before(async () => {
    routers = [await openEmbeddedRouter(), await openEmbeddedRouter()]
    const urls = [routers[0].url, routers[1].url] as const
    gateway = await startGateway({
      'wamp.url': JSON.stringify(urls),
      'wamp.failback_after': '2000',
    })
    await gateway.mustLoad(document)
    backend = componentSession({ ...basics, realm_uri, routers: new Routers(urls) })
    expect(await backend.joined(10_000)).to.equal(true)
    await backend.register(procedure, () => ({ args: ['done'], kwargs: {} }))
    events = await openEventStream(`${gateway.url}/l/news`)
  })
  after(async () => {
    events?.close()
    await backend?.leave()
    await gateway?.stop()
    for (const router of routers) await router.stop()
  })

  const call = async () => (await fetch(`${gateway.url}/l/work`)).status

  it('shows its routers', () => {
    expect(gateway.routerUrl).to.equal(`${routers[0].url}, ${routers[1].url}`)
  })

  it('calls and streams at the first, and at the second when that is killed', async () => {
    expect(await call()).to.equal(200)
    await backend.publish(topic, { args: ['one'], kwargs: {} }, {}, 5000)
    const first = await events.next()
    expect(first.event).to.equal(undefined)
    await routers[0].kill()
    const gap = await events.next()
    expect(gap.event).to.equal('gap')
    expect(JSON.parse(gap.data).code).to.equal('router_lost')
    await until('calls reach the callee again', async () => (await call()) === 200)
    await backend.publish(topic, { args: ['two'], kwargs: {} }, {}, 5000)
    expect((await events.next()).event).to.equal(undefined)
  })

  it('answers for its management procedures there, which WAMP clients reach over /ws', async () => {
    const url = `${gateway.url.replace('http', 'ws')}/ws`
    const peer = await RouterPeer.join({ url, realm: 'service.gateway' })
    let request = 0
    await until('they are registered there', async () => {
      request += 1
      return (await peer.ask(48, request, {}, 'service.list_api_specs'))[0] === 50
    })
    peer.cut()
  })

  it('goes back to the first once that is up again, and loses no call', async () => {
    await routers[0].restart()
    const backends = routers.map(({ url }) => componentSession({ ...basics, realm_uri, url }))
    for (const [index, each] of backends.entries()) {
      expect(await each.joined(10_000)).to.equal(true)
      await each.register(where, ({ args }) => ({ args: [args[0], index], kwargs: {} }))
    }
    const answers: unknown[] = []
    const expected: unknown[] = []
    const places: number[] = []
    await until('calls reach the first router again', async () => {
      const n = `n${expected.length}`
      const response = await fetch(`${gateway.url}/l/where?n=${n}`)
      const [echo, place] = (await response.json()) as [string, number]
      expected.push([200, n])
      answers.push([response.status, echo])
      places.push(place)
      return place === 0
    })
    expect(answers).to.deep.equal(expected)
    expect(places[0]).to.equal(1)
    const gap = await events.next()
    expect([gap.event, JSON.parse(gap.data).code]).to.deep.equal(['gap', 'router_lost'])
    await backends[0]?.publish(topic, { args: ['three'], kwargs: {} }, {}, 5000)
    expect(JSON.parse((await events.next()).data).args).to.deep.equal(['three'])
    const registry = (await (await fetch(`${gateway.adminUrl}/registry`)).json()) as {
      router_sessions: readonly { router: string }[]
    }
    expect(new Set(registry.router_sessions.map(({ router }) => router))).to.deep.equal(
      new Set([routers[0].url]),
    )
    const metrics = await (await fetch(`${gateway.adminUrl}/metrics`)).text()
    expect(metrics).to.match(/^gateway_router_failovers_total 2$/m)
    await Promise.all(backends.map((each) => each.leave()))
  })
})
