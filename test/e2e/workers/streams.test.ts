/** Streams of a gateway of several processes: what one worker revokes or loads ends them in the others; workers that stop or die. */
import { expect } from 'chai'
import type { EventStream } from '#test/support/event-stream.ts'
import { logIn, revoke } from '#test/support/examples/example-api.ts'
import {
  bearer,
  endOf,
  expectAlive,
  issueKey,
  keyed,
  liveDocument,
  liveRealm,
  manage,
  type Way,
  watch,
  within,
} from '#test/support/examples/live-api.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { allAnswer } from '#test/support/worker-gateway.ts'

const workers = 2
/** Connections are given to the workers in turn: so many reach each of them, whoever else connects meanwhile. */
const many = Array.from({ length: workers * 3 }, (_, index) => index)

/** How long a stream may go on after its rights have ended; milliseconds. */
const limit = 2_000

const unauthorized = 'service.error.unauthorized'

describe('streams of a gateway of 2 workers', function () {
  this.timeout(60_000)
  let gateway: GatewayProcess
  let open: EventStream[] = []

  beforeEach(async () => {
    open = []
    gateway = await startGatewayProcess({ workers: String(workers) })
    await allAnswer(gateway, workers)
    await gateway.post('/realms', liveRealm())
    await gateway.post('/api_specs', liveDocument())
  })
  afterEach(async () => {
    for (const stream of open) stream.close()
    await gateway.kill()
  })

  /** Streams in all workers. */
  async function everywhere(way: Way, headers: Readonly<Record<string, string>> = {}) {
    const streams = await Promise.all(many.map(() => watch(gateway.url, way, headers)))
    open.push(...streams)
    for (const stream of streams) await expectAlive(gateway.url, stream)
    return streams
  }

  const expectEnds = async (streams: readonly EventStream[], code: string, ms = limit) => {
    const codes = await within(ms, 'the ends', Promise.all(streams.map(endOf)))
    expect(codes).to.deep.equal(streams.map(() => code))
  }

  it('end in all of them when a token, an API key or a user is revoked', async () => {
    const { access_token } = await logIn(gateway.url)
    const byToken = await everywhere('token', bearer(access_token))
    const anonymous = await everywhere('open')
    expect(await revoke(gateway.url, access_token)).to.equal(200)
    await expectEnds(byToken, unauthorized)

    const { id, api_key } = await issueKey(gateway.adminUrl)
    const byKey = await everywhere('key', keyed(api_key))
    await manage(gateway.adminUrl, `/api_keys/${id}`, undefined, 'DELETE')
    await expectEnds(byKey, unauthorized)

    const next = await logIn(gateway.url)
    const ofUser = await everywhere('gateway', bearer(next.access_token))
    await gateway.post('/realms', liveRealm({ ofAda: { enabled: false } }))
    await expectEnds(ofUser, unauthorized)
    for (const stream of anonymous) await expectAlive(gateway.url, stream)
  })

  it('end in all of them when the router takes the grant away', async () => {
    const { access_token } = await logIn(gateway.url, 'bob')
    const streams = await everywhere('token', bearer(access_token))
    await gateway.post('/realms', liveRealm({ watchers: ['customers'] }))
    await expectEnds(streams, 'wamp.error.not_authorized')
  })

  it('are told in all of them that their document was loaded again', async () => {
    const streams = await everywhere('open')
    await gateway.post('/api_specs', { ...liveDocument(), name: 'the next version' })
    await expectEnds(streams, 'reloaded', 4_000)
  })

  it('are told draining when the gateway stops', async () => {
    const streams = await everywhere('open')
    const stopped = gateway.stop()
    await expectEnds(streams, 'draining', 6_000)
    expect(await stopped).to.equal(0)
  })

  it('break with a worker that dies, and their clients come back to another one', async () => {
    const streams = await everywhere('open')
    const [first] = gateway.workers().values()
    if (first === undefined) throw new Error('expected a worker')
    process.kill(first, 'SIGKILL')
    const broken = await within(
      5_000,
      'a broken stream',
      Promise.race(streams.map(async (stream) => ((await stream.ended) ? undefined : stream))),
    )
    expect(broken, 'cut, not ended').to.not.equal(undefined)
    const again = await watch(gateway.url, 'open')
    open.push(again)
    await expectAlive(gateway.url, again)
  })
})
