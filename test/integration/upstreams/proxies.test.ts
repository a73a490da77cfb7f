/** Requests that leave by a proxy, and targets at Unix sockets. */
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  request as requestOf,
  type ServerResponse,
} from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { echoed, opened } from '#test/integration/websockets/clients.ts'
import { send } from '#test/support/http-request.ts'
import { echoingUpstream } from '#test/support/peers/websocket-upstream.ts'
import { until } from '#test/support/running/until.ts'
import { startReceiver } from '#test/support/telemetry/receiver.ts'
import { Authority } from '#test/support/tls/authority.ts'
import { startTokenServer } from './token-server.ts'
import { closeAll, documentOf, startTarget, startWith } from './upstreams.ts'

const closers: (() => void)[] = []
const authority = new Authority('The authority of the company')

/** How a proxy differs from one that asks for nothing and speaks plain HTTP. */
interface ProxyOptions {
  /** Its answer to CONNECT in place of a tunnel. */
  readonly refusal?: number
  /** The `Proxy-Authorization` that it wants. */
  readonly wants?: string
  /** It speaks TLS. */
  readonly isSecure?: boolean
}

/** A proxy that knows one name, whatever it is asked for; what it was asked. */
async function startProxy(port: number, { refusal, wants, isSecure = false }: ProxyOptions = {}) {
  const asked: string[] = []
  const isKnown = ({ headers }: IncomingMessage) =>
    wants === undefined || headers['proxy-authorization'] === wants
  const challenge = { 'proxy-authenticate': 'Basic realm="company"' }
  const pass = (request: IncomingMessage, response: ServerResponse) => {
    asked.push(`${request.method} ${request.url}`)
    if (!isKnown(request)) return response.writeHead(407, challenge).end('who are you?')
    const { pathname } = new URL(request.url ?? '')
    const { method, headers } = request
    const { 'proxy-authorization': _, ...passedHeaders } = headers
    const passed = requestOf(
      { port, host: '127.0.0.1', path: pathname, method, headers: passedHeaders },
      (answer) => {
        response.writeHead(answer.statusCode ?? 0, answer.headers)
        answer.pipe(response)
      },
    )
    return request.pipe(passed)
  }
  const names = { name: 'localhost', dns: ['localhost'], usage: 'server' } as const
  const proxy = isSecure ? createSecureServer(authority.issue(names), pass) : createServer(pass)
  proxy.on('connect', (request, socket) => {
    asked.push(`${request.method} ${request.url}`)
    socket.on('error', () => undefined)
    const status = isKnown(request) ? refusal : 407
    if (status !== undefined) return socket.end(`HTTP/1.1 ${status} No\r\n\r\n`)
    const to = connect(port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection established\r\nVia: proxy\r\n\r\n')
      to.pipe(socket).pipe(to)
    })
    to.on('error', () => socket.destroy())
    socket.on('close', () => to.destroy())
    closers.push(() => to.destroy())
    return undefined
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  closers.push(() => {
    proxy.close()
    proxy.closeAllConnections()
  })
  const { port: own } = proxy.address() as AddressInfo
  return { url: isSecure ? `https://localhost:${own}` : `http://127.0.0.1:${own}`, asked }
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

  /** A target under https, by its port: it proves that it is billing.internal. */
  async function startSecureTarget() {
    const names = { name: 'billing.internal', dns: ['billing.internal'], usage: 'server' } as const
    const server = createSecureServer(authority.issue(names), (_request, response) =>
      response.end('ok'),
    )
    await once(server.listen(0, '127.0.0.1'), 'listening')
    closers.push(() => {
      server.close()
      server.closeAllConnections()
    })
    return (server.address() as AddressInfo).port
  }

  it('goes through a tunnel under https, in which the target proves its name', async () => {
    const proxy = await startProxy(await startSecureTarget())
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
    const proxy = await startProxy(1, { refusal: 403 })
    const { url } = await startWith({
      it: { targets: [{ url: 'https://billing.internal' }], proxy: proxy.url },
    })
    const answer = await fetch(`${url}/v1/it`)
    expect(answer.status).to.equal(504)
    expect(await answer.text()).to.include('the proxy opened no tunnel: it returned 403')
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

  const password = 'sssh-0123456789'
  const basic = `Basic ${Buffer.from(`gw:${password}`).toString('base64')}`

  for (const [what, isSecure, isTunnel] of [
    ['http, asked for http', false, false],
    ['http, asked for a tunnel', false, true],
    ['https, asked for http', true, false],
    ['https, asked for a tunnel', true, true],
  ] as const) {
    it(`is one of a name and a password: by ${what}`, async () => {
      const port = isTunnel ? await startSecureTarget() : portOf((await startTarget()).url)
      const proxy = await startProxy(port, { wants: basic, isSecure })
      const upstreams = (more: object) => ({
        it: {
          targets: [{ url: `${isTunnel ? 'https' : 'http'}://billing.internal` }],
          proxy: { url: proxy.url, ...(isSecure && { ca: authority.cert }), ...more },
          ...(isTunnel && { tls: { ca: authority.cert } }),
        },
      })
      const { url, adminUrl, setUpstreams } = await startWith(
        upstreams({ username: 'gw', password }),
      )
      const answers = await Promise.all([1, 2, 3].map(() => fetch(`${url}/v1/it`)))
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200])
      expect((await send(adminUrl, '/realms/com.example.test')).text).to.not.include(password)
      for (const more of [{ password: null }, { username: 'gw', password: 'wrong' }]) {
        await setUpstreams(upstreams(more))
        const answer = await fetch(`${url}/v1/it`)
        const text = await answer.text()
        expect([answer.status, answer.headers.get('proxy-authenticate')]).to.deep.equal([504, null])
        expect(text).to.include('it returned 407')
        expect(text).to.not.include('who are you')
      }
    })
  }

  it('is one of a name and a password of the configuration, and of certificates', async () => {
    const target = await startTarget()
    const proxy = await startProxy(portOf(target.url), { wants: basic, isSecure: true })
    const settings = {
      'egress.proxy': proxy.url,
      'egress.proxy_username': 'gw',
      'egress.proxy_password': password,
      'egress.proxy_ca': authority.cert,
    }
    const { url } = await startWith({}, fixed, settings)
    expect((await fetch(`${url}/v1/it`)).status).to.equal(200)
  })

  it('is not made where the certificate of the proxy is not trusted', async () => {
    const target = await startTarget()
    const proxy = await startProxy(portOf(target.url), { isSecure: true })
    const { url } = await startWith({}, fixed, { 'egress.proxy': proxy.url })
    expect((await fetch(`${url}/v1/it`)).status).to.equal(504)
    expect(proxy.asked).to.deep.equal([])
  })

  it('fails where the password cannot be read, and is made once it can', async () => {
    const target = await startTarget()
    const proxy = await startProxy(portOf(target.url), { wants: basic })
    const file = join(mkdtempSync(join(tmpdir(), 'proxy-')), 'password')
    const { url, setUpstreams } = await startWith({})
    const upstreams = {
      it: {
        targets: [{ url: 'http://billing.internal' }],
        proxy: { url: proxy.url, username: 'gw', password: { file } },
      },
    }
    expect((await setUpstreams(upstreams)).status).to.equal(200)
    const answer = await fetch(`${url}/v1/it`)
    expect(answer.status).to.equal(504)
    expect(await answer.text()).to.include('the password of the proxy cannot be read')
    writeFileSync(file, password)
    await until('it is read', async () => (await fetch(`${url}/v1/it`)).status === 200)
  })

  it('may be one for a WebSocket, which goes through a tunnel under http, too', async () => {
    const sockets = await echoingUpstream()
    const secure = await echoingUpstream(
      authority.issue({ name: 'sockets.internal', dns: ['sockets.internal'], usage: 'server' }),
    )
    for (const [scheme, { host }] of [
      ['http', sockets],
      ['https', secure],
    ] as const) {
      const proxy = await startProxy(portOf(`http://${host}`), { wants: basic })
      const get = { action: { type: 'forward', upstream: 'it', websocket: true }, response: {} }
      const paths = { '/it': { get } }
      const { url, setUpstreams } = await startWith(
        {},
        documentOf(
          {},
          {
            versions: { '1': { base_path: '/v1', paths } },
          },
        ),
      )
      await setUpstreams({
        it: {
          targets: [{ url: `${scheme}://sockets.internal` }],
          proxy: { url: proxy.url, username: 'gw', password },
          tls: { ca: authority.cert },
        },
      })
      const socket = await opened(url, '/v1/it')
      expect((await echoed(socket, 'hello')).toString()).to.equal('hello')
      socket.terminate()
      const port = scheme === 'http' ? 80 : 443
      expect(proxy.asked).to.deep.equal([`CONNECT sockets.internal:${port}`])
    }
    sockets.close()
    secure.close()
  })

  it('may be one for a token of the upstream that has the proxy', async () => {
    const server = await startTokenServer()
    const target = await startTarget()
    const [own, common] = [
      await startProxy(portOf(server.url), { wants: basic }),
      await startProxy(portOf(target.url)),
    ]
    const { url, setUpstreams } = await startWith({}, undefined, {
      'egress.proxy': common.url,
      'egress.no_proxy': JSON.stringify(['127.0.0.1']),
    })
    await setUpstreams({
      it: {
        targets: [{ url: 'http://billing.internal' }],
        proxy: { url: own.url, username: 'gw', password },
        auth: {
          ...{ type: 'client_credentials', token_url: 'http://id.internal/token' },
          ...{ client_id: 'gw', client_secret: 'another secret' },
        },
      },
    })
    await fetch(`${url}/v1/it`)
    expect(own.asked).to.deep.equal([
      'POST http://id.internal/token',
      'GET http://billing.internal/v1/it',
    ])
    expect(common.asked).to.deep.equal([])
    server.stop()
  })

  it('is one with spans, too', async () => {
    const receiver = await startReceiver()
    const proxy = await startProxy(portOf(receiver.url), { wants: basic })
    const { url } = await startWith({}, fixed, {
      'egress.proxy': proxy.url,
      'egress.proxy_username': 'gw',
      'egress.proxy_password': password,
      'telemetry.traces': 'otlp',
      'telemetry.sample': '1',
      'telemetry.endpoint': 'http://collector.internal:4318',
    })
    await fetch(`${url}/v1/it`)
    await closeAll()
    expect(proxy.asked).to.include('POST http://collector.internal:4318/v1/traces')
    expect(receiver.spans.length).to.be.greaterThan(0)
    await receiver.close()
  })

  it('is never made past a proxy that cannot be used', async () => {
    for (const proxy of ['socks5://proxy.internal', 'proxy.internal:3128', 'http://a:b@proxy']) {
      const started = startWith({}, fixed, { 'egress.proxy': proxy })
      const message = await started.then(
        () => 'started',
        (error: Error) => error.message,
      )
      expect(message).to.include('option "egress.proxy": expected http://host[:port]')
      expect(message).not.to.include('a:b')
    }
  })

  for (const [what, settings, message] of [
    [
      'a name without a password',
      { 'egress.proxy_username': 'a' },
      'egress.proxy_password is missing',
    ],
    [
      'a password without a name',
      { 'egress.proxy_password': 'sssh' },
      'egress.proxy_username is missing',
    ],
    [
      'a name with a colon',
      { 'egress.proxy_username': 'a:b', 'egress.proxy_password': 'sssh' },
      'a colon and control characters are not allowed',
    ],
    ['certificates that are none', { 'egress.proxy_ca': 'sssh' }, 'expected certificates in PEM'],
    [
      'a name without a proxy',
      { 'egress.proxy': undefined, 'egress.proxy_username': 'a', 'egress.proxy_password': 'sssh' },
      'egress.proxy is missing',
    ],
  ] as const) {
    it(`is never made where the configuration has ${what}`, async () => {
      const given = { 'egress.proxy': 'http://proxy', ...settings }
      const known = Object.entries(given).filter(([, value]) => value !== undefined)
      const error = await startWith(
        {},
        fixed,
        Object.fromEntries(known) as Record<string, string>,
      ).then(
        () => 'started',
        (cause: Error) => cause.message,
      )
      expect(error).to.include(message)
      expect(error).to.not.include('sssh')
    })
  }

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
