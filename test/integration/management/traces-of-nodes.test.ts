/** Trace tokens and traces of a cluster: what one node gives, every node takes. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpAnswer, send } from '#test/support/http-request.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { until } from '#test/support/running/until.ts'

const document = {
  ...{ id: 'com.example.traced', host: '_', realm_uri: 'com.example.test' },
  versions: {
    '1': {
      base_path: '/traced',
      paths: {
        '/:id': {
          get: {
            action: { type: 'static', body: '{{request.bindings.id}}' },
            response: { on_result: {}, on_error: {} },
          },
        },
      },
    },
  },
}

describe('traces of two nodes', () => {
  let router: TestRouter
  let first: TestGateway
  let second: TestGateway

  const issue = async (): Promise<string> => {
    const path = '/api_specs/com.example.traced/trace_tokens'
    const issued = await send(first.adminUrl, path, { method: 'POST', body: { seconds: 60 } })
    expect(issued.status, issued.text).to.equal(201)
    return (issued.json() as { token: string }).token
  }
  const traced = async (token: string): Promise<string> => {
    let answer: HttpAnswer | undefined
    const isTraced = async () => {
      answer = await send(second.url, '/traced/7', { headers: { 'x-gateway-trace': token } })
      return answer.headers['x-gateway-trace-id'] !== undefined
    }
    await until('the second node traces', isTraced)
    return String(answer?.headers['x-gateway-trace-id'])
  }

  before(async () => {
    router = await openEmbeddedRouter()
    const start = (node: string) => startGateway({ 'wamp.url': router.url, node })
    first = await start('first')
    second = await start('second')
    expect((await first.load(document)).status).to.equal(201)
    await until('the second node serves', async () => {
      return (await send(second.url, '/traced/7')).status === 200
    })
  })
  after(async () => {
    await second?.stop()
    await first?.stop()
    await router?.stop()
  })

  it('are listed by either node, with those that have not answered', async () => {
    const id = await traced(await issue())
    for (const { adminUrl } of [first, second]) {
      await until('the trace is listed', async () => {
        const answer = await send(adminUrl, '/api_specs/com.example.traced/traces')
        const { traces, unheard } = answer.json() as { traces: object[]; unheard: string[] }
        expect(unheard).to.deep.equal([])
        const [found] = traces as Record<string, unknown>[]
        if (found?.id !== id) return false
        expect(found).to.include({
          node: 'second',
          method: 'get',
          route: '/traced/:id',
          status: 200,
        })
        return true
      })
    }
  })

  it('have a document whose routes tell at either node how often they were used', async () => {
    const before = Date.now()
    await send(second.url, '/traced/8')
    for (const { adminUrl } of [first, second]) {
      const answer = await send(adminUrl, '/api_specs/com.example.traced/route_use')
      const { routes, ...rest } = answer.json() as { routes: { count: number; used_at: number }[] }
      expect(rest).to.deep.include({ is_whole: true, unheard: [] })
      expect(routes).to.have.length(1)
      expect(routes[0]).to.include({ version: '1', route: '/traced/:id', method: 'get' })
      expect(routes[0]?.used_at).to.be.at.least(before - 1_000)
    }
  })

  it('begin within two seconds after another node has made the token', async () => {
    expect(await traced(await issue())).to.match(/^second\./)
  })

  it('are told by every node', async () => {
    const id = await traced(await issue())
    const [here, there] = await Promise.all(
      [first, second].map(({ adminUrl }) => send(adminUrl, `/traces/${id}`)),
    )
    expect(here?.status, here?.text).to.equal(200)
    expect(here?.json()).to.deep.equal(there?.json())
    expect(here?.json()).to.have.nested.property('matched.pattern', '/traced/:id')
  })

  it('are gone with their node', async () => {
    const id = await traced(await issue())
    await second.stop()
    expect((await send(first.adminUrl, `/traces/${id}`)).status).to.equal(404)
  })
})
