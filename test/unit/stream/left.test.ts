/** Subscriptions whose streams were left count for the limits of streams until they are gone. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { anonymous } from '#component/identity.ts'
import { hubOf, SinkDouble, settingsOf } from './doubles.ts'

type Hub = ReturnType<typeof hubOf>
type More = Parameters<Hub['open']>[1]

const joe = { ...anonymous('com.example'), authid: 'joe', authmethod: 'oauth2' }

/** Opens a stream of a topic, and leaves it at once. @returns the id that its client has seen last */
async function leave({ open }: Hub, topic: string, more: More = {}): Promise<string> {
  const stream = await open({ topic }, more)
  const sink = new SinkDouble()
  stream.begin(sink, settingsOf())
  sink.destroy()
  return sink.lastId
}

const topicsOf = (hub: Hub): number => hub.hub.stats().sources

const limits = {
  streams: [{ streams: 2 }, {}],
  streams_per_address: [{ streams_per_address: 2 }, {}],
  streams_per_identity: [{ streams_per_identity: 2 }, { identity: joe }],
  max_streams: [{}, { maxStreams: 2 }],
} as const

describe('streams that were left', () => {
  for (const [name, [settings, more]] of Object.entries(limits)) {
    const limit = name as keyof typeof limits

    it(`count for ${name} until their subscription is gone`, async () => {
      const made = hubOf({ limits: settings })
      await leave(made, 'com.example.a', more)
      await leave(made, 'com.example.b', more)
      expect(made.hub.used(limit)).to.equal(2)
      await made.clock.advance(60_000)
      expect(made.hub.used(limit)).to.equal(0)
      expect(topicsOf(made)).to.equal(0)
    })

    it(`make room at ${name}: the one that was left first ends`, async () => {
      const made = hubOf({ limits: settings })
      await leave(made, 'com.example.a', more)
      await leave(made, 'com.example.b', more)
      await leave(made, 'com.example.c', more)
      expect([...made.hub.sources()].filter(({ isLeft }) => isLeft)).to.have.length(2)
      const known = await made.open({ topic: 'com.example.b' }, more)
      expect(topicsOf(made)).to.equal(2)
      expect(made.hub.used(limit)).to.equal(2)
      known.cancel()
    })

    it(`are no more than ${name} however many were opened`, async () => {
      const made = hubOf({ limits: settings })
      for (let count = 0; count < 50; count++) await leave(made, `com.example.t${count}`, more)
      expect(topicsOf(made)).to.equal(2)
      expect(made.held.now).to.equal(2)
    })
  }

  it('do not make room for others: another address, user and operation keep what they have left', async () => {
    const made = hubOf({ limits: { streams_per_address: 1 } })
    await leave(made, 'com.example.a', { address: '192.0.2.1' })
    await leave(made, 'com.example.b', { address: '192.0.2.2' })
    await leave(made, 'com.example.c', { address: '192.0.2.2' })
    expect(topicsOf(made)).to.equal(2)
    const again = await made.open({ topic: 'com.example.a' }, { address: '192.0.2.1' })
    expect(topicsOf(made)).to.equal(2)
    again.cancel()
  })

  it('never end a stream that is open', async () => {
    const made = hubOf({ limits: { streams: 2 } })
    const [one] = [await made.open({ topic: 'com.example.a' })]
    await made.open({ topic: 'com.example.b' })
    const refused = await made.open({ topic: 'com.example.c' }).catch((error: unknown) => error)
    expect(refused).to.be.instanceOf(ServiceError)
    expect(one?.isOver).to.equal(false)
  })

  it('keep their history for a client that comes back at the limit', async () => {
    const made = hubOf({ limits: { streams: 2 } })
    await leave(made, 'com.example.a')
    // the tags of subscriptions are random
    Object.assign(made.clock, { random: () => 0.25 })
    const lastEventId = await leave(made, 'com.example.b')
    const back = await made.open({ topic: 'com.example.b', lastEventId })
    expect(back.isResumed).to.equal(true)
    expect(topicsOf(made)).to.equal(2)
  })

  it('end where a client that seems to come back opens another stream', async () => {
    const made = hubOf({ limits: { streams: 1 } })
    const lastEventId = await leave(made, 'com.example.a')
    await made.open({ topic: 'com.example.b', lastEventId })
    expect(topicsOf(made)).to.equal(1)
    expect(made.hub.used('streams')).to.equal(1)
  })

  it('end where a client that comes back is refused by the router', async () => {
    const made = hubOf({ limits: { streams: 1 } })
    const lastEventId = await leave(made, 'com.example.a')
    made.session.refuse()
    await made.open({ topic: 'com.example.b', lastEventId }).catch(() => undefined)
    expect(topicsOf(made)).to.equal(0)
    expect(made.hub.used('streams')).to.equal(0)
  })

  it('give one place back when their topic is followed again', async () => {
    const made = hubOf({ limits: { streams: 3 } })
    await leave(made, 'com.example.a')
    const [one, other] = [
      await made.open({ topic: 'com.example.a' }),
      await made.open({ topic: 'com.example.a' }),
    ]
    expect(made.hub.used('streams')).to.equal(2)
    one?.cancel()
    expect(made.hub.used('streams')).to.equal(1)
    other?.cancel()
    expect(made.hub.used('streams')).to.equal(1)
  })
})
