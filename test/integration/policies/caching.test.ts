/** Kept answers of a running gateway, in front of an upstream that counts its requests. */
import { expect } from 'chai'
import { cacheCases } from '#test/cases/shared-cache.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { isReusedBy, NumberedUpstream } from '#test/support/numbered-upstream.ts'

describe('kept answers of a running gateway', () => {
  let gateway: TestGateway
  const upstream = new NumberedUpstream()

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
      const isReused = await isReusedBy(gateway.url, upstream, row, `/case/${index}`)
      if (isReused !== row.isReused) others.push(`§${row.section}: ${row.demand}`)
    }
    expect(others).to.deep.equal([])
  })
})
