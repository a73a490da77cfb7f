/** Requests that break the rules of HTTP, as bytes: refused before anything is routed. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { type Callee, openCallee } from './callees.ts'
import { type BadInput, describeArea } from './cases.ts'
import { calling, documentOf, operation } from './documents.ts'
import {
  ask,
  askUntilClosed,
  expectRefusal,
  get,
  jsonOf,
  RawClient,
  untilEnded,
} from './sockets.ts'

/** Short limits in the place of those that the rows tell, in milliseconds. */
const headersTimeout = 500
const bodyTimeout = 500

/** The bytes of a row; what it elides is filled in. */
function bytesOf({ input: { raw = '' } }: BadInput): string {
  const tiny = Array.from({ length: 1500 }, (_, n) => `a${n}:`)
  return raw
    .replace('a0:\r\n…\r\na1499:', tiny.join('\r\n'))
    .replace('aaaaaaaaaaaaaaaaaaaa…', 'a'.repeat(65_536))
}

describeArea('http', { 'limits.headers_timeout': String(headersTimeout) }, (area) => {
  let callee: Callee
  let upstream: Server
  const forwarded: { readonly url: string; readonly headers: IncomingHttpHeaders }[] = []

  before(async () => {
    upstream = createServer(({ url = '', headers }, response) => {
      forwarded.push({ url, headers })
      response.end('{}')
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`
    callee = await openCallee(area.gateway.routerUrl)
    await callee.register('com.t.http', () => 'routed')
    const call = calling('com.t.http', '{{request.path}}', '{{request.body}}')
    const forward = operation({ type: 'forward', host, headers: '{{request.headers}}' })
    await area.load(
      documentOf('com.t.a', {
        '/x': { get: call, post: call },
        '/slow': { post: call, body_read_seconds: bodyTimeout },
        '/users/:id': { get: call },
        '/forward': { get: forward },
        '/[...]': { get: forward },
      }),
    )
  })
  after(() => {
    callee?.close()
    upstream?.close()
    upstream?.closeAllConnections()
  })

  /** What was routed while a task ran: calls and forwarded requests. */
  async function routedBy(task: () => Promise<void>): Promise<number> {
    const count = () => callee.invocations.length + forwarded.length
    const before = count()
    await task()
    return count() - before
  }

  const refusedByGateway = [44, 45, 46, 50, 55, 56, 58, 59, 60, 61, 62, 63, 64]
  for (const index of refusedByGateway) {
    area.test(index, async (entry) => {
      const routed = await routedBy(async () => {
        expectRefusal(await ask(area.port, bytesOf(entry)), entry)
      })
      expect(routed, 'routed').to.equal(0)
    })
  }

  for (const index of [47, 48, 51, 53, 54, 57, 65, 67]) {
    area.test(index, async (entry) => {
      const routed = await routedBy(async () => {
        expectRefusal(await askUntilClosed(area.port, bytesOf(entry)), entry)
      })
      expect(routed, 'routed').to.equal(0)
    })
  }

  area.test(49, async (entry) => {
    const bytes = bytesOf(entry)
    const answer = await ask(area.port, bytes)
    expect(answer).to.include({ status: entry.expected.status, body: '"routed"' })
    expect(answer.headers).to.not.have.property('upgrade')
    const target = bytes.replace('/v1/x', '/v1/forward')
    expect(await ask(area.port, target)).to.include({ status: 200, body: '{}' })
    const { headers } = forwarded.at(-1) ?? {}
    expect(headers).to.include.keys('host').and.not.include.keys('upgrade', 'http2-settings')
    expect(headers?.connection ?? '').to.not.match(/upgrade|http2/i)
  })

  area.test(
    52,
    async (entry) => {
      const client = new RawClient(area.port)
      const start = performance.now()
      client.send('GET / HTTP/1.1\r\nX: a')
      const timer = setInterval(() => client.send('a'), 100)
      const answer = await client.read()
      clearInterval(timer)
      await untilEnded(client)
      expect(answer.status).to.equal(entry.expected.status)
      expect(performance.now() - start).to.be.at.least(headersTimeout - 50)
    },
    `1 byte each 100 ms, limits.headers_timeout ${headersTimeout} ms`,
  )

  area.test(
    66,
    async (entry) => {
      const client = new RawClient(area.port)
      const start = performance.now()
      client.send(
        'POST /v1/slow HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n',
      )
      const timer = setInterval(() => client.send(' '), 100)
      const routed = await routedBy(async () => {
        const answer = await client.read()
        clearInterval(timer)
        expectRefusal(answer, entry)
        expect(answer.headers).to.have.property('connection', 'close')
        await untilEnded(client)
      })
      expect(routed, 'routed').to.equal(0)
      expect(performance.now() - start).to.be.at.least(bodyTimeout - 50)
    },
    `1 byte each 100 ms, body_read_seconds ${bodyTimeout} ms`,
  )

  it('a good request of the same shape is routed', async () => {
    const routed = await routedBy(async () => {
      expect(jsonOf(await ask(area.port, get('/v1/users/a%20b')))).to.equal('routed')
    })
    expect(routed).to.equal(1)
  })
})
