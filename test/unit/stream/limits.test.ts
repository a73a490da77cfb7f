/** How many streams there may be, and how much memory their history takes. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { anonymous } from '#component/identity.ts'
import { hubOf, SinkDouble, settingsOf } from './doubles.ts'

const user = (authid: string) => ({
  ...anonymous('com.example'),
  authid,
  authmethod: 'oauth2',
})

/** What opening a stream beyond a limit is answered with. */
async function refusal(opening: Promise<unknown>): Promise<ServiceError> {
  try {
    await opening
  } catch (error) {
    if (error instanceof ServiceError) return error
  }
  throw new Error('the stream was opened')
}

describe('limits of streams', () => {
  const tries = {
    streams: [{ streams: 2 }, {}, 503],
    streams_per_address: [{ streams_per_address: 2 }, {}, 429],
    streams_per_identity: [{ streams_per_identity: 2 }, { identity: user('joe') }, 429],
    max_streams: [{}, { maxStreams: 2 }, 429],
  } as const

  for (const [name, [limits, request, status]] of Object.entries(tries)) {
    it(`${name}: what is beyond is refused with ${status} until a stream has ended`, async () => {
      const refused: string[] = []
      const { open, hub } = hubOf({
        limits,
        observer: { onRefused: (limit) => refused.push(limit) },
      })
      const first = await open({}, request)
      await open({}, request)
      expect(hub.used(name as keyof typeof tries)).to.equal(2)
      const error = await refusal(open({}, request))
      expect(error.status).to.equal(status)
      expect(error.headers['retry-after']).to.equal('7')
      expect(refused).to.deep.equal([name])
      expect(hub.stats().streams).to.equal(2)
      const sink = new SinkDouble()
      first.begin(sink, settingsOf())
      sink.destroy()
      await open({}, request)
    })
  }

  it('count an IPv6 network once, and others apart', async () => {
    const { open } = hubOf({ limits: { streams_per_address: 1 } })
    await open({}, { address: '2001:db8::1' })
    await refusal(open({}, { address: '2001:db8::ffff' }))
    await open({}, { address: '2001:db8:0:1::1' })
  })

  it('count users by realm and authid, and nobody without a name', async () => {
    const { open } = hubOf({ limits: { streams_per_identity: 1 } })
    await open({}, { identity: user('joe') })
    await open({}, { identity: user('ann') })
    await open()
    await open()
    await refusal(open({}, { identity: user('joe') }))
  })

  it('of 0 do not exist', async () => {
    const { open } = hubOf({ limits: { streams_per_identity: 0, streams_per_address: 0 } })
    for (let count = 0; count < 200; count++) await open({}, { identity: user('joe') })
  })

  it('give the place of a refused subscription back', async () => {
    const { open, session, hub } = hubOf({ limits: { streams: 1 } })
    session.refuse()
    await open().catch(() => undefined)
    await open().catch(() => undefined)
    session.answer = Promise.resolve()
    await open()
    expect(hub.stats().streams).to.equal(1)
  })

  it('of sessions are those of who holds them', async () => {
    const hold = () => {
      throw new ServiceError('service.error.unavailable', 'too many sessions')
    }
    const { open, hub } = hubOf({ hold })
    await refusal(open())
    expect(hub.stats()).to.include({ streams: 0, sources: 0 })
  })
})

describe('the memory of all histories', () => {
  const big = 'x'.repeat(10_000)

  it('is bounded: the oldest events of the largest one go first', async () => {
    const { open, session, hub } = hubOf({ limits: { replay_memory: 200_000 } })
    const small = hubOf().session
    await open({ replayEvents: 1000 })
    await open({ replayEvents: 1000 }, { session: small })
    small.event({ n: 1 })
    for (let n = 0; n < 100; n++) session.event({ n, big })
    const [large, other] = [...hub.sources()].map(({ ring }) => ring.length)
    expect(hub.stats().replayBytes).to.be.within(150_000, 200_000)
    expect(large).to.be.within(15, 20)
    expect(other).to.equal(1)
  })

  it('is freed when events are too old', async () => {
    const { begin, session, hub, clock } = hubOf()
    await begin({ replayTimeoutMs: 30_000 })
    session.event({ big })
    expect(hub.stats().replayBytes).to.be.above(10_000)
    await clock.advance(40_000)
    expect(hub.stats().replayBytes).to.equal(0)
  })
})
