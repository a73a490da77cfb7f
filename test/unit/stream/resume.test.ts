/** Streams whose clients come back, and retained events, over a session that does as told. */
import { expect } from 'chai'
import { framesOf } from '#component/stream/frames.ts'
import { WampError } from '#component/wamp/session.ts'
import { hubOf, SinkDouble, settingsOf, settled } from './doubles.ts'

describe('a stream that comes back', () => {
  it('is sent what it has missed, once, and then what comes', async () => {
    const { session, begin } = hubOf()
    const first = await begin()
    session.event({ n: 1 })
    await settled()
    first.end()
    session.event({ n: 2 })
    const second = await begin({ lastEventId: first.lastId })
    session.event({ n: 3 })
    await settled()
    expect(second.seen).to.deep.equal(['2', '3'])
  })

  it('resumes at its beginning where it has seen no event', async () => {
    const { session, begin } = hubOf()
    const first = await begin()
    first.end()
    session.event({ n: 1 })
    const second = await begin({ lastEventId: first.lastId })
    expect(first.lastId).to.match(/^0-[0-9a-f]{6}$/)
    expect(second.seen).to.deep.equal(['1'])
  })

  it('has missed nothing of a quiet topic, however old its last event', async () => {
    const { session, begin, clock } = hubOf()
    const first = await begin()
    session.event({ n: 1 })
    await clock.advance(3_600_000)
    first.end()
    const second = await begin({ lastEventId: first.lastId })
    expect(second.seen).to.deep.equal([])
  })

  it('is told that history is lost, then what is kept', async () => {
    const { session, begin } = hubOf()
    const first = await begin({ replayEvents: 2 })
    session.event({ n: 1 })
    await settled()
    const { lastId } = first
    for (const n of [2, 3, 4]) session.event({ n })
    const second = await begin({ lastEventId: lastId, replayEvents: 2 })
    expect(second.seen).to.deep.equal(['history_lost', '3', '4'])
  })

  for (const id of ['7', 'abc', '7-xyz', '12-000000', '99999999999999999-000000', '-']) {
    it(`is told that history is lost for the foreign id ${id}`, async () => {
      const { begin } = hubOf()
      const sink = await begin({ lastEventId: id })
      expect(sink.seen).to.deep.equal(['history_lost'])
      expect(sink.lastId).to.match(/^0-/)
    })
  }

  it('from another process is sent from a second before its event on; those do not count', async () => {
    const { session, begin, clock } = hubOf()
    const first = await begin()
    session.event({ n: 1 })
    await clock.advance(1500)
    session.event({ n: 2 })
    await clock.advance(900)
    const id = session.event({ n: 3 })
    session.event({ n: 4 })
    session.event({ n: 5 })
    await settled()
    const all = await begin({ lastEventId: `${id}-ffffff` })
    expect(all.seen).to.deep.equal(['2', '3', '4', '5'])
    const one = await begin({ lastEventId: `${id}-ffffff`, maxEvents: 1 })
    expect(one.seen).to.deep.equal(['2', '3', '4', 'complete'])
    first.end()
  })

  it('finds the gap of the router in its place', async () => {
    const { session, begin, clock } = hubOf()
    const first = await begin()
    session.event({ n: 1 })
    await settled()
    const { lastId } = first
    session.handlers.onLost()
    await clock.advance(500)
    session.handlers.onBack()
    session.event({ n: 2 })
    await settled()
    expect(first.seen).to.deep.equal(['1', ': the router is away', 'router_lost', '2'])
    const gap = '{"code":"router_lost","since":1000,"until":1500}'
    expect(first.frames[2]).to.equal(`|gap|${gap}`)
    const second = await begin({ lastEventId: lastId })
    expect(second.seen).to.deep.equal(['router_lost', '2'])
  })

  it('finds the gap of an event that could not be read in its place', async () => {
    const { session, begin } = hubOf()
    const first = await begin()
    session.event({ n: 1 })
    await settled()
    const { lastId } = first
    session.handlers.onMissed(7)
    session.event({ n: 2 })
    await settled()
    expect(first.seen).to.deep.equal(['1', 'unreadable', '2'])
    expect(first.frames[1]).to.match(/^\|gap\|\{"code":"unreadable","id":"7-\w{6}"\}$/)
    const second = await begin({ lastEventId: lastId })
    expect(second.seen).to.deep.equal(['unreadable', '2'])
  })

  it('is told of a lost router where no events are kept', async () => {
    const { session, begin } = hubOf()
    const first = await begin({ replayEvents: 0 })
    session.event({ n: 1 })
    await settled()
    session.handlers.onLost()
    session.handlers.onBack()
    const second = await begin({ lastEventId: first.lastId, replayEvents: 0 })
    expect(second.seen).to.deep.equal(['history_lost'])
  })

  it('has its position moved past events that it was not sent', async () => {
    const { session, begin, clock } = hubOf()
    const first = await begin({ replayEvents: 2 })
    session.event({ n: 1 })
    for (const n of [2, 3, 4, 5]) session.event({ n, hidden: true })
    await clock.advance(16_000)
    expect(first.seen).to.deep.equal(['1'])
    first.end()
    const second = await begin({ lastEventId: first.lastId })
    expect(second.seen).to.deep.equal([])
  })

  it('after a reload finds its position, although its last events were filtered away', async () => {
    const { session, open, begin } = hubOf()
    const stream = await open({ replayEvents: 1 })
    const sink = new SinkDouble()
    stream.begin(sink, settingsOf())
    session.event({ n: 1 })
    for (const n of [2, 3]) session.event({ n, hidden: true })
    await settled()
    stream.end('reloaded')
    expect(sink.seen).to.deep.equal(['1', 'reloaded'])
    const second = await begin({ lastEventId: sink.lastId })
    expect(second.seen).to.deep.equal([])
  })

  it('is sent no older events behind a snapshot', async () => {
    const { session, open, begin } = hubOf()
    await begin()
    session.event({ n: 1 })
    const stream = await open({ lastEventId: 'lost', hasSnapshot: true })
    session.event({ n: 2 })
    await settled()
    const sink = new SinkDouble()
    const frame = framesOf['text/event-stream'].event({ event: 'snapshot', data: '{"n":"s"}' })
    stream.begin(sink, settingsOf(), frame)
    expect(sink.seen).to.deep.equal(['history_lost', 's', '2'])
  })
})

describe('retained events', () => {
  const options = { get_retained: true }

  it('go to the streams that have asked, once each', async () => {
    const { session, open, begin } = hubOf()
    const plain = await begin()
    const first = new SinkDouble()
    const opening = open({ options })
    await settled()
    session.event({ n: 'r' }, { id: 7, retained: true })
    ;(await opening).begin(first, settingsOf())
    const second = new SinkDouble()
    const again = open({ options })
    await settled()
    session.event({ n: 'r' }, { id: 7, retained: true })
    ;(await again).begin(second, settingsOf())
    await settled()
    expect(session.subscribed.map(([, sent]) => sent)).to.deep.equal([
      { match: 'exact' },
      options,
      options,
    ])
    expect([plain.seen, first.seen, second.seen]).to.deep.equal([[], ['r'], ['r']])
  })

  it('come with the first SUBSCRIBE, of each topic of a pattern', async () => {
    const { session, open } = hubOf()
    const stream = await open({ options, match: 'prefix' })
    session.event({ n: 'a' }, { id: 7, retained: true, topic: 'com.example.t.a' })
    session.event({ n: 'b' }, { id: 8, retained: true, topic: 'com.example.t.b' })
    session.event({ n: 'a' }, { id: 7, retained: true, topic: 'com.example.t.a' })
    const sink = new SinkDouble()
    stream.begin(sink, settingsOf())
    await settled()
    expect(session.subscribed).to.deep.equal([['com.example.t', { ...options, match: 'prefix' }]])
    expect(sink.seen).to.deep.equal(['a', 'b'])
  })

  it('count for max_events', async () => {
    const { session, open } = hubOf()
    const stream = await open({ options, maxEvents: 1 })
    session.event({ n: 'r' }, { id: 7, retained: true })
    const sink = new SinkDouble()
    stream.begin(sink, settingsOf())
    session.event({ n: 1 })
    await settled()
    expect(sink.seen).to.deep.equal(['r', 'complete'])
  })

  it('of many streams are asked for together', async () => {
    const { session, open } = hubOf()
    await open()
    await Promise.all(Array.from({ length: 50 }, () => open({ options })))
    expect(session.subscribed.length).to.be.at.most(4)
  })

  it('are not sent where the same publication has come as an event', async () => {
    const { session, open } = hubOf()
    await open()
    const stream = await open({ options })
    session.event({ n: 1 }, { id: 9 })
    session.event({ n: 1 }, { id: 9, retained: true })
    const sink = new SinkDouble()
    stream.begin(sink, settingsOf())
    await settled()
    expect(sink.seen).to.deep.equal(['1'])
  })

  it('are places to resume at', async () => {
    const { session, open, begin } = hubOf()
    const stream = await open({ options })
    session.event({ n: 'r' }, { id: 7, retained: true })
    const sink = new SinkDouble()
    stream.begin(sink, settingsOf())
    await settled()
    const { lastId } = sink
    expect(lastId).to.match(/^7-/)
    session.event({ n: 1 })
    const second = await begin({ options, lastEventId: lastId })
    expect(second.seen).to.deep.equal(['1'])
    expect(session.subscribed).to.have.length(1)
  })

  it('are refused to whom the router refuses the topic now', async () => {
    const { session, open, hub } = hubOf()
    await open()
    session.refuse()
    const failure = await open({ options }).catch((error: WampError) => error)
    expect(failure).to.be.instanceOf(WampError)
    expect(hub.stats()).to.include({ streams: 1, sources: 1 })
  })
})
