/** Clients that read too slowly, or not at all, and heartbeats. */
import { expect } from 'chai'
import type { Stream } from '#component/stream/stream.ts'
import { hubOf, SinkDouble, settingsOf, settled } from './doubles.ts'

const limits = { stream_buffer: 1000 }
const big = 'x'.repeat(600)

/** A stream, whose reason tests look at, and its client. */
async function begun(
  { open }: Pick<ReturnType<typeof hubOf>, 'open'>,
  settings: Parameters<typeof settingsOf>[0],
  wanted: Parameters<typeof open>[0] = {},
): Promise<{ stream: Stream; sink: SinkDouble }> {
  const stream = await open(wanted)
  const sink = new SinkDouble()
  stream.begin(sink, settingsOf(settings))
  return { stream, sink }
}

describe('a client that does not read', () => {
  it('loses its connection, and resumes', async () => {
    const hub = hubOf({ limits })
    const { stream, sink } = await begun(hub, {})
    sink.isReading = false
    for (const n of [1, 2, 3, 4]) {
      hub.session.event({ n, big })
      await settled()
    }
    expect([sink.state, stream.reason]).to.deep.equal(['cut', 'slow'])
    const lastRead = /id: (\S+)/.exec(sink.frames.length > 0 ? sink.text : '')?.[1] ?? ''
    const second = await hub.begin({ lastEventId: lastRead })
    expect(second.seen).to.deep.equal(['1', '2', '3', '4'])
  })

  it('misses events where the document says drop, and is told how many', async () => {
    const hub = hubOf({ limits })
    const { sink } = await begun(hub, { overflow: 'drop' })
    sink.isReading = false
    for (const n of [1, 2, 3, 4, 5]) {
      hub.session.event({ n, big })
      await settled()
    }
    sink.read()
    hub.session.event({ n: 6 })
    await settled()
    expect(sink.seen).to.deep.equal(['1', '2', 'slow', '6'])
    expect(sink.frames[2]).to.equal('|gap|{"code":"slow","dropped":3}')
    expect(sink.state).to.equal('open')
  })

  it('is told what it has missed at the next look, where no event follows', async () => {
    const hub = hubOf({ limits })
    const { sink } = await begun(hub, { overflow: 'drop' })
    sink.isReading = false
    for (const n of [1, 2, 3]) {
      hub.session.event({ n, big })
      await settled()
    }
    sink.read()
    await hub.clock.advance(2000)
    expect(sink.seen).to.deep.equal(['1', '2', 'slow'])
  })

  it('is sent its history piece by piece', async () => {
    const hub = hubOf({ limits })
    await hub.begin({ replayEvents: 1000 })
    for (let n = 1; n <= 500; n++) hub.session.event({ n, big })
    const { lastId } = await hub.begin()
    expect(lastId).to.match(/^600-/)
    const stream = await hub.open({ lastEventId: lastId.replace('600-', '0-') })
    const sink = new SinkDouble()
    sink.isReading = false
    stream.begin(sink, settingsOf())
    expect(sink.waiting).to.be.below(3000)
    while (sink.seen.length < 500) {
      sink.read()
      sink.isReading = false
    }
    hub.session.event({ n: 501 })
    sink.read()
    // one stint a turn
    while (!sink.seen.includes('501')) await settled()
    const all = Array.from({ length: 501 }, (_, at) => String(at + 1))
    expect(sink.seen).to.deep.equal(all)
  })

  it('is cut when its history has gone meanwhile, or is told so', async () => {
    for (const [overflow, expected] of [
      ['close', 'cut'],
      ['drop', 'open'],
    ] as const) {
      const hub = hubOf({ limits })
      await hub.begin({ replayEvents: 100 })
      for (let n = 1; n <= 100; n++) hub.session.event({ n, big })
      const { lastId } = await hub.begin()
      const stream = await hub.open({ lastEventId: lastId.replace(/^\d+/, '0') })
      const sink = new SinkDouble()
      sink.isReading = false
      stream.begin(sink, settingsOf({ overflow }))
      for (let n = 101; n <= 200; n++) hub.session.event({ n })
      sink.read()
      for (let turn = 0; turn < 10; turn++) await settled()
      expect(sink.state).to.equal(expected)
      if (overflow === 'close') continue
      expect(sink.seen).to.include('slow')
      expect(sink.seen.at(-1)).to.equal('200')
      const dropped = JSON.parse(
        sink.frames.find((frame) => frame.includes('slow'))?.slice(5) ?? '',
      )
      expect(dropped.dropped + sink.seen.length - 1).to.equal(200)
    }
  })

  it('is stuck after 120 s in which it takes nothing', async () => {
    const hub = hubOf({})
    const { stream, sink } = await begun(hub, {})
    hub.session.event({ n: 1 })
    await settled()
    sink.isReading = false
    hub.session.event({ n: 2 })
    await settled()
    await hub.clock.advance(119_000)
    expect(sink.state).to.equal('open')
    await hub.clock.advance(6_000)
    expect([sink.state, stream.reason]).to.deep.equal(['cut', 'stuck'])
  })

  it('is not stuck while it takes something', async () => {
    const hub = hubOf({})
    const { sink } = await begun(hub, {})
    sink.isReading = false
    for (let minute = 0; minute < 6; minute++) {
      hub.session.event({ n: minute })
      await hub.clock.advance(60_000)
      sink.handed += 1
    }
    expect(sink.state).to.equal('open')
  })

  it('is bounded before it begins, too', async () => {
    const hub = hubOf({ limits })
    for (const [overflow, expected] of [
      ['close', 'cut'],
      ['drop', 'open'],
    ] as const) {
      const stream = await hub.open({ replayEvents: 0 })
      for (const n of [1, 2, 3, 4]) hub.session.event({ n, big })
      await settled()
      const sink = new SinkDouble()
      stream.begin(sink, settingsOf({ overflow }))
      expect(sink.state).to.equal(expected)
      if (overflow === 'drop') expect(sink.seen).to.deep.equal(['1', '2', 'slow'])
    }
  })
})

describe('heartbeats', () => {
  it('come when nothing was written for so long, and not earlier', async () => {
    const { session, begin, clock } = hubOf()
    const sink = await begin({}, { heartbeatMs: 16_000 })
    await clock.advance(10_000)
    session.event({ n: 1 })
    await settled()
    await clock.advance(13_000)
    expect(sink.seen).to.deep.equal(['1'])
    await clock.advance(3_000)
    expect(sink.frames.at(-1)).to.equal(':')
    await clock.advance(16_000)
    expect(sink.frames.filter((frame) => frame === ':')).to.have.length(2)
  })

  it('of many streams share one timer, which ends with them', async () => {
    const { begin, clock } = hubOf()
    const sinks = await Promise.all(Array.from({ length: 20 }, () => begin()))
    expect(clock.pending).to.equal(1)
    for (const sink of sinks) sink.destroy()
    await clock.advance(60_000)
    expect(clock.pending).to.equal(0)
  })

  it('go on while the router is away', async () => {
    const { session, begin, clock } = hubOf()
    const sink = await begin()
    session.handlers.onLost()
    await clock.advance(33_000)
    expect(sink.frames).to.deep.equal([': the router is away', ':', ':'])
  })

  it('are told to come back at a random time from retry to twice of it', async () => {
    const { begin } = hubOf()
    const sink = await begin({}, { retryMs: 2000 })
    expect(sink.text).to.match(/^retry: 3000\n\nid: 0-\w{6}\n\n$/)
  })
})
