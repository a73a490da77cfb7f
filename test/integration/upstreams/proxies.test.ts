/** Requests that leave by a proxy, and targets at Unix sockets. */
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { createServer, request as requestOf } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { send } from '#test/support/http-request.ts'
import { Authority } from '#test/support/tls/authority.ts'
import { closeAll, documentOf, startTarget, startWith } from './upstreams.ts'

const closers: (() => void)[] = []
const authority = new Authority('The authority of the company')

/** A proxy that knows one name, whatever it is asked for; what it was asked. */
async function startProxy(port: number, refusal?: number) {
  const asked: string[] = []
  const proxy = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const { pathname } = new URL(request.url ?? '')
    const { method, headers } = request
    const passed = requestOf(
      { port, host: '127.0.0.1', path: pathname, method, headers },
      (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(response)
      },
    )
    request.pipe(passed)
  })
  proxy.on('connect', (request, socket) => {
    asked.push(`${request.method} ${request.url}`)
    socket.on('error', () => undefined)
    if (refusal !== undefined) return socket.end(`HTTP/1.1 ${refusal} No\r\n\r\n`)
    const to = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\nVia: proxy\r\n\r\n')
      to.pipe(socket).pipe(to)
    })
    to.on('error', () => socket.destroy())
    closers.push(() => to.destroy())
    return undefined
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  closers.push(() => {
    proxy.close()
    proxy.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`, asked }
}

const portOf = (url: string): number => Number(new URL(url).port)

describe('a request that leaves by a proxy', () => {
  afterEach(async () => {
    await closeAll()
    for (const close of closers.splice(0)) close()
  })

  it('is asked for by its whole URL, with a body', async () => {
    const bodies: string[] = []
    const target = await startTarget(async (request, response) => {
      bodies.push((await request.toArray()).join(''))
      response.end(request.headers.host)
    })
    const proxy = await startProxy(portOf(target.url))
    const { url } = await startWith({
      it: { targets: [{ url: 'http://billing.internal:8080' }], proxy: proxy.url },
    })
    for (const body of ['a', 'b']) {
      const answer = await fetch(`${url}/v1/it`, { method: 'POST', body })
      expect([answer.status, await answer.text()]).to.deep.equal([200, 'billing.internal:8080'])
    }
    expect(bodies).to.deep.equal(['a', 'b'])
    const asked = 'POST http://billing.internal:8080/v1/it'
    expect(proxy.asked).to.deep.equal([asked, asked])
  })

  it('goes through a tunnel under https, in which the target proves its name', async () => {
    const names = { name: 'billing.internal', dns: ['billing.internal'], usage: 'server' } as const
    const server = createSecureServer(authority.issue(names), (_request, response) =>
      response.end('ok'),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    closers.push(() => {
      server.close()
      server.closeAllConnections()
    })
    const proxy = await startProxy((server.address() as AddressInfo).port)
    const upstreams = (name: string) => ({
      it: {
        targets: [{ url: `https://${name}` }],
        proxy: proxy.url,
        tls: { ca: authority.cert },
      },
    })
    const { url, setUpstreams } = await startWith(upstreams('billing.internal'))
    expect((await fetch(`${url}/v1/it`)).status).to.equal(200)
    await setUpstreams(upstreams('other.internal'))
    expect((await fetch(`${url}/v1/it`)).status).to.equal(504)
    expect(proxy.asked).to.deep.equal([
      'CONNECT billing.internal:443',
      'CONNECT other.internal:443',
    ])
  })

  it('is answered 504 where the proxy opens no tunnel', async () => {
    const proxy = await startProxy(1, 403)
    const { url } = await startWith({
      it: { targets: [{ url: 'https://billing.internal' }], proxy: proxy.url },
    })
    const answer = await fetch(`${url}/v1/it`)
    expect(answer.status).to.equal(504)
    expect(await answer.text()).to.include('the proxy opened no tunnel: it answered 403')
  })

  const hosts = documentOf({ upstream: undefined, host: '{{request.query_params.host}}' })
  const fixed = documentOf({ upstream: undefined, host: 'http://shop.example' })

  it('is one to a `host`, too, where the configuration says so', async () => {
    const target = await startTarget()
    const proxy = await startProxy(portOf(target.url))
    const { url } = await startWith({}, fixed, { 'egress.proxy': proxy.url })
    expect((await fetch(`${url}/v1/it`)).status).to.equal(200)
    expect(proxy.asked).to.deep.equal(['GET http://shop.example/v1/it'])
  })

  it('is never made past a proxy that cannot be used', async () => {
    for (const proxy of ['https://proxy.internal', 'proxy.internal:3128', 'http://a:b@proxy']) {
      const started = startWith({}, fixed, { 'egress.proxy': proxy })
      const message = await started.then(
        () => 'started',
        (error: Error) => error.message,
      )
      expect(message).to.include('option "egress.proxy": expected http://host[:port]')
      expect(message).not.to.include('a:b')
    }
  })

  for (const [exempt, host] of [
    ['127.0.0.0/8', '127.0.0.1'],
    ['localhost', 'localhost'],
    ['127.0.0.1', '127.0.0.1'],
  ] as const) {
    it(`is none to what no_proxy lists: ${exempt}`, async () => {
      const target = await startTarget()
      const proxy = await startProxy(portOf(target.url))
      const settings = { 'egress.proxy': proxy.url, 'egress.no_proxy': JSON.stringify([exempt]) }
      const document = documentOf({
        upstream: undefined,
        host: `http://${host}:${portOf(target.url)}`,
      })
      const { url } = await startWith({}, document, settings)
      expect((await fetch(`${url}/v1/it`)).status).to.equal(200)
      expect([proxy.asked, target.asked.length]).to.deep.equal([[], 1])
    })
  }

  for (const [what, host, status] of [
    ['a host that is listed itself', 'a.example', 200],
    ['a host that a suffix lists', 'b.suffix.example', 403],
    ['a link-local address', '169.254.169.254', 403],
    ['the name of metadata', 'metadata.google.internal', 403],
    ['a private address', '10.0.0.5', 403],
  ] as const) {
    it(`is ${status === 200 ? 'made' : 'refused'} to ${what} that the request computes`, async () => {
      const target = await startTarget()
      const proxy = await startProxy(portOf(target.url))
      const settings = {
        'egress.proxy': proxy.url,
        'forward.allowed_hosts': JSON.stringify(['a.example', '*.suffix.example']),
      }
      const { url } = await startWith({}, hosts, settings)
      expect((await fetch(`${url}/v1/it?host=${host}`)).status).to.equal(status)
      expect(proxy.asked).to.have.lengthOf(status === 200 ? 1 : 0)
    })
  }
})

describe('a target at a Unix socket', () => {
  afterEach(async () => {
    await closeAll()
    for (const close of closers.splice(0)) close()
  })

  for (const [what, listed, status] of [
    ['is reached where its folder is listed', true, 200],
    ['is not reached otherwise', false, 504],
  ] as const) {
    it(what, async () => {
      const folder = mkdtempSync(join(tmpdir(), 'sockets-'))
      const path = join(folder, 'http.sock')
      const server = createServer((_request, response) => response.end('ok'))
      await once(server.listen(path), 'listening')
      closers.push(() => {
        server.close()
        server.closeAllConnections()
      })
      const settings = {
        'forward.unix_sockets': JSON.stringify([listed ? folder : join(folder, 'other')]),
      }
      const { url } = await startWith(
        { it: { targets: [{ url: `unix:${path}` }] } },
        undefined,
        settings,
      )
      const answer = await send(url, '/v1/it')
      expect(answer.status).to.equal(status)
      expect(answer.text).to.include(listed ? 'ok' : 'forward.unix_sockets lists')
    })
  }
})
