/** Procedures that the router refuses to register: the load, /ready, /registry and the metrics tell. A gateway of its own, of which /ready is asked. */
import { expect } from 'chai'
import { Wampy } from 'wampy'
import { WebSocket } from 'ws'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { documentOf, openCaller, realm } from './procedures.setup.ts'

interface ToldNode {
  readonly state: string
  readonly reason: string | null
  readonly calls: object
  readonly called_at: number | null
}

describe('a procedure that a backend has registered', () => {
  let gateway: TestGateway
  let backend: Wampy

  before(async () => {
    gateway = await startGateway()
    backend = new Wampy(gateway.routerUrl, { realm, ws: WebSocket as never, autoReconnect: false })
    await backend.connect()
    await backend.register('com.example.taken', () => ({}))
  })
  after(async () => {
    await backend?.disconnect()
    await gateway?.stop()
  })

  const textOf = async (path: string) => await (await fetch(gateway.adminUrl + path)).text()

  it('is told by the load, and is no reason to refuse it', async () => {
    const { status, body } = await gateway.load(
      documentOf({
        'com.example.taken': { action: { type: 'static' } },
        'com.example.free': { action: { type: 'static' } },
      }),
    )
    expect(status).to.equal(201)
    const warning = body.warnings?.find(({ path }) => path === '/procedures/com.example.taken')
    expect(warning?.message).to.include('wamp.error.procedure_')
    expect(body.warnings).to.have.length(1)
  })

  it('is told by /ready, which stays 200', async () => {
    const answer = await fetch(`${gateway.adminUrl}/ready`)
    expect(answer.status).to.equal(200)
    expect(await answer.text()).to.include('the router refuses to register 1 procedure')
  })

  it('is told by /registry with the state of each', async () => {
    const { procedures } = JSON.parse(await textOf('/registry'))
    const states = procedures.map((row: Record<string, unknown>) => [row.procedure, row.state])
    expect(states).to.deep.equal([
      ['com.example.free', 'registered'],
      ['com.example.taken', 'refused'],
    ])
    expect(procedures[1]).to.deep.include({
      ...{ api_spec: 'com.example.billing', realm_uri: realm, match: 'exact' },
      invoke: 'roundrobin',
    })
    expect(procedures[1].reason).to.include('wamp.error.procedure_')
  })

  it('is told of each node, with the calls of the others', async () => {
    const caller = await openCaller(gateway.routerUrl)
    await caller.call('com.example.free')
    await caller.close()
    const { procedures, unheard } = JSON.parse(
      await textOf('/api_specs/com.example.billing/procedures'),
    )
    const none = { ok: 0, error: 0, canceled: 0 }
    const [free, taken]: ToldNode[] = procedures.map(({ nodes }: { nodes: ToldNode[] }) => nodes[0])
    expect(free).to.deep.include({ state: 'registered', reason: null, calls: { ...none, ok: 1 } })
    expect(free?.called_at).to.be.above(1_700_000_000_000)
    expect(taken).to.deep.include({ state: 'refused', calls: none, called_at: null })
    expect(taken?.reason).to.include('wamp.error.procedure_')
    expect(unheard).to.deep.equal([])
  })

  it('is counted', async () => {
    const lines = (await textOf('/metrics')).split('\n')
    const counted = lines.filter((line) => line.startsWith('gateway_registrations{'))
    expect(counted.sort()).to.deep.equal([
      'gateway_registrations{api="com.example.billing",state="refused"} 1',
      'gateway_registrations{api="com.example.billing",state="registered"} 1',
    ])
  })
})
