/** Idempotency-Key of a running gateway: the published rules of Stripe's API, restarts, and what clients send over sockets. */
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpRequest, send } from '#test/support/http-request.ts'
import { movedClock } from '#test/support/running/moved-clock.ts'
import { untilHolds } from '#test/support/running/until.ts'

const dayMs = 86_400_000

/** What the upstream is asked to answer, by the last segment of the path. */
type Answer = (response: ServerResponse, count: number) => void

const created: Answer = (response, count) => {
  response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify({ count }))
}

describe('an Idempotency-Key at a running gateway', () => {
  let upstream: Server
  let asked: string[]
  let answer: Answer
  let folder: string
  let gateway: TestGateway
  const clock = movedClock()

  const document = () => {
    const { port } = upstream.address() as AddressInfo
    const forward = { type: 'forward', host: `http://127.0.0.1:${port}` }
    const post = { action: forward, response: { on_result: {}, on_error: {} } }
    const checked = { ...post, request: { body: { type: 'object', required: ['amount'] } } }
    return {
      ...{ id: 'charges', host: '_', realm_uri: 'com.example.test' },
      versions: {
        one: {
          base_path: '/v1',
          defaults: { idempotency: {} },
          paths: {
            '/charges': { post, get: post, delete: post },
            '/checked': { post: checked },
            '/short': { timeout: 100, idempotency: { ttl: 3600 }, post },
          },
        },
      },
    }
  }
  const start = async () => {
    gateway = await startGateway({ data_dir: folder }, { isEmbedded: true, clock })
    await gateway.load(document())
  }

  beforeEach(async () => {
    clock.aheadMs = 0
    asked = []
    answer = created
    folder = mkdtempSync(join(tmpdir(), 'idempotency-'))
    upstream = createServer(async (request: IncomingMessage, response) => {
      const chunks = await request.toArray()
      asked.push(`${request.method} ${Buffer.concat(chunks)}`)
      answer(response, asked.length)
    })
    await once(upstream.listen(0, '127.0.0.1'), 'listening')
    await start()
  })
  afterEach(async () => {
    await gateway.stop()
    upstream.closeAllConnections()
    upstream.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const post = (body: unknown, key?: string, path = '/v1/charges', more: HttpRequest = {}) =>
    send(gateway.url, path, {
      ...{ method: 'POST', body },
      ...more,
      headers: { ...(key !== undefined && { 'idempotency-key': key }), ...more.headers },
    })
  const amount = { amount: 5 }

  describe('as Stripe publishes it', () => {
    it('saves status and body of the first request, and gives the same result to later ones', async () => {
      const [first, second] = [await post(amount, '"a"'), await post(amount, 'a')]
      expect([first.status, first.text]).to.deep.equal([201, '{"count":1}'])
      expect([second.status, second.text]).to.deep.equal([first.status, first.text])
      expect(second.headers).to.include({ 'idempotency-replayed': 'true' })
      expect(second.headers['x-request-id']).not.to.equal(first.headers['x-request-id'])
      expect(asked).to.deep.equal(['POST {"amount":5}'])
    })

    it('does so whether the request succeeds or fails, with status 500 too', async () => {
      answer = (response) => response.writeHead(500).end('broken')
      expect((await post(amount, 'a')).status).to.equal(500)
      answer = created
      const again = await post(amount, 'a')
      expect([again.status, again.text]).to.deep.equal([500, 'broken'])
    })

    it('takes keys of up to 255 characters', async () => {
      expect((await post(amount, 'k'.repeat(255))).status).to.equal(201)
      expect((await post(amount, 'k'.repeat(256))).status).to.equal(400)
    })

    it('refuses a key with other parameters than those of the first request', async () => {
      await post(amount, 'a')
      const reused = await post({ amount: 6 }, 'a')
      expect(reused.status).to.equal(422)
      expect(reused.json()).to.include({ code: 'service.error.idempotency_key_reused' })
    })

    it('forgets a key after 24 hours, and not before', async () => {
      await post(amount, 'a')
      clock.aheadMs = dayMs - 10_000
      expect((await post(amount, 'a')).text).to.equal('{"count":1}')
      clock.aheadMs = dayMs + 10_000
      expect((await post(amount, 'a')).text).to.equal('{"count":2}')
    })

    it('saves no result where validation has failed: the request can be sent again', async () => {
      expect((await post({}, 'a', '/v1/checked')).status).to.equal(400)
      expect((await post(amount, 'a', '/v1/checked')).status).to.equal(201)
    })

    it('saves no result where the request conflicts with one that is under way', async () => {
      let finish = () => {}
      answer = (response, count) => {
        finish = () => created(response, count)
      }
      const first = post(amount, 'a')
      await untilHolds(() => asked.length === 1)
      const second = await post(amount, 'a')
      expect(second.status).to.equal(409)
      expect(second.headers['retry-after']).to.equal('1')
      finish()
      expect((await first).status).to.equal(201)
      expect((await post(amount, 'a')).text).to.equal('{"count":1}')
    })

    it('gives the key no effect on GET and DELETE', async () => {
      for (const method of ['GET', 'DELETE']) {
        await post(undefined, 'a', '/v1/charges', { method })
        await post(undefined, 'a', '/v1/charges', { method })
      }
      expect(asked).to.have.length(4)
    })
  })

  it('keeps answers over a restart', async () => {
    await post(amount, 'a')
    await gateway.stop()
    await start()
    expect((await post(amount, 'a')).headers).to.include({ 'idempotency-replayed': 'true' })
    expect(asked).to.have.length(1)
  })

  it('acts for a client that has gone, which finds the answer when it comes back', async () => {
    let finish = () => {}
    answer = (response, count) => {
      finish = () => created(response, count)
    }
    const { hostname, port } = new URL(gateway.url)
    const socket = connect(Number(port), hostname)
    const body = JSON.stringify(amount)
    const head = `POST /v1/charges HTTP/1.1\r\nHost: x\r\nIdempotency-Key: a\r\nContent-Type: application/json`
    socket.write(`${head}\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    await untilHolds(() => asked.length === 1)
    socket.destroy()
    await once(socket, 'close')
    finish()
    await untilHolds(async () => (await post(amount, 'a')).status === 201)
    expect((await post(amount, 'a')).text).to.equal('{"count":1}')
    expect(asked).to.have.length(1)
  })

  it('gives the timeout of the first request to its repeats', async () => {
    answer = () => undefined
    expect((await post(amount, 'a', '/v1/short')).status).to.equal(504)
    answer = created
    const again = await post(amount, 'a', '/v1/short')
    expect(again.status).to.equal(504)
    expect(again.headers).to.include({ 'idempotency-replayed': 'true' })
    expect(asked).to.have.length(1)
  })

  it('acts again where the upstream could not be reached', async () => {
    const { port } = upstream.address() as AddressInfo
    upstream.closeAllConnections()
    await new Promise((done) => upstream.close(done))
    expect((await post(amount, 'a')).status).to.equal(504)
    await once(upstream.listen(port, '127.0.0.1'), 'listening')
    expect((await post(amount, 'a')).text).to.equal('{"count":1}')
  })

  it('passes the compressed body of a client on as it is, and compares that', async () => {
    const headers = { 'content-encoding': 'gzip', 'content-type': 'application/json' }
    const more = { headers }
    const zipped = (text: string) => Buffer.from(`pretends to be gzip: ${text}`)
    expect((await post(zipped('one'), 'a', '/v1/charges', more)).status).to.equal(201)
    expect((await post(zipped('one'), 'a', '/v1/charges', more)).status).to.equal(201)
    expect((await post(zipped('two'), 'a', '/v1/charges', more)).status).to.equal(422)
    expect(asked).to.deep.equal(['POST pretends to be gzip: one'])
  })
})
