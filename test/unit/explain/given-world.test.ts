/** Given events and pieces come true as a router would let them. */
import { expect } from 'chai'
import type { GivenOutcome } from '#component/explain/asked.ts'
import { givenWorld } from '#component/explain/given-world.ts'
import { stillClock } from '#component/explain/stand-ins.ts'
import { anonymous } from '#component/identity.ts'
import { type CallResult, WampError, type WatchedEvent } from '#component/wamp/session.ts'
import { decodeBody, encodeBody } from '#http/codec.ts'

/** A session of a world in which the only action has the outcome. */
async function open(outcome: GivenOutcome) {
  const codec = { decode: decodeBody, encode: encodeBody }
  const clock = stillClock(0, 'seed')
  const { world, play } = givenWorld(() => outcome, { codec, clock })
  const identity = anonymous('com.example')
  const session = await world(() => 0).sessions.session('com.example', identity, 1000)
  return { session, play }
}

/** The topics and ids of the events that a subscription gets. */
async function received(topic: string, options: object, outcome: GivenOutcome) {
  const { session, play } = await open(outcome)
  const found: WatchedEvent[] = []
  const none = () => undefined
  const handlers = { onMissed: none, onLost: none, onBack: none, onRefused: none }
  const onEvent = (event: WatchedEvent) => found.push(event)
  const watch = await session.watch(topic, { ...options }, 1000, { ...handlers, onEvent })
  expect(found).to.deep.equal([])
  await play()
  await play()
  return { found, watch }
}

const topics = async (topic: string, options: object, outcome: GivenOutcome) =>
  (await received(topic, options, outcome)).found.map((event) => event.topic)

describe('the world of a rehearsal', () => {
  const events = ['com.a', 'com.a.b', 'com.ab', 'com.x.b'].map((topic) => ({ topic }))

  for (const [topic, options, expected] of [
    ['com.a', {}, ['com.a']],
    ['com.a', { match: 'prefix' }, ['com.a', 'com.a.b', 'com.ab']],
    ['com..b', { match: 'wildcard' }, ['com.a.b', 'com.x.b']],
  ] as const) {
    it(`gives ${topic} ${JSON.stringify(options)} the events that match`, async () => {
      expect(await topics(topic, options, { events })).to.deep.equal(expected)
    })
  }

  it('completes events', async () => {
    const { found } = await received(
      'com.a',
      {},
      { events: [{}, { publication_id: 9, args: [7] }] },
    )
    expect(found).to.deep.equal([
      {
        ...{ publication_id: 1, topic: 'com.a', details: {}, isRetained: false },
        payload: { args: [], kwargs: {} },
      },
      {
        ...{ publication_id: 9, topic: 'com.a', details: {}, isRetained: false },
        payload: { args: [7], kwargs: {} },
      },
    ])
  })

  it('gives retained events to whom asks for them', async () => {
    const outcome = { events: [{ retained: true }] }
    expect(await topics('com.a', {}, outcome)).to.deep.equal([])
    const { found } = await received('com.a', { get_retained: true }, outcome)
    expect(found.map(({ isRetained, details }) => [isRetained, details])).to.deep.equal([
      [true, { retained: true }],
    ])
  })

  it('gives nothing after the end of a subscription', async () => {
    const { session, play } = await open({ events: [{}, {}] })
    const found: unknown[] = []
    const none = () => undefined
    const watch = await session.watch('com.a', {}, 1000, {
      ...{ onMissed: none, onLost: none, onBack: none, onRefused: none },
      onEvent: (event) => {
        found.push(event)
        watch.end()
      },
    })
    await play()
    expect(found).to.have.length(1)
  })

  it('lets other work run between many events', async () => {
    const { session, play } = await open({ events: Array(100).fill({}) })
    let published = 0
    const none = () => undefined
    const handlers = { onMissed: none, onLost: none, onBack: none, onRefused: none }
    await session.watch('com.a', {}, 1000, { ...handlers, onEvent: () => (published += 1) })
    const other = new Promise<number>((resolve) => setImmediate(() => resolve(published)))
    await play()
    expect(await other).to.be.below(100)
    expect(published).to.equal(100)
  })

  it('refuses a subscription where an error is given', async () => {
    const outcome = { error: { error_uri: 'wamp.error.not_authorized' } }
    const error = await received('com.a', {}, outcome).catch((cause: unknown) => cause)
    expect(error).to.be.instanceOf(WampError)
    expect(error).to.have.property('error_uri', 'wamp.error.not_authorized')
  })

  const call = async (outcome: GivenOutcome, isWatched: boolean) => {
    const { session, play } = await open(outcome)
    const pieces: CallResult[] = []
    const none = () => undefined
    const handlers = { onEvent: none, onMissed: none, onLost: none, onBack: none, onRefused: none }
    if (isWatched) await session.watch('com.a', {}, 1000, handlers)
    const payload = { args: [], kwargs: {} }
    const { result } = session.call('com.p', payload, {}, 1000, (piece) => pieces.push(piece))
    expect(pieces).to.deep.equal([])
    await undefined
    await undefined
    expect(pieces.length).to.be.at.most(1)
    await play()
    const { args } = await result
    return { args, pieces: pieces.map((piece) => piece.args) }
  }

  it('gives the pieces of a call before its answer', async () => {
    const outcome = { pieces: [{ args: [1] }, { args: [2] }], result: { args: [3] } }
    expect(await call(outcome, false)).to.deep.equal({ args: [3], pieces: [[1], [2]] })
  })

  it('gives the call of a subscription its snapshot', async () => {
    const outcome = { events: [], snapshot: { result: { args: [7] } } }
    expect(await call(outcome, true)).to.deep.equal({ args: [7], pieces: [] })
  })
})
