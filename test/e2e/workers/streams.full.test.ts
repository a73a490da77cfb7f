/** Streams of a gateway of several processes: grants and documents that change in all of them, and workers that stop or die. */
import { expect } from 'chai'
import { logIn } from '#test/support/examples/example-api.ts'
import {
  bearer,
  expectAlive,
  liveDocument,
  liveRealm,
  within,
} from '#test/support/examples/live-api.ts'
import { expectEnds, StreamsFixture } from './streams.setup.ts'

describe('streams of a gateway of 2 workers that changes', () => {
  let fixture: StreamsFixture
  beforeEach(async () => {
    fixture = await StreamsFixture.start()
  })
  afterEach(() => fixture.stop())

  it('end in all of them when the router takes the grant away', async () => {
    const { access_token } = await logIn(fixture.gateway.url, 'bob')
    const streams = await fixture.everywhere('token', bearer(access_token))
    await fixture.gateway.post('/realms', liveRealm({ watchers: ['customers'] }))
    await expectEnds(streams, 'wamp.error.not_authorized')
  })

  it('are told in all of them that their document was loaded again', async () => {
    const streams = await fixture.everywhere('open')
    await fixture.gateway.post('/api_specs', { ...liveDocument(), name: 'the next version' })
    await expectEnds(streams, 'reloaded')
  })

  it('are told draining when the gateway stops', async () => {
    const streams = await fixture.everywhere('open')
    const stopped = fixture.gateway.stop()
    await expectEnds(streams, 'draining')
    expect(await stopped).to.equal(0)
  })

  it('break with a worker that dies, and their clients come back to another one', async () => {
    const streams = await fixture.everywhere('open')
    const [first] = fixture.gateway.workers().values()
    if (first === undefined) throw new Error('expected a worker')
    process.kill(first, 'SIGKILL')
    const broken = await within(
      'a broken stream',
      Promise.race(streams.map(async (stream) => ((await stream.ended) ? undefined : stream))),
    )
    expect(broken, 'cut, not ended').to.not.equal(undefined)
    const again = await fixture.watch('open')
    await expectAlive(fixture.gateway.url, again)
  })
})
