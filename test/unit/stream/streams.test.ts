/** Streams of events over a session that does as told: joining a subscription, what is sent, and the end. */
import { expect } from 'chai'
import { framesOf } from '#component/stream/frames.ts'
import { WampError } from '#component/wamp/session.ts'
import { hubOf, SinkDouble, settingsOf, settled, viewOf } from './doubles.ts'

describe('streams of one topic', () => {
  it('share one subscription, one rendering and one buffer a turn', async () => {
    const { session, begin } = hubOf()
    const view = viewOf()
    const sinks = await Promise.all([1, 2, 3].map(() => begin({}, { view })))
    const before = sinks.map(({ writes }) => writes)
    session.event({ n: 1 })
    session.event({ n: 2 })
    await settled()
    expect(session.subscribed).to.have.length(1)
    expect(view.rendered).to.equal(2)
    expect(sinks.map(({ seen }) => seen)).to.deep.equal([1, 2, 3].map(() => ['1', '2']))
    expect(sinks.map(({ writes }, at) => writes - (before[at] ?? 0))).to.deep.equal([1, 1, 1])
  })

  it('are told apart by match, topic and session', async () => {
    const { session, open } = hubOf()
    const { session: other } = hubOf()
    await open()
    await open({ match: 'prefix' })
    await open({ topic: 'com.example.u' })
    await open({}, { session: other })
    expect(session.subscribed).to.have.length(3)
    expect(other.subscribed).to.have.length(1)
  })

  it('see every event since SUBSCRIBED or since they have joined, and none before', async () => {
    const { session, open, begin } = hubOf()
    const first = await open()
    session.event({ n: 1 })
    const second = await open()
    session.event({ n: 2 })
    await settled()
    const sinks = [new SinkDouble(), new SinkDouble()]
    session.event({ n: 3 })
    for (const [at, stream] of [first, second].entries()) {
      stream.begin(sinks[at] as SinkDouble, settingsOf())
    }
    const third = await begin()
    session.event({ n: 4 })
    await settled()
    expect(sinks.map(({ seen }) => seen)).to.deep.equal([
      ['1', '2', '3', '4'],
      ['2', '3', '4'],
    ])
    expect(third.seen).to.deep.equal(['4'])
  })

  it('see an event that comes before SUBSCRIBED has settled', async () => {
    const { session, open } = hubOf()
    const opening = open()
    session.event({ n: 1 })
    const sink = new SinkDouble()
    const stream = await opening
    stream.begin(sink, settingsOf())
    await settled()
    expect(sink.seen).to.deep.equal(['1'])
  })

  it('fail together when the router refuses, and free everything', async () => {
    const { session, open, hub, held } = hubOf()
    session.refuse()
    const failures = await Promise.all(
      [open(), open()].map((opening) => opening.catch((error: WampError) => error.error_uri)),
    )
    expect(failures).to.deep.equal(['wamp.error.not_authorized', 'wamp.error.not_authorized'])
    expect(hub.stats()).to.include({ streams: 0, sources: 0 })
    expect(held.now).to.equal(0)
  })

  it('cost one rendering more a stream where the view is not shared', async () => {
    const { session, begin } = hubOf()
    const view = viewOf(framesOf['application/x-ndjson'], false)
    await begin({}, { view })
    await begin({}, { view })
    session.event({ n: 1 })
    await settled()
    expect(view.rendered).to.equal(2)
  })

  it('are sent what their own filters let pass, rendered once', async () => {
    const { session, begin } = hubOf()
    const view = viewOf()
    const even = await begin({}, { view, filter: ({ kwargs }) => Number(kwargs.n) % 2 === 0 })
    const broken = await begin({}, { view, filter: () => ({ code: 'not_rendered' }) })
    const all = await begin({}, { view })
    for (const n of [1, 2, 3, 4]) session.event({ n })
    await settled()
    expect(even.seen).to.deep.equal(['2', '4'])
    expect(broken.seen).to.deep.equal(['not_rendered'])
    expect(all.seen).to.deep.equal(['1', '2', '3', '4'])
    expect(view.rendered).to.equal(4)
  })

  it('are served in stints, so that others have their turn', async () => {
    const turns: (() => void)[] = []
    const { session, begin } = hubOf({ nextTurn: (callback) => turns.push(callback) })
    const slow = viewOf()
    const view = {
      ...{ frames: slow.frames, isShared: false },
      render: (...all: Parameters<typeof slow.render>) => {
        const end = performance.now() + 1.5
        while (performance.now() < end);
        return slow.render(...all)
      },
    }
    const sinks = await Promise.all([1, 2, 3, 4, 5].map(() => begin({}, { view })))
    session.event({ n: 1 })
    turns.shift()?.()
    const served = () => sinks.filter(({ seen }) => seen.length > 0).length
    expect(served()).to.be.within(1, 3)
    while (turns.length > 0) turns.shift()?.()
    expect(served()).to.equal(5)
  })
})

describe('events without a frame', () => {
  it('are told as gaps, equal ones once in a row', async () => {
    const { session, begin } = hubOf()
    const sink = await begin()
    session.event({ n: 1 })
    const id = session.event({ fails: true })
    session.event({ fails: true })
    await settled()
    session.event({ fails: true })
    session.event({ long: true })
    session.event({ n: 2 })
    session.event({ fails: true })
    await settled()
    expect(sink.seen).to.deep.equal(['1', 'not_rendered', 'too_large', '2', 'not_rendered'])
    expect(sink.frames[1]).to.match(
      new RegExp(`^\\|gap\\|{"code":"not_rendered","id":"${id}-[0-9a-f]{6}"}$`),
    )
  })
})

describe('the end of a stream', () => {
  it('comes after max_events, replayed ones included', async () => {
    const { session, begin } = hubOf()
    const first = await begin({ maxEvents: 3 })
    for (const n of [1, 2, 3, 4]) session.event({ n })
    await settled()
    expect(first.seen).to.deep.equal(['1', '2', '3', 'complete'])
    expect(first.state).to.equal('ended')
    const id = first.text.match(/^id: (\d+-\w{6})$/gm)?.[1]?.slice(4) ?? ''
    const second = await begin({ maxEvents: 2, lastEventId: id })
    expect(second.seen).to.deep.equal(['2', '3', 'complete'])
  })

  it('comes after max_duration', async () => {
    const { begin, clock } = hubOf()
    const sink = await begin({ maxDurationMs: 1000 })
    await clock.advance(999)
    expect(sink.state).to.equal('open')
    await clock.advance(1)
    expect(sink.frames).to.deep.equal(['|end|{"code":"complete"}'])
  })

  it('frees everything at once; the source lives on for replay_timeout', async () => {
    const { session, begin, hub, clock, held } = hubOf()
    const sink = await begin()
    sink.destroy()
    expect(hub.stats()).to.include({ streams: 0, sources: 1 })
    await clock.advance(59_999)
    expect([session.ended, held.now]).to.deep.equal([0, 1])
    await clock.advance(1)
    expect([session.ended, held.now]).to.deep.equal([1, 0])
    expect(hub.stats()).to.deep.equal({ streams: 0, sources: 0, bufferedBytes: 0, replayBytes: 0 })
    expect(clock.pending).to.equal(0)
  })

  it('is told with the error when the router refuses the topic for good', async () => {
    const { session, begin, hub, held } = hubOf()
    const sink = await begin()
    session.event({ n: 1 })
    session.handlers.onRefused(new WampError('wamp.error.no_such_realm'))
    expect(sink.seen).to.deep.equal(['1', 'wamp.error.no_such_realm'])
    expect(hub.stats()).to.include({ streams: 0, sources: 0 })
    expect(held.now).to.equal(0)
  })

  it('comes when the router refuses the topic after a change of grants', async () => {
    const { session, begin, hub } = hubOf()
    const sink = await begin()
    await hub.regrant(new Set(['com.example.other']))
    expect(session.subscribed).to.have.length(1)
    session.refuse('wamp.error.net_failure')
    await hub.regrant(new Set(['com.example.test']))
    await settled()
    expect(sink.state).to.equal('open')
    session.refuse()
    await hub.regrant(new Set(['com.example.test']))
    await settled()
    expect(sink.seen).to.deep.equal(['wamp.error.not_authorized'])
  })

  it('comes some seconds later when the router has judged by the grants as they were', async () => {
    const { clock, session, begin, hub } = hubOf()
    const sink = await begin()
    await hub.regrant(new Set(['com.example.test']))
    await settled()
    session.refuse()
    await clock.advance(5_000)
    expect(sink.seen).to.deep.equal(['wamp.error.not_authorized'])
  })

  it('does not come when the router is content twice', async () => {
    const { clock, session, begin, hub } = hubOf()
    const sink = await begin()
    await hub.regrant(new Set(['com.example.test']))
    await clock.advance(60_000)
    expect(session.subscribed).to.have.length(3)
    expect(sink.state).to.equal('open')
  })

  it('is told to a stream that begins afterwards', async () => {
    const { session, open } = hubOf()
    const stream = await open()
    session.handlers.onRefused(new WampError('service.error.unauthorized'))
    const sink = new SinkDouble()
    stream.begin(sink, settingsOf())
    expect(sink.seen).to.deep.equal(['service.error.unauthorized'])
    expect(stream.reason).to.equal('unauthorized')
  })

  it('of a stream that is never begun frees its place', async () => {
    const { open, hub } = hubOf()
    const stream = await open()
    stream.cancel()
    expect(hub.stats().streams).to.equal(0)
  })

  it('lets nobody join while the router is away', async () => {
    const { session, begin, open } = hubOf()
    await begin()
    session.handlers.onLost()
    const failure = await open().catch((error: WampError) => error.error_uri)
    expect(failure).to.equal('wamp.error.net_failure')
  })
})
