/** Upstreams that misbehave, and requests that would choose one: what goes out and what comes back. */
import { expect } from 'chai'
import { describeArea } from './cases.ts'
import { type Document, documentOf, operation, realm_uri } from './documents.ts'
import { ask, expectRefusal, get, post, RawClient } from './sockets.ts'
import {
  closedPort,
  openRawUpstream,
  openSilentHost,
  openUpstream,
  type Upstream,
} from './upstreams.ts'

const connectTimeout = 400

const rawAnswers = {
  '101': 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n',
  'cl-te':
    'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
  half: 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 20\r\n\r\n{"a":',
  'half-chunked': 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"a":\r\n',
}

/** Forwards to a host, with what the row needs beside. */
const forward = (host: string, fields: Document = {}): Document =>
  operation({ type: 'forward', host, ...fields })

/** As {@link forward}, where an expression reads the upstream's body. */
const reading = (host: string): Document =>
  operation({ type: 'forward', host }, { body: '{{action.result.body}}' })

/** A listed name may not resolve to a private address; a link-local address is refused even where it is listed. */
const settings = { 'forward.allowed_hosts': '[localhost, good.com, 169.254.169.254]' }

describeArea(
  'upstream',
  settings,
  (area) => {
    let upstream: Upstream
    const stops: (() => void)[] = []

    before(async () => {
      upstream = await openUpstream()
      const raw = await openRawUpstream(rawAnswers)
      const silent = await openSilentHost()
      stops.push(upstream.stop, raw.stop, silent.stop)
      const limits = { timeout: 5000, connect_timeout: connectTimeout }
      await area.load(
        documentOf('com.t.a', {
          '/via': { get: forward('{{request.query_params.host}}', { path: '/probe' }) },
          '/to/:name': { get: forward(upstream.host) },
          '/path': { get: forward(upstream.host, { path: '{{request.query_params.path}}' }) },
          '/framing': {
            post: forward(upstream.host, {
              headers: '{{request.headers}}',
              body: { text: 'another body, longer than what the client has declared' },
            }),
          },
          '/raw/:name': { get: forward(raw.host), timeout: 500 },
          '/read/:name': { get: reading(raw.host), timeout: 500 },
          '/silent': { get: forward(silent.host), ...limits },
          '/closed': { get: forward(`127.0.0.1:${await closedPort()}`), ...limits },
        }),
      )
    })
    after(() => {
      for (const stop of stops) stop()
    })

    const via = (host: string) => ask(area.port, get(`/v1/via?host=${encodeURIComponent(host)}`))

    for (const index of [155, 157, 160, 162, 163, 166, 170, 172]) {
      area.test(index, async (entry) => {
        const { upstream: host = '' } = entry.input
        const { message } = expectRefusal(await via(host), entry)
        // written as a number, yet known for the address that is listed
        if (index === 155) expect(message).to.include('link-local')
        // other spellings, at a port where somebody would answer
        for (const form of [`${host}:${upstream.port}`, `http://${host}:${upstream.port}`]) {
          expectRefusal(await via(form), entry)
        }
        if (index === 166) expectRefusal(await via('gopher://localhost'), entry)
        if (index === 162) {
          // a name that is listed; only the address that is connected to tells
          expectRefusal(await via(`localhost:${upstream.port}`), entry)
        }
        expect(upstream.seen, 'requests that went out').to.deep.equal([])
      })
    }

    area.test(156, async (entry) => {
      const own = [
        'service_ticket_r=x',
        `service_ticket_${realm_uri}=x; Path=/`,
        'service_csrf_r=x',
      ]
      for (const cookie of own) {
        const query = (cookies: readonly string[]) =>
          cookies.map((text) => `cookie=${encodeURIComponent(text)}`).join('&')
        const alone = await ask(area.port, get(`/v1/to/x?${query([cookie])}`))
        expect(alone).to.include({ status: entry.expected.status, body: '{"a":1}' })
        expect(alone.headers).to.not.have.property('set-cookie')
        for (const cookies of [
          [cookie, 'a=1'],
          ['a=1', cookie],
        ]) {
          const { headers } = await ask(area.port, get(`/v1/to/x?${query(cookies)}`))
          expect(headers).to.have.property('set-cookie', 'a=1')
        }
      }
    })

    area.test(158, async (entry) => {
      for (const path of ['/v1/raw/101', '/v1/read/101']) {
        expectRefusal(await ask(area.port, get(path)), entry)
      }
    })

    area.test(
      159,
      async (entry) => {
        const start = performance.now()
        expectRefusal(await ask(area.port, get('/v1/silent')), entry)
        const took = performance.now() - start
        expect(took, 'milliseconds').to.be.at.least(connectTimeout - 50)
      },
      `a listener on loopback whose queue is full, connect_timeout ${connectTimeout} ms`,
    )

    area.test(161, async (entry) => {
      const before = upstream.seen.length
      const request = post('/v1/framing', 'application/json', '1', [
        'Connection: x-hop',
        'X-Hop: 1',
        'X-Kept: 1',
        'Keep-Alive: timeout=5',
        'TE: trailers',
      ])
      const answer = await ask(area.port, request)
      expect(answer).to.include({ status: entry.expected.status, body: '{"a":1}' })
      expect(upstream.seen).to.have.length(before + 1)
      expect(upstream.faults, 'bytes that were no request').to.equal(0)
      const { headers, body } = upstream.seen.at(-1) ?? { headers: {}, body: '' }
      expect(body).to.equal('{"text":"another body, longer than what the client has declared"}')
      expect(headers).to.include({ 'content-length': String(body.length), 'x-kept': '1' })
      expect(headers).to.not.have.any.keys('x-hop', 'keep-alive', 'te', 'transfer-encoding')
    })

    area.test(164, async (entry) => {
      const { message } = expectRefusal(await ask(area.port, get('/v1/closed')), entry)
      expect(message).to.match(/connect/)
    })

    area.test(165, async (entry) => {
      for (const path of ['/v1/raw/cl-te', '/v1/read/cl-te']) {
        expectRefusal(await ask(area.port, get(path)), entry)
      }
    })

    area.test(167, async (entry) => {
      const before = upstream.seen.length
      for (const path of ['//evil.com/x', 'http://evil.com/x', '@evil.com/x', '\\\\evil.com/x']) {
        const target = `/v1/path?path=${encodeURIComponent(path)}`
        expectRefusal(await ask(area.port, get(target)), entry)
      }
      expect(upstream.seen, 'requests that went out').to.have.length(before)
    })

    area.test(171, async (entry) => {
      const before = upstream.seen.length
      for (const path of ['/a\r\nX: y', '/a\nX: y', '/a HTTP/1.1\r\nX: y', '/a\u0001']) {
        const target = `/v1/path?path=${encodeURIComponent(path)}`
        expectRefusal(await ask(area.port, get(target)), entry)
      }
      expect(upstream.seen, 'requests that went out').to.have.length(before)
    })

    area.test(168, async (entry) => {
      const before = upstream.seen.length
      const location = 'http://169.254.169.254/'
      const target = `/v1/to/x?location=${encodeURIComponent(location)}`
      const answer = await ask(area.port, get(target))
      expect(answer.status).to.equal(entry.expected.status)
      expect(answer.headers).to.have.property('location', location)
      expect(upstream.seen, 'requests that went out').to.have.length(before + 1)
    })

    area.test(169, async (entry) => {
      for (const name of ['half', 'half-chunked']) {
        expectRefusal(await ask(area.port, get(`/v1/read/${name}`)), entry)
        const client = new RawClient(area.port)
        client.send(get(`/v1/raw/${name}`))
        // the reading ends only because the connection does
        const { status, headers, body } = await client.read()
        expect(status, 'status that was sent before the silence').to.equal(200)
        expect(body).to.include('{"a":')
        if (name === 'half') expect(headers).to.have.property('content-length', '20')
        else expect(body).to.equal('5\r\n{"a":\r\n')
        expect(client.socket.destroyed || client.socket.readableEnded).to.equal(true)
        client.close()
      }
    })
  },
  { notProblems: [] },
)
