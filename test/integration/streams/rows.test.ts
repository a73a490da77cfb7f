/** What happens to streams of events, row by row. */
import { connect } from 'node:net'
import { expect } from 'chai'
import { type EventStream, openEventStream } from '#test/support/event-stream.ts'
import { type StreamingGateway, startStreams, subscribe } from './gateway.ts'

const topic = 'com.example.rows'
const body = '{{action.event.kwargs}}'
const bound = (name: string) => `${topic}.${name}.{{request.bindings.id}}`

const paths = {
  '/plain/:id': subscribe({ topic: bound('plain') }, { on_event: { body } }),
  '/short/:id': subscribe(
    { topic: bound('short'), replay_events: 2, replay_timeout: 400 },
    { on_event: { body } },
  ),
  '/retained/:id': subscribe(
    { topic: bound('retained'), options: { get_retained: true } },
    { on_event: { body } },
  ),
  '/strict/:id': subscribe(
    { topic: bound('strict') },
    {
      on_event: { body: '{{action.event.kwargs |> get(value)}}' },
    },
  ),
  '/limit/:id': subscribe(
    {
      topic: bound('limit'),
      max_events: '{{request.query_params |> get(limit, 0) |> integer |> min(1000)}}',
      max_duration: '{{request.query_params |> get(ms, 0) |> integer}}',
      resume_from: "{{request.query_params |> get(after, '')}}",
    },
    { on_event: { body } },
  ),
  '/snapshot/:id': subscribe(
    {
      topic: bound('snapshot'),
      snapshot: { procedure: `${topic}.state`, args: ['{{request.bindings.id}}'] },
    },
    { on_event: { body }, on_snapshot: { body: '{{action.result.args |> head}}' } },
  ),
  '/two/:id': {
    ...subscribe({ topic: bound('two') }, { on_event: { body } }),
    post: {
      ...subscribe({ topic: bound('two') }, { on_event: { event: 'posted', body } }).get,
    },
  },
}

describe('what happens to a stream of events', () => {
  let streams: StreamingGateway
  let opened: EventStream[]
  /** The name and data of the next event. */
  const next = async (stream: EventStream): Promise<string> => {
    const { event = '', data } = await stream.next()
    return `${event}${data}`
  }
  const open = async (path: string, headers: Record<string, string> = {}, method = 'GET') => {
    const stream = await openEventStream(`${streams.gateway.url}/s${path}`, { headers, method })
    opened.push(stream)
    return stream
  }

  before(async () => {
    streams = await startStreams(paths)
    await streams.backend.register(`${topic}.state`, async ({ args }) => {
      await streams.publish(`${topic}.snapshot.${args[0]}`, { n: 'meanwhile' })
      if (args[0] === 'broken') throw new Error('no state')
      return { args: [{ state: args[0] }], kwargs: {} }
    })
  })
  beforeEach(() => {
    opened = []
  })
  afterEach(() => {
    for (const stream of opened) stream.close()
  })
  after(() => streams.stop())

  it('a second stream of the same (session, match, topic): it joins the source at once', async () => {
    const [get, post] = [await open('/two/1'), await open('/two/1', {}, 'POST')]
    await streams.publish(`${topic}.two.1`, { n: 1 })
    const [first, second] = [await get.next(), await post.next()]
    expect(first.id).to.equal(second.id)
    expect([first.event, second.event]).to.deep.equal([undefined, 'posted'])
  })

  it('a second stream with get_retained: the retained event goes to the stream that waits for it, once', async () => {
    await streams.publish(`${topic}.retained.1`, { n: 'kept' }, { retain: true })
    const first = await open('/retained/1')
    expect(await next(first)).to.equal('{"n":"kept"}')
    const second = await open('/retained/1')
    expect(await next(second)).to.equal('{"n":"kept"}')
    await streams.publish(`${topic}.retained.1`, { n: 2 })
    expect([await next(first), await next(second)]).to.deep.equal(['{"n":2}', '{"n":2}'])
  })

  it('resume, same tag: what came after it, nothing between, nothing twice', async () => {
    const first = await open('/plain/1')
    for (const n of [1, 2, 3]) await streams.publish(`${topic}.plain.1`, { n })
    const { id = '' } = await first.next()
    const second = await open('/plain/1', { 'last-event-id': id })
    await streams.publish(`${topic}.plain.1`, { n: 4 })
    const seen = [await next(second), await next(second), await next(second)]
    expect(seen).to.deep.equal(['{"n":2}', '{"n":3}', '{"n":4}'])
  })

  it('resume, not there: gap history_lost first, then what is kept', async () => {
    const first = await open('/short/1')
    for (const n of [1, 2, 3, 4]) await streams.publish(`${topic}.short.1`, { n })
    const { id = '' } = await first.next()
    const second = await open('/short/1', { 'last-event-id': id })
    const seen = [await next(second), await next(second), await next(second)]
    expect(seen).to.deep.equal(['gap{"code":"history_lost"}', '{"n":3}', '{"n":4}'])
  })

  it('resume_from: an event id where the request has no Last-Event-ID', async () => {
    const first = await open('/limit/1')
    for (const n of [1, 2]) await streams.publish(`${topic}.limit.1`, { n })
    const { id = '' } = await first.next()
    const second = await open(`/limit/1?after=${id}`)
    expect(await next(second)).to.equal('{"n":2}')
    const { id: last = '' } = await first.next()
    const third = await open(`/limit/1?after=${id}`, { 'last-event-id': last })
    await streams.publish(`${topic}.limit.1`, { n: 3 })
    expect(await next(third)).to.equal('{"n":3}')
    const fourth = await open(`/limit/1?after=${id}&lastEventId=${last}`)
    expect(await next(fourth), 'a client that comes back is further').to.equal('{"n":3}')
  })

  it('no Last-Event-ID: nothing is replayed', async () => {
    await open('/plain/2')
    await streams.publish(`${topic}.plain.2`, { n: 1 })
    const second = await open('/plain/2')
    await streams.publish(`${topic}.plain.2`, { n: 2 })
    expect(await next(second)).to.equal('{"n":2}')
  })

  it('an expression fails for an event: gap not_rendered, once in a row; the stream goes on', async () => {
    const stream = await open('/strict/1')
    const id = await streams.publish(`${topic}.strict.1`, { wrong: 1 })
    await streams.publish(`${topic}.strict.1`, { wrong: 2 })
    await streams.publish(`${topic}.strict.1`, { value: 3 })
    const gap = await stream.next()
    expect(gap.event).to.equal('gap')
    expect(gap.data).to.match(new RegExp(`^{"code":"not_rendered","id":"${id}-\\w{6}"}$`))
    expect(await next(stream)).to.equal('3')
  })

  it('an event of more than 1 MiB encoded: gap too_large', async () => {
    const stream = await open('/plain/3')
    await streams.publish(`${topic}.plain.3`, { text: 'ü'.repeat(600_000) })
    await streams.publish(`${topic}.plain.3`, { n: 2 })
    expect(JSON.parse((await stream.next()).data).code).to.equal('too_large')
    expect(await next(stream)).to.equal('{"n":2}')
  })

  it('the client goes: the source lives replay_timeout longer, then UNSUBSCRIBE', async () => {
    const first = await open('/short/2')
    await streams.publish(`${topic}.short.2`, { n: 1 })
    const { id = '' } = await first.next()
    first.close()
    await streams.publish(`${topic}.short.2`, { n: 2 })
    const second = await open('/short/2', { 'last-event-id': id })
    expect(await next(second)).to.equal('{"n":2}')
    second.close()
    for (;;) {
      const third = await open('/short/2', { 'last-event-id': id })
      const first = await Promise.race([next(third), streams.publish(`${topic}.short.2`, { n: 3 })])
      third.close()
      if (String(first).includes('history_lost')) break
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  })

  it('max_events reached: end complete, closed', async () => {
    const stream = await open('/limit/2?limit=2')
    for (const n of [1, 2, 3]) await streams.publish(`${topic}.limit.2`, { n })
    const seen = [await next(stream), await next(stream), await next(stream)]
    expect(seen).to.deep.equal(['{"n":1}', '{"n":2}', 'end{"code":"complete"}'])
    expect(await stream.ended).to.equal(true)
  })

  it('max_duration reached: end complete, closed', async () => {
    const stream = await open('/limit/3?ms=50')
    expect(await next(stream)).to.equal('end{"code":"complete"}')
    expect(await stream.ended).to.equal(true)
  })

  it('snapshot: subscribe, then call; events meanwhile wait; then the snapshot event, then they', async () => {
    const stream = await open('/snapshot/7')
    expect(await next(stream)).to.equal('snapshot{"state":"7"}')
    const meanwhile = await stream.next()
    expect(meanwhile.data).to.equal('{"n":"meanwhile"}')
    const again = await open('/snapshot/7', { 'last-event-id': meanwhile.id ?? '' })
    await streams.publish(`${topic}.snapshot.7`, { n: 2 })
    expect(await next(again)).to.equal('{"n":2}')
  })

  it('a snapshot that fails before the head is an action.error', async () => {
    const stream = await open('/snapshot/broken')
    expect(stream.status).to.equal(500)
    await stream.ended
    expect(stream.text).to.contain('"error_uri":"service.error.internal"')
  })

  it('HEAD answers the head and subscribes to nothing', async () => {
    const { gateway } = streams
    const answer = await fetch(`${gateway.url}/s/plain/9`, { method: 'HEAD' })
    expect(answer.status).to.equal(200)
    expect(answer.headers.get('content-type')).to.equal('text/event-stream')
    expect(answer.headers.get('cache-control')).to.equal('no-store, no-transform')
  })

  it('HTTP/1.0 client: 200, no chunks, Connection: close', async () => {
    const { hostname, port } = new URL(streams.gateway.url)
    const socket = connect(Number(port), hostname)
    socket.write('GET /s/limit/4?ms=50 HTTP/1.0\r\nHost: x\r\nAccept: text/event-stream\r\n\r\n')
    let text = ''
    for await (const bytes of socket) text += bytes
    const [head = '', rest = ''] = text.split('\r\n\r\n')
    expect(head).to.match(/^HTTP\/1.1 200 OK\r\n/)
    expect(head.toLowerCase()).to.contain('connection: close').and.not.contain('transfer-encoding')
    expect(rest).to.match(/^retry: \d+\n\nid: \S+\n\nevent: end\ndata: {"code":"complete"}\n\n$/)
  })
})
