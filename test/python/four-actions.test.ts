/** One document with all four actions, against a callee and a subscriber in Python and an HTTP upstream. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { decode, encode } from '@msgpack/msgpack'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'
import { fourActions, statuses } from './four-actions-document.ts'
import { type PythonPeer, startPythonPeer } from './peer.ts'

/** Fails twice below /flaky, streams events at /events, echoes bodies. */
class Upstream {
  readonly requests: string[] = []
  /** The answer that /events keeps open. */
  open: ServerResponse | undefined
  readonly server = createServer((incoming, response) => {
    this.requests.push(`${incoming.method} ${incoming.url}`)
    const { url = '' } = incoming
    const isEvents = url.endsWith('/events')
    if (isEvents) {
      this.open = response
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write('data: first\n\n')
    } else if (url.endsWith('/flaky') && this.requests.length <= 2) {
      response.writeHead(503).end('not yet')
    } else {
      response.writeHead(200, { 'content-type': incoming.headers['content-type'] ?? 'text/plain' })
      incoming.pipe(response)
    }
  }).listen(0, '127.0.0.1')

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`
  }
}

const msgpack = 'application/msgpack'
const asMsgpack = (value: unknown) => ({
  method: 'POST',
  headers: { 'content-type': msgpack, accept: msgpack },
  body: encode(value, { useBigInt64: true }),
})

describe('one document with all four actions', () => {
  let gateway: TestGateway
  let peer: PythonPeer
  const upstream = new Upstream()

  before(async () => {
    gateway = await startGateway()
    peer = await startPythonPeer(gateway.routerUrl, 'com.example.test')
    const { status, body } = await gateway.load(fourActions(upstream.origin))
    expect(status, JSON.stringify(body)).to.equal(201)
    expect(body.warnings).to.deep.equal([])
  })
  after(async () => {
    await peer.stop()
    await gateway.stop()
    upstream.server.closeAllConnections()
    upstream.server.close()
  })
  beforeEach(() => {
    upstream.requests.length = 0
  })

  const ask = (target: string, options = {}) => send(gateway.url, target, options)
  const seen = async () =>
    (await ask('/four/seen')).json() as {
      events: unknown[]
      calls: Record<string, number>
      most: number
    }

  it('answers by static', async () => {
    expect((await ask('/four/static')).json()).to.deep.equal({ fixed: true })
  })

  it('forwards', async () => {
    const answer = await ask('/four/upstream/a/b?c=d', { method: 'POST', body: { e: 1 } })
    expect(answer.json()).to.deep.equal({ e: 1 })
    expect(upstream.requests).to.deep.equal(['POST /four/upstream/a/b?c=d'])
  })

  it('publishes to the subscriber in Python', async () => {
    const answer = await ask('/four/events', { method: 'POST', body: { wave: 1 } })
    expect(answer.status).to.equal(200)
    expect((answer.json() as { publication_id: number }).publication_id).to.be.greaterThan(0)
    let { events } = await seen()
    await until('an event arrives', async () => {
      events = (await seen()).events
      return events.length > 0
    })
    expect(events).to.deep.equal([{ args: [{ wave: 1 }], kwargs: { from: 'post' } }])
  })

  for (const [uri, status] of Object.entries(statuses)) {
    it(`answers ${status} when the callee in Python raises ${uri}`, async () => {
      const answer = await ask('/four/fail', { method: 'POST', body: { uri } })
      expect(answer.status).to.equal(status)
      const body = answer.json() as { error_uri: string; args: unknown[]; kwargs: object }
      expect(body).to.have.all.keys('error_uri', 'args', 'kwargs', 'details')
      expect(body).to.deep.include({
        error_uri: uri,
        args: ['said', 'twice'],
        kwargs: { reason: 'asked to' },
      })
    })
  }

  it('answers with the status that a version has put in the place of the table or the API', async () => {
    const statusOf = async (uri: string) =>
      (await ask('/narrow/fail', { method: 'POST', body: { uri } })).status
    expect(await statusOf('wamp.error.canceled')).to.equal(499)
    expect(await statusOf('com.example.error.teapot')).to.equal(503)
    expect(await statusOf('wamp.error.not_authorized')).to.equal(403)
  })

  describe('with msgpack', () => {
    const integers = {
      most: 2n ** 63n - 1n,
      least: -(2n ** 63n),
      unsigned: 2n ** 64n - 1n,
      odd: 2n ** 53n + 1n,
    }
    const bytes = new Uint8Array([0, 1, 127, 128, 255])

    it('passes 64-bit integers and bytes to Python as they are', async () => {
      const answer = await ask('/four/describe', asMsgpack({ ...integers, bytes }))
      expect(answer.status).to.equal(200)
      expect(answer.headers['content-type']).to.equal(msgpack)
      expect(decode(answer.bytes)).to.deep.equal({
        most: ['int', '9223372036854775807'],
        least: ['int', '-9223372036854775808'],
        unsigned: ['int', '18446744073709551615'],
        odd: ['int', '9007199254740993'],
        bytes: ['bytes', '00017f80ff'],
      })
    })

    it('brings them back as they were', async () => {
      const sent = { ...integers, bytes, list: [1, -1, 0.5, null, true, 'text'] }
      const answer = await ask('/four/echo', asMsgpack(sent))
      const body = decode(answer.bytes, { useBigInt64: true }) as Record<string, typeof sent>
      for (const key of ['first', 'twice']) {
        expect(body[key]).to.deep.include(integers)
        expect(body[key]?.bytes).to.deep.equal(bytes)
        expect(decode(encode(body[key]?.list))).to.deep.equal(sent.list)
      }
    })

    it('keeps every digit of an integer in JSON, too', async () => {
      const answer = await ask('/four/echo', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"odd":9007199254740993,"least":-9223372036854775808}',
      })
      const value = '{"odd":9007199254740993,"least":-9223372036854775808}'
      expect(answer.text).to.equal(`{"first":${value},"twice":${value}}`)
    })

    it('answers an error in the type that the client prefers', async () => {
      const answer = await ask('/four/fail', asMsgpack({ uri: 'com.example.error.teapot' }))
      expect(answer.status).to.equal(418)
      expect(decode(answer.bytes)).to.include({ error_uri: 'com.example.error.teapot' })
    })
  })

  it('says of a deprecated version that it is, and until when it serves, on every answer', async () => {
    for (const [method, target, status] of [
      ['GET', '/old/static', 200],
      ['HEAD', '/old/static', 200],
      ['POST', '/old/static', 405],
      ['OPTIONS', '/old/static', 204],
      ['GET', '/old/closed', 401],
    ] as const) {
      const answer = await ask(target, { method })
      expect(answer.status, target).to.equal(status)
      expect(answer.headers.deprecation).to.match(/^@\d+$/)
      expect(answer.headers.sunset).to.equal('Sun, 31 Jan 2027 00:00:00 GMT')
    }
    const { headers } = await ask('/four/static')
    expect(headers).to.not.have.any.keys('deprecation', 'sunset')
  })

  describe('with pool_size 2', () => {
    it('answers ten slow calls, and never runs more than two of them', async () => {
      const calls = Array.from({ length: 10 }, () => ask('/narrow/slow/0.1'))
      const answers = await Promise.all(calls)
      expect(answers.map(({ status }) => status)).to.deep.equal(Array(10).fill(200))
      expect((await seen()).most).to.equal(2)
    })

    it('lets twenty wait, and answers 503 with Retry-After to the others', async () => {
      const calls = Array.from({ length: 27 }, () => ask('/narrow/slow/0.2'))
      const answers = await Promise.all(calls)
      const refused = answers.filter(({ status }) => status !== 200)
      expect(refused).to.have.length(5)
      for (const answer of refused) {
        expect(answer.status).to.equal(503)
        expect(answer.headers['retry-after']).to.match(/^[1-9]\d*$/)
        expect(answer.json()).to.include({ code: 'service.error.unavailable' })
      }
      expect((await seen()).most).to.equal(2)
    })
  })

  describe('with retries', () => {
    it('asks an upstream again that answers 503', async () => {
      const answer = await ask('/four/upstream/flaky')
      expect(answer.status).to.equal(200)
      expect(upstream.requests).to.have.length(3)
    })

    it('asks an upstream once only for a method that is not idempotent', async () => {
      const answer = await ask('/four/upstream/flaky', { method: 'POST', body: {} })
      expect(answer.status).to.equal(503)
      expect(answer.text).to.equal('not yet')
      expect(upstream.requests).to.have.length(1)
    })

    for (const uri of ['wamp.error.no_eligible_callee', 'wamp.error.no_such_procedure']) {
      it(`calls again after ${uri}`, async () => {
        const answer = await ask(`/four/flaky/${uri}/2?uri=${uri}`)
        expect(answer.status).to.equal(200)
        expect(answer.json()).to.equal(3)
      })
    }

    it('gives up after as many as declared', async () => {
      const uri = 'wamp.error.no_eligible_callee'
      const answer = await ask(`/four/flaky/for-ever/100?uri=${uri}`)
      expect(answer.status).to.equal(502)
      expect((await seen()).calls['for-ever']).to.equal(4)
    })

    for (const uri of ['wamp.error.canceled', 'service.error.timeout', 'com.example.error.any']) {
      it(`calls once only when the error is ${uri}`, async () => {
        const answer = await ask(`/four/flaky/${uri}/1?uri=${uri}`)
        expect(answer.status).to.equal(statuses[uri] ?? 500)
        expect((await seen()).calls[uri]).to.equal(1)
      })
    }
  })

  it('passes an event of an upstream on at once, while the upstream keeps the answer open', async () => {
    const outgoing = request(`${gateway.url}/four/upstream/events`, { agent: false }).end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect(incoming.headers['content-type']).to.equal('text/event-stream')
    incoming.setEncoding('utf8')
    expect(await once(incoming, 'data')).to.deep.equal(['data: first\n\n'])
    expect(upstream.open?.writableEnded).to.equal(false)
    upstream.open?.write('data: second\n\n')
    expect(await once(incoming, 'data')).to.deep.equal(['data: second\n\n'])
    const ended = once(incoming, 'end')
    upstream.open?.end()
    incoming.resume()
    await ended
  })
})
