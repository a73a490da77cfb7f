/** Events of a router drop the kept answers of all gateways on it; a gateway that may miss them keeps none. */
import { expect } from 'chai'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { basics } from '#test/contract/session/support.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { openRouter, type TestRouter } from '#test/support/peers/router.ts'
import { TcpProxy } from '#test/support/peers/tcp-proxy.ts'
import { until } from '#test/support/running/until.ts'

const procedure = 'com.example.purging.get'
const topic = 'com.example.purging.on_change'
const id = 'com.example.purging'

const rule = {
  tags: ['{{request.bindings.id}}'],
  purge_on: [{ topic, tags: ['{{action.event.kwargs.id}}'] }],
}
const get = {
  action: { type: 'wamp_call', procedure, args: ['{{request.bindings.id}}'] },
  response: { on_result: { body: '{{action.result.args |> head}}' }, on_error: {} },
}

const document = {
  ...{ id, host: '_', realm_uri: 'com.example.test' },
  versions: {
    one: {
      base_path: '/purging',
      paths: {
        '/:id': { cache: { ttl: 3600, ...rule }, get },
        '/short/:id': { cache: { ttl: 1, ...rule }, timeout: 500, get },
      },
    },
  },
}

/** A gateway, and its link to the router. */
interface Linked {
  readonly gateway: TestGateway
  readonly link: TcpProxy
}

describe('kept answers that wait for events', () => {
  let router: TestRouter
  let backend: SupervisedSession
  let nodes: readonly Linked[]
  const versions = new Map<string, number>()

  before(async () => {
    router = await openRouter()
    const { port, pathname } = new URL(router.url)
    const start = async (): Promise<Linked> => {
      const link = await TcpProxy.open(Number(port))
      const url = `ws://127.0.0.1:${link.port}${pathname}`
      return { link, gateway: await startGateway({ 'wamp.url': url }) }
    }
    nodes = [await start(), await start()]
    backend = componentSession({ ...basics, url: router.url })
    expect(await backend.joined(10_000)).to.equal(true)
    await backend.register(procedure, ({ args }) => ({
      args: [`${args[0]} ${versions.get(String(args[0])) ?? 0}`],
      kwargs: {},
    }))
    const [first] = nodes as readonly [Linked]
    expect((await first.gateway.load(document)).status).to.equal(201)
  })
  after(async () => {
    await backend?.leave()
    for (const { gateway, link } of nodes ?? []) {
      await gateway.stop()
      await link.close()
    }
    await router?.stop()
  })

  const ask = async ({ gateway }: Linked, target: string) => {
    const { text, headers } = await send(gateway.url, `/purging/${target}`)
    return { body: text, status: String(headers['cache-status'] ?? '') }
  }
  const isHit = async (node: Linked, target: string) =>
    (await ask(node, target)).status.startsWith('wamp-gateway; hit')
  const allHit = async (target: string) =>
    (await Promise.all(nodes.map((node) => isHit(node, target)))).every(Boolean)
  const bodies = async (target: string) =>
    (await Promise.all(nodes.map((node) => ask(node, target)))).map(({ body }) => body)
  /** A backend that changes something: first the thing, then the event. */
  const change = async (target: string, version: number) => {
    versions.set(target, version)
    const payload = { args: [], kwargs: { id: target } }
    await backend.publish(topic, payload, { acknowledge: true }, 5_000)
  }

  it('are the new ones on all nodes soon after an acknowledged publication', async () => {
    await change('a', 1)
    await until('it is healed', () => allHit('a'))
    await until('it is healed', () => allHit('b'))
    for (let version = 2; version <= 12; version += 1) {
      await change('a', version)
      const isNew = async () => (await bodies('a')).every((body) => body === `"a ${version}"`)
      await until(`version ${version} is served`, isNew)
      // once it is new it stays new
      expect(await bodies('a')).to.deep.equal([`"a ${version}"`, `"a ${version}"`])
    }
    expect(await allHit('b')).to.equal(true)
  })

  it('are dropped on all nodes by hand, all of a document or those with a tag', async () => {
    const [first] = nodes as readonly [Linked]
    const purge = async (body: object) => {
      const answer = await send(first.gateway.adminUrl, `/api_specs/${id}/purge`, {
        method: 'POST',
        body,
      })
      expect([answer.status, answer.json()]).to.deep.equal([200, { id }])
    }
    await until('it is healed', () => allHit('a'))
    await until('it is healed', () => allHit('b'))
    versions.set('a', 30)
    versions.set('b', 30)
    await purge({ tags: ['a'] })
    const isNew = (target: string) => async () =>
      (await bodies(target)).every((body) => body === `"${target} 30"`)
    await until('it is purged', isNew('a'))
    expect(await allHit('b')).to.equal(true)
    await purge({})
    await until('it is purged', isNew('b'))
    const unknown = await send(first.gateway.adminUrl, '/api_specs/other/purge', {
      method: 'POST',
      body: {},
    })
    expect(unknown.status).to.equal(404)
  })

  it('are gone from a node that has lost its router, and that keeps none until it is back', async () => {
    const [other, cut] = nodes as readonly [Linked, Linked]
    await change('a', 20)
    await until('it is healed', () => allHit('a'))
    cut.link.cut()
    await until('it is healed', async () => !(await isHit(cut, 'a')))
    await change('a', 21)
    await until('the new one is served', async () => (await ask(other, 'a')).body === '"a 21"')
    expect((await ask(cut, 'a')).body).not.to.equal('"a 20"')
    cut.link.heal()
    await until('it is healed', () => allHit('a'))
    expect(await bodies('a')).to.deep.equal(['"a 21"', '"a 21"'])
  })

  it('are not served beyond their ttl by a node whose network is dead without a sign of it', async () => {
    const [, held] = nodes as readonly [Linked, Linked]
    await change('c', 40)
    await until('it is kept', () => isHit(held, 'short/c'))
    held.link.hold()
    await change('c', 41)
    await until('it is not kept any more', async () => !(await isHit(held, 'short/c')))
    const { body } = await ask(held, 'short/c')
    expect(body).not.to.equal('"c 40"')
    held.link.heal()
    const isNew = async () => (await bodies('short/c')).every((one) => one === '"c 41"')
    await until('it is healed', isNew)
  })
})
