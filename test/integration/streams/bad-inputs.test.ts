/** Requests for streams of events that cannot be served as they are. */
import { expect } from 'chai'
import { openEventStream } from '#test/support/event-stream.ts'
import { type StreamingGateway, startStreams, subscribe } from './gateway.ts'

const topic = 'com.example.bad'
const body = '{{action.event.kwargs}}'
const id = '{{request.query_params |> get(id, 1)}}'

const paths = {
  '/user': subscribe({ topic: `${topic}.user.${id}.`, match: 'prefix' }),
  '/any': subscribe({ topic: '{{request.query_params.topic}}' }),
  '/named': subscribe(
    { topic: `${topic}.named` },
    { on_event: { event: '{{action.event.kwargs |> get(name)}}', body } },
  ),
  '/filtered': subscribe(
    { topic: `${topic}.filtered`, filter: '{{action.event.kwargs |> get(pass)}}' },
    { on_event: { body } },
  ),
  '/plain': subscribe({ topic: `${topic}.plain` }, { on_event: { body } }),
  '/limited': subscribe({
    topic: `${topic}.limited`,
    max_events: '{{request.query_params |> get(limit, 0) |> integer |> min(1000)}}',
  }),
  '/options': subscribe({
    topic: `${topic}.options`,
    options: { get_retained: '{{request.query_params |> get(retained, false)}}' },
  }),
  '/few': subscribe({ topic: `${topic}.few`, max_streams: 1 }),
  '/one': subscribe(
    { topic: `${topic}.one`, options: { get_retained: true }, max_events: 1, max_duration: 400 },
    { on_event: { body } },
  ),
}

describe('bad requests for a stream', () => {
  let streams: StreamingGateway
  before(async () => {
    streams = await startStreams(paths, { 'limits.streams': '20' })
  })
  after(() => streams.stop())

  const open = (path: string, headers: Record<string, string> = {}) =>
    openEventStream(`${streams.gateway.url}/s${path}`, { headers })
  const refused = async (path: string, headers: Record<string, string> = {}) => {
    const stream = await open(path, headers)
    await stream.ended
    const { code, error_uri } = JSON.parse(stream.text)
    return { status: stream.status, code: code ?? error_uri, headers: stream.headers }
  }

  const refusals: readonly (readonly [string, string, Record<string, string>, number, string])[] = [
    ['a prefix with an empty component', '/user?id=', {}, 400, 'wamp.error.invalid_uri'],
    ['a prefix with two components', '/user?id=a.b', {}, 400, 'wamp.error.invalid_uri'],
    [
      'a computed topic that begins with wamp.',
      '/any?topic=wamp.session.on_join',
      {},
      403,
      'wamp.error.not_authorized',
    ],
    [
      'Accept: application/json',
      '/plain',
      { accept: 'application/json' },
      406,
      'service.error.not_acceptable',
    ],
    [
      'Last-Event-ID of 10 kB',
      '/plain',
      { 'last-event-id': 'x'.repeat(10_000) },
      400,
      'service.error.bad_request',
    ],
    ['?limit=abc', '/limited?limit=abc', {}, 400, 'service.error.http_gateway.invalid_request'],
    ['get_retained: "yes"', '/options?retained=yes', {}, 400, 'wamp.error.option_not_allowed'],
  ]
  for (const [title, path, headers, status, code] of refusals) {
    it(`${title}: ${status} ${code}`, async () => {
      expect(await refused(path, headers)).to.include({ status, code })
    })
  }

  it('event with a line break, computed: gap not_rendered', async () => {
    const stream = await open('/named')
    await streams.publish(`${topic}.named`, { name: 'a\nb' })
    await streams.publish(`${topic}.named`, { name: 'gap' })
    await streams.publish(`${topic}.named`, { name: 'good' })
    const [gap, good] = [await stream.next(), await stream.next()]
    expect(JSON.parse(gap.data).code).to.equal('not_rendered')
    expect(good).to.include({ event: 'good', data: '{"name":"good"}' })
    stream.close()
  })

  it('filter yields "yes": gap not_rendered', async () => {
    const stream = await open('/filtered')
    await streams.publish(`${topic}.filtered`, { pass: false })
    await streams.publish(`${topic}.filtered`, { pass: 'yes' })
    await streams.publish(`${topic}.filtered`, { pass: true })
    expect(JSON.parse((await stream.next()).data).code).to.equal('not_rendered')
    expect((await stream.next()).data).to.equal('{"pass":true}')
    stream.close()
  })

  it('Accept: text/event-stream;q=0, */*: NDJSON', async () => {
    const controller = new AbortController()
    const answer = await fetch(`${streams.gateway.url}/s/plain`, {
      headers: { accept: 'text/event-stream;q=0, */*' },
      signal: controller.signal,
    })
    expect(answer.headers.get('content-type')).to.equal('application/x-ndjson')
    const publication = await streams.publish(`${topic}.plain`, { text: 'a\u2028b', n: 2n ** 62n })
    const { value } = (await answer.body?.getReader().read()) ?? {}
    const line = Buffer.from(value ?? []).toString()
    expect(line).to.match(
      new RegExp(
        `^{"id":"${publication}-\\w{6}","data":{"text":"a\\u2028b","n":4611686018427387904}}\n$`,
      ),
    )
    controller.abort()
  })

  for (const id of ['7-000000', 'ü', 'a b', '0-zzzzzz', '"']) {
    it(`Last-Event-ID of a foreign form (${id}): gap history_lost`, async () => {
      const stream = await open('/plain', { 'last-event-id': id })
      expect((await stream.next()).data).to.equal('{"code":"history_lost"}')
      stream.close()
    })
  }

  it('max_streams: 429 with Retry-After', async () => {
    const stream = await open('/few')
    const { status, code, headers } = await refused('/few')
    expect([status, code]).to.deep.equal([429, 'service.error.too_many_requests'])
    expect(Number(headers['retry-after'])).to.be.within(5, 10)
    stream.close()
  })

  it('requests beyond limits.streams: 503; routed requests are still served', async () => {
    const all = await Promise.all(Array.from({ length: 25 }, () => open('/plain')))
    const refusedOnes = all.filter(({ status }) => status === 503)
    expect(refusedOnes.length).to.be.within(5, 6)
    expect(refusedOnes.every(({ headers }) => headers['retry-after'] !== undefined)).to.equal(true)
    const head = await fetch(`${streams.gateway.url}/s/plain`, { method: 'HEAD' })
    expect(head.status).to.equal(200)
    await streams.publish(`${topic}.plain`, { n: 1 })
    const served = all.filter(({ status }) => status === 200)
    const seen = await Promise.all(served.map((stream) => stream.next()))
    expect(new Set(seen.map(({ data }) => data))).to.deep.equal(new Set(['{"n":1}']))
    for (const stream of all) stream.close()
    await Promise.all(all.map(({ ended }) => ended))
  })

  it('JSON for one event: 404 when none has come in time, else 200 with its body', async () => {
    const ask = () =>
      fetch(`${streams.gateway.url}/s/one`, { headers: { accept: 'application/json' } })
    const none = await ask()
    expect([none.status, ((await none.json()) as { code: string }).code]).to.deep.equal([
      404,
      'service.error.not_found',
    ])
    await streams.publish(`${topic}.one`, { n: 5 }, { retain: true })
    const one = await ask()
    expect(one.headers.get('content-type')).to.equal('application/json')
    expect([one.status, await one.json()]).to.deep.equal([200, { n: 5 }])
  })
})
