/** The console of the admin listener: its files, and who may read its events. */
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { type EventStream, openEventStream } from '#test/support/event-stream.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { until } from '#test/support/running/until.ts'

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

type Data = Readonly<Record<string, unknown>>

/** The data of the next event of a name. */
async function nextOf(stream: EventStream, name: string): Promise<Data> {
  for (;;) {
    const { event, data } = await stream.next()
    if (event === name) return JSON.parse(data) as Data
  }
}

const decode = { br: brotliDecompressSync, gzip: gunzipSync } as const

describe('the console', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway()
  })
  after(() => gateway.stop())

  it('leads browsers that ask for / to its page', async () => {
    const { status, headers } = await send(gateway.adminUrl, '/', { headers: browser })
    expect([status, headers.location]).to.deep.equal([302, 'console/'])
    expect((await send(gateway.adminUrl, '/console')).headers.location).to.equal('console/')
    expect((await send(gateway.adminUrl, '/')).status).to.equal(404)
  })

  it('is a page that runs and loads nothing but its own files', async () => {
    const { status, headers, text } = await send(gateway.adminUrl, '/console/')
    const host = new URL(gateway.adminUrl).hostname
    expect(status).to.equal(200)
    expect(headers['content-security-policy']).to.equal(
      `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self' http://${host}:${new URL(gateway.url).port}; form-action 'none'; frame-ancestors 'none'; base-uri 'none'`,
    )
    expect(headers).to.include({ 'cache-control': 'no-cache', 'referrer-policy': 'no-referrer' })
    expect(headers['x-content-type-options']).to.equal('nosniff')
    const names = [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, name = '']) => name)
    expect(names).to.include.members(['main.js', 'preact.js', 'theme.css'])
    for (const name of names) {
      const file = await send(gateway.adminUrl, `/console/${name}`)
      expect([name, file.status]).to.deep.equal([name, 200])
    }
  })

  for (const [accepted, coding] of [
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP;q=0.5', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['*', 'br'],
    ['zstd', undefined],
    ['gzip;q=0', undefined],
    ['identity;q=1, gzip;q=0.1', undefined],
  ] as const)
    it(`is sent ${coding === undefined ? 'as it is' : `in ${coding}`} to a browser that accepts ${accepted}`, async () => {
      const path = '/console/main.js'
      const plain = await send(gateway.adminUrl, path)
      const found = await send(gateway.adminUrl, path, { headers: { 'accept-encoding': accepted } })
      expect(found.headers['content-encoding']).to.equal(coding)
      expect(found.headers.vary).to.include('Accept-Encoding')
      const bytes = coding === undefined ? found.bytes : decode[coding](found.bytes)
      expect(bytes.equals(plain.bytes)).to.equal(true)
      expect(found.headers.etag === plain.headers.etag).to.equal(coding === undefined)
      const again = await send(gateway.adminUrl, path, {
        headers: { 'accept-encoding': accepted, 'if-none-match': String(found.headers.etag) },
      })
      expect([again.status, again.text]).to.deep.equal([304, ''])
    })

  it('is not sent again to a browser that has it', async () => {
    const { etag = '' } = (await send(gateway.adminUrl, '/console/main.js')).headers
    const again = await send(gateway.adminUrl, '/console/main.js', {
      headers: { 'if-none-match': etag },
    })
    expect([again.status, again.text]).to.deep.equal([304, ''])
  })

  for (const path of [
    '/console/../package.json',
    '/console/%2e%2e/console.ts',
    '/console/tsconfig.json',
    '/console/preact.d.ts',
    '/console/lib',
    '/console/nothing.js',
  ]) {
    it(`has no file ${path}`, async () => {
      expect((await send(gateway.adminUrl, path)).status).to.be.oneOf([400, 404])
    })
  }

  it('is not on the gateway listener', async () => {
    for (const path of ['/console/', '/events']) {
      expect((await send(gateway.url, path)).status).to.equal(404)
    }
  })

  it('is not there with admin.console: false', async () => {
    const other = await startGateway({ 'admin.console': 'false' })
    try {
      for (const path of ['/console/', '/events']) {
        expect((await send(other.adminUrl, path)).status).to.equal(404)
      }
      const page = await send(other.adminUrl, '/', { headers: browser })
      expect([page.status, page.text.includes('This is its admin listener')]).to.deep.equal([
        200,
        true,
      ])
    } finally {
      await other.stop()
    }
  })

  for (const [who, headers, status] of [
    ['a page of another origin', { origin: 'https://evil.example' }, 403],
    ['those who come through a proxy', { 'x-forwarded-for': '9.9.9.9' }, 401],
    ['bad credentials', { authorization: 'Bearer nonsense' }, 401],
  ] as const) {
    it(`tells ${who} no events`, async () => {
      expect((await send(gateway.adminUrl, '/events', { headers })).status).to.equal(status)
    })
  }

  it('answers HEAD for events, and lets at most 20 be read at once', async () => {
    expect((await send(gateway.adminUrl, '/events', { method: 'HEAD' })).status).to.equal(200)
    const open = await Promise.all(
      Array.from({ length: 20 }, () => openEventStream(`${gateway.adminUrl}/events`)),
    )
    await Promise.all(open.map((stream) => nextOf(stream, 'hello')))
    const refused = await send(gateway.adminUrl, '/events')
    expect([refused.status, refused.headers['retry-after']]).to.deep.equal([503, '5'])
    for (const stream of open) stream.close()
    await until('there is room again', async () => {
      const stream = await openEventStream(`${gateway.adminUrl}/events`)
      stream.close()
      return stream.status === 200
    })
  })

  it('ends when the gateway stops', async () => {
    const other = await startGateway()
    const stream = await openEventStream(`${other.adminUrl}/events`)
    await nextOf(stream, 'hello')
    await other.stop()
    expect(await stream.ended).to.equal(true)
  })
})
