/** Kept answers of a running gateway, in front of an upstream that counts its requests. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { cacheCases, fieldsAt } from '#test/cases/shared-cache.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

/** Answers as `answers` says for the path, and notes what was asked. */
class Upstream {
  readonly asked: string[] = []
  readonly answers = new Map<string, () => { status?: number; headers: Record<string, string> }>()
  readonly #server: Server

  constructor() {
    this.#server = createServer((request, response) => {
      const { method = '', url = '' } = request
      const [path = ''] = url.split('?')
      this.asked.push(`${method} ${url}`)
      const { status = 200, headers = {} } = this.answers.get(`${method} ${path}`)?.() ?? {}
      response.writeHead(status, { ...headers, 'x-number': String(this.asked.length) })
      response.end(status === 206 ? 'a' : `answer ${this.asked.length}`)
    })
  }

  async listen(): Promise<string> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }
}

describe('kept answers of a running gateway', () => {
  let gateway: TestGateway
  const upstream = new Upstream()

  const documentFor = (host: string, meta = {}) => {
    const operation = {
      action: { type: 'forward', host },
      response: { on_result: {}, on_error: {} },
    }
    const operations = { get: operation, post: operation, put: operation, delete: operation }
    const paths = { '/[...]': { cache: {}, etag: true, ...operations } }
    return {
      ...{ id: 'caching', host: '_', realm_uri: 'com.example.test', meta },
      versions: { one: { base_path: '/', paths } },
    }
  }
  let host = ''

  before(async () => {
    host = await upstream.listen()
    gateway = await startGateway({}, { isEmbedded: true })
    const { status, body } = await gateway.load(documentFor(host))
    expect(body.details ?? [], String(status)).to.deep.equal([])
  })
  after(async () => {
    await gateway?.stop()
    upstream.close()
  })

  it('have one Date, which is that of the answer, an Age, and the ETag of their bytes', async () => {
    upstream.answers.set('GET /dates', () => ({ headers: { 'cache-control': 'max-age=60' } }))
    const first = await send(gateway.url, '/dates')
    const second = await send(gateway.url, '/dates')
    const { date, etag } = first.headers
    expect(second.headers).to.include({ date, etag })
    // Date counts in whole seconds
    expect(second.headers.age).to.match(/^[012]$/)
    expect(second.headers['cache-status']).to.match(/^wamp-gateway; hit; ttl=(?:5[789]|60)$/)
    expect([first.text, second.text]).to.deep.equal(['answer 1', 'answer 1'])
    const head = await send(gateway.url, '/dates', { method: 'HEAD' })
    expect([head.headers['content-length'], head.text]).to.deep.equal(['8', ''])
    const headers = { 'if-none-match': String(first.headers.etag) }
    expect((await send(gateway.url, '/dates', { headers })).status).to.equal(304)
    const metrics = (await send(gateway.adminUrl, '/metrics')).text
    expect(metrics).to.match(/^gateway_cache_requests_total\{[^}]*how="hit"\} 3$/m)
  })

  it('are dropped when their document is loaded again', async () => {
    upstream.answers.set('GET /loaded', () => ({ headers: { 'cache-control': 'max-age=60' } }))
    const before = await send(gateway.url, '/loaded')
    expect((await send(gateway.url, '/loaded')).text).to.equal(before.text)
    await gateway.load(documentFor(host, { reloaded: true }))
    expect((await send(gateway.url, '/loaded')).text).not.to.equal(before.text)
  })

  it('do what RFC 9111 demands of a shared cache', async () => {
    const others: string[] = []
    for (const [index, row] of cacheCases.entries()) {
      const { section, demand, first, status = 200, between, second, path = '', isReused } = row
      const url = `/case/${index}`
      const answer = () => ({ status, headers: fieldsAt(row, Date.now()) })
      upstream.answers.set(`GET ${url}`, answer)
      upstream.answers.set(`GET ${url}${path}`, answer)
      await send(gateway.url, url, first && { headers: first })
      if (between) {
        upstream.answers.set(`${between.method} ${url}`, () => ({
          status: between.status,
          headers: {},
        }))
        await send(gateway.url, url, { method: between.method })
      }
      const before = upstream.asked.length
      await send(gateway.url, `${url}${path}`, second && { headers: second })
      if (isReused !== (upstream.asked.length === before)) others.push(`§${section}: ${demand}`)
    }
    expect(others).to.deep.equal([])
  })
})
