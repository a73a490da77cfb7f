/** What streams of events tell their clients when the router is killed and comes back; for whichever router. */
import { expect } from 'chai'
import {
  type StreamingGateway,
  startStreams,
  subscribe,
} from '#test/integration/streams/gateway.ts'
import { type EventStream, openEventStream, type ReadEvent } from '#test/support/event-stream.ts'
import { untilHolds } from '#test/support/running/until.ts'
import type { KillableRouter } from './killable-router.ts'

const topic = 'com.example.test.lossy'

const response = { on_event: { body: '{{action.event.kwargs |> get(data)}}' } }

const paths = {
  '/exact': subscribe({ topic, heartbeat: 1000 }, response),
  '/prefix': subscribe({ topic: 'com.example.test.', match: 'prefix' }, response),
  '/other/:id': subscribe({ topic: `${topic}.{{request.bindings.id}}` }),
}

/** The events of a stream up to one with this data. */
async function upTo(events: EventStream, data: unknown): Promise<ReadEvent[]> {
  const seen: ReadEvent[] = []
  for (;;) {
    const event = await events.next()
    seen.push(event)
    if (event.event === undefined && event.data === JSON.stringify(data)) return seen
  }
}

/** The id of the event of this data, which comes next but for control events. */
const idOf = async (events: EventStream, data: unknown): Promise<string> =>
  (await upTo(events, data)).at(-1)?.id ?? ''

/** `gap`, or the data. */
const told = (events: readonly ReadEvent[]): unknown[] =>
  events.map(({ event, data }) => event ?? JSON.parse(data))

/** Adds the tests. @param start starts the router */
export function describeStreamLoss(name: string, start: () => Promise<KillableRouter>): void {
  describe(`streams of events and ${name} that is killed`, () => {
    let router: KillableRouter
    let streams: StreamingGateway
    const opened: EventStream[] = []

    const open = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
      const events = await openEventStream(`${streams.gateway.url}/s${path}`, { headers })
      opened.push(events)
      return events
    }

    const publish = async (data: unknown) => {
      expect(await streams.backend.joined(10_000)).to.equal(true)
      await streams.publish(topic, { data })
    }

    const kill = async (events: EventStream) => {
      await router.kill()
      await untilHolds(() => events.comments.at(-1)?.trim() === 'the router is away')
    }

    before(async () => {
      router = await start()
      streams = await startStreams(paths, { 'wamp.url': router.url })
    })
    afterEach(() => {
      for (const events of opened.splice(0)) events.close()
    })
    after(async () => {
      await streams?.stop()
      await router?.stop()
    })

    it('say so at once, live on heartbeats, and name the gap when it is back', async () => {
      const events = [await open('/exact'), await open('/prefix')] as const
      await publish('before')
      for (const each of events) await upTo(each, 'before')
      const killedAt = Date.now()
      await kill(events[0])
      const { length } = events[0].comments
      await untilHolds(() => events[0].comments.length > length)
      expect(events[0].comments.at(-1)).to.equal('')
      await router.restart()
      for (const each of events) {
        const gap = await each.next()
        expect(gap).to.include({ event: 'gap', id: undefined })
        const { code, since, until } = JSON.parse(gap.data)
        expect(code).to.equal('router_lost')
        expect(since).to.be.within(killedAt - 5, until - 1)
        expect(until).to.be.at.most(Date.now())
      }
      await publish('after')
      for (const each of events) expect(told(await upTo(each, 'after'))).to.deep.equal(['after'])
    })

    it('that resume across the loss get the gap in its place', async () => {
      const events = await open('/exact')
      await publish('one')
      const id = await idOf(events, 'one')
      await publish('two')
      await upTo(events, 'two')
      await kill(events)
      await router.restart()
      expect((await events.next()).event).to.equal('gap')
      await publish('three')
      const third = await idOf(events, 'three')
      const across = await open('/exact', { 'last-event-id': id })
      expect(told(await upTo(across, 'three'))).to.deep.equal(['two', 'gap', 'three'])
      const behind = await open('/exact', { 'last-event-id': third })
      await publish('four')
      expect(told(await upTo(behind, 'four'))).to.deep.equal(['four'])
    })

    it('are refused with 502 while it is away, and open as soon as it is back', async () => {
      const events = await open('/exact')
      await publish('known')
      const id = await idOf(events, 'known')
      await kill(events)
      for (const [path, headers] of [
        ['/exact', {}],
        ['/exact', { 'last-event-id': id }],
        ['/other/7', {}],
      ] as const) {
        expect((await open(path, headers)).status).to.equal(502)
      }
      const refused = await open('/other/7')
      await refused.ended
      expect(JSON.parse(refused.text)).to.include({ error_uri: 'wamp.error.net_failure' })
      await router.restart()
      await untilHolds(async () => (await open('/other/7')).status === 200)
      await untilHolds(async () => (await open('/exact')).status === 200)
    })
  })
}
