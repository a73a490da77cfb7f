/** Compressed answers of a running gateway, in front of an upstream that knows its own tags. */
import { once } from 'node:events'
import { request as ask, createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { brotliDecompressSync, createBrotliDecompress, gunzipSync } from 'node:zlib'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { type HttpAnswer, type HttpRequest, send } from '#test/support/http-request.ts'

const text = 'The quick brown fox jumps over the lazy dog. '.repeat(100)
const rows = Array.from({ length: 3000 }, (_, id) => ({ id, name: `customer ${id}` }))
const long = JSON.stringify(rows)

const decoders: Readonly<Record<string, (bytes: Buffer) => Buffer>> = {
  br: brotliDecompressSync,
  gzip: gunzipSync,
}

/** The text of an answer without its coding. */
const textOf = ({ bytes, headers }: HttpAnswer): string => {
  const decode = decoders[headers['content-encoding'] ?? '']
  return (decode ? decode(bytes) : bytes).toString()
}

type Answer = (request: IncomingMessage, response: ServerResponse) => void

describe('compressed answers of a running gateway', () => {
  let gateway: TestGateway
  const answers = new Map<string, Answer>()
  const upstream = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?')
    const answer = answers.get(path)
    if (answer) answer(request, response)
    else response.writeHead(404).end()
  })

  before(async () => {
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const host = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
    gateway = await startGateway({}, { isEmbedded: true })
    const forward = { action: { type: 'forward', host }, response: { on_result: {}, on_error: {} } }
    const fixed = (body: unknown, more = {}) => ({
      get: { ...more, action: { type: 'static', body }, response: { on_result: {}, on_error: {} } },
    })
    const paths = {
      '/plain': { compress: null, ...fixed(text) },
      '/off': { compress: false, ...fixed(text) },
      '/fixed': { etag: true, ...fixed({ rows: rows.slice(0, 60) }) },
      '/long': { etag: true, ...fixed({ rows }) },
      '/short': fixed({ total: 7 }),
      '/small': { compress: { min_bytes: 100 }, ...fixed({ text: text.slice(0, 200) }) },
      '/only-gzip': { compress: { codings: ['gzip'] }, ...fixed(text) },
      '/kept/[...]': { cache: { ttl: 60 }, etag: true, get: forward },
      '/[...]': { get: forward, put: forward },
    }
    const { status, body } = await gateway.load({
      ...{ id: 'compressed', host: '_', realm_uri: 'com.example.test' },
      versions: {
        one: {
          base_path: '/',
          openapi: { path: '/openapi' },
          defaults: { compress: true },
          paths,
        },
      },
    })
    expect(body.details ?? [], String(status)).to.deep.equal([])
  })
  after(async () => {
    await gateway?.stop()
    upstream.close()
    upstream.closeAllConnections()
  })

  const get = (path: string, headers: HttpRequest['headers'] = {}, method = 'GET') =>
    send(gateway.url, path, { headers, method })
  const br = { 'accept-encoding': 'gzip, br' }

  it('have the coding that the client wants, Vary, and a length of their own', async () => {
    for (const path of ['/fixed', '/long']) {
      const plain = await get(path)
      expect(plain.headers).to.include({ vary: 'Accept, Accept-Encoding' })
      expect(plain.headers).not.to.have.property('content-encoding')
      for (const [field, coding] of [
        ['gzip, deflate, br, zstd;q=0', 'br'],
        ['x-gzip', 'gzip'],
        ['br;q=0.5, gzip', 'gzip'],
      ] as const) {
        const coded = await get(path, { 'accept-encoding': field })
        expect(coded.headers).to.include({
          'content-encoding': coding,
          'content-type': plain.headers['content-type'],
          'content-length': String(coded.bytes.length),
          vary: 'Accept, Accept-Encoding',
        })
        expect(textOf(coded)).to.equal(plain.text)
        expect(coded.bytes.length).to.be.lessThan(plain.bytes.length / 2)
      }
    }
  })

  it('are none where the document says so, for short bodies, and for clients that want none', async () => {
    for (const [path, field] of [
      ['/plain', 'br'],
      ['/off', 'br'],
      ['/short', 'br'],
      ['/fixed', 'deflate'],
      ['/fixed', 'gzip;q=0.5, identity'],
      ['/fixed', '*;q=0'],
      ['/only-gzip', 'br'],
    ] as const) {
      const { headers } = await get(path, { 'accept-encoding': field })
      expect(headers, `${path} ${field}`).not.to.have.property('content-encoding')
    }
    for (const path of ['/plain', '/short']) {
      expect((await get(path, br)).headers.vary, path).to.equal('Accept')
    }
    expect((await get('/small', br)).headers).to.include({ 'content-encoding': 'br' })
  })

  it('have the ETag of the answer with the name of the coding, and 304 for it', async () => {
    const plain = String((await get('/fixed')).headers.etag)
    const coded = String((await get('/fixed', br)).headers.etag)
    expect(coded).to.equal(plain.replace(/"$/, '--br"'))
    for (const [sent, told] of [
      [coded, coded],
      [plain, plain],
      [`W/${coded}`, coded],
      [`"x", ${plain}, ${coded}`, coded],
      ['*', undefined],
    ] as const) {
      const { status, headers } = await get('/fixed', { ...br, 'if-none-match': sent })
      expect([status, headers.etag, headers.vary], sent).to.deep.equal([
        ...[304, told, 'Accept, Accept-Encoding'],
      ])
    }
    expect((await get('/fixed', { ...br, 'if-none-match': '"x--br"' })).status).to.equal(200)
  })

  it('give HEAD the fields of GET but the length', async () => {
    const headersOf = async (method: string) => {
      const { headers } = await get('/fixed', br, method)
      const { date: _date, 'x-request-id': _id, 'content-length': length, ...others } = headers
      return { length, others }
    }
    const [of, head] = [await headersOf('GET'), await headersOf('HEAD')]
    expect(head.others).to.deep.equal(of.others)
    expect([head.length, Number(of.length) > 0]).to.deep.equal([undefined, true])
    const { headers } = await get('/fixed', {}, 'HEAD')
    expect(headers).to.include({ 'content-length': String((await get('/fixed')).bytes.length) })
  })

  it('are made once of what is kept, beside the plain one', async () => {
    let asked = 0
    answers.set('/kept/a', (_request, response) => {
      asked += 1
      response.writeHead(200, { 'content-type': 'application/json', etag: '"v"' }).end(long)
    })
    const answersOf = async (field: string) => get('/kept/a', { 'accept-encoding': field })
    const first = await answersOf('br')
    for (const field of ['br', 'gzip', 'identity', 'br']) {
      const { headers, ...answer } = await answersOf(field)
      expect(textOf({ headers, ...answer })).to.equal(long)
      const tag = field === 'identity' ? '"v"' : `"v--${field}"`
      expect(headers).to.include({ etag: tag, vary: 'Accept-Encoding' })
      expect(headers['cache-status']).to.match(/^wamp-gateway; hit/)
    }
    expect((await answersOf('br')).bytes.equals(first.bytes)).to.equal(true)
    const { status } = await get('/kept/a', { ...br, 'if-none-match': '"v--br"' })
    expect([status, asked]).to.deep.equal([304, 1])
  })

  it('let an upstream compare its own tags', async () => {
    let version = 1
    answers.set('/thing', (request, response) => {
      const { 'if-match': match, 'if-none-match': none } = request.headers
      const etag = `"v${version}"`
      if (request.method === 'PUT') {
        if (match !== etag) response.writeHead(412).end()
        else {
          version += 1
          response.writeHead(200, { etag: `"v${version}"` }).end()
        }
      } else if (none === etag) response.writeHead(304, { etag }).end()
      else response.writeHead(200, { etag, 'content-type': 'text/plain' }).end(text)
    })
    const { etag } = (await get('/thing', br)).headers
    expect(etag).to.equal('"v1--br"')
    const known = await get('/thing', { ...br, 'if-none-match': String(etag) })
    expect([known.status, known.headers.etag]).to.deep.equal([304, '"v1--br"'])
    const put = () => get('/thing', { 'if-match': String(etag) }, 'PUT')
    expect([(await put()).status, (await put()).status]).to.deep.equal([200, 412])
    expect((await get('/thing', { ...br, 'if-none-match': String(etag) })).status).to.equal(200)
  })

  it('are not asked for in parts', async () => {
    const ranges: (string | undefined)[] = []
    answers.set('/parts', ({ headers: { range, 'if-range': condition } }, response) => {
      ranges.push(range)
      const isPart = range !== undefined && (condition === undefined || condition === '"v"')
      const fields = { 'content-type': 'text/plain', etag: '"v"', 'accept-ranges': 'bytes' }
      if (isPart) {
        response.writeHead(206, { ...fields, 'content-range': `bytes 0-9/${text.length}` })
        response.end(text.slice(0, 10))
      } else response.writeHead(200, fields).end(text)
    })
    const whole = await get('/parts', br)
    expect(whole.headers).to.include({ etag: '"v--br"' }).and.not.have.property('accept-ranges')
    const range = 'bytes=0-9'
    const part = await get('/parts', { ...br, range })
    expect([part.status, part.text, part.headers.etag]).to.deep.equal([
      206,
      text.slice(0, 10),
      '"v"',
    ])
    const same = await get('/parts', { ...br, range, 'if-range': '"v"' })
    expect(same.status).to.equal(206)
    const other = await get('/parts', { ...br, range, 'if-range': '"v--br"' })
    expect([other.status, other.headers['content-encoding'], textOf(other)]).to.deep.equal([
      ...[200, 'br', text],
    ])
    expect(ranges).to.deep.equal([undefined, range, range, undefined])
  })

  it('are none of what would then be wrong or unsafe', async () => {
    const cases: readonly (readonly [name: string, fields: Record<string, string>])[] = [
      ['type', { 'content-type': 'image/png' }],
      ['no type', {}],
      ['encoded', { 'content-type': 'text/plain', 'content-encoding': 'x-own' }],
      ['no-transform', { 'content-type': 'text/plain', 'cache-control': 'public, No-Transform' }],
      ['digest', { 'content-type': 'text/plain', 'content-digest': 'sha-256=:AA==:' }],
      ['repr', { 'content-type': 'text/plain', 'repr-digest': 'sha-256=:AA==:' }],
      ['old digest', { 'content-type': 'text/plain', digest: 'sha-256=AA==' }],
      ['md5', { 'content-type': 'text/plain', 'content-md5': 'AA==' }],
      ['signature', { 'content-type': 'text/plain', signature: 'sig1=:AA==:' }],
      ['cookie', { 'content-type': 'text/plain', 'set-cookie': 'a=b' }],
      ['ndjson', { 'content-type': 'application/x-ndjson' }],
      ['events', { 'content-type': 'text/event-stream; charset=utf-8' }],
      ['parts', { 'content-type': 'multipart/mixed; boundary=a' }],
      ['sequence', { 'content-type': 'application/json-seq' }],
    ]
    for (const [name, fields] of cases) {
      answers.set('/never', (_request, response) => response.writeHead(200, fields).end(text))
      const { headers, text: got } = await get('/never', br)
      expect([headers['content-encoding'], headers.vary, got], name).to.deep.equal([
        ...[fields['content-encoding'], undefined, text],
      ])
    }
  })

  it('answer credentials that a browser sends by itself only on pages of this site', async () => {
    const isCoded = async (headers: Record<string, string>) =>
      (await get('/fixed', { ...br, ...headers })).headers['content-encoding'] === 'br'
    const cookie = 'session=1'
    expect(
      await Promise.all(
        [
          { cookie },
          { authorization: 'Basic YTpi' },
          { authorization: 'Negotiate YII' },
          { cookie, 'sec-fetch-site': 'cross-site' },
          { cookie, 'sec-fetch-site': 'same-site' },
          { cookie, 'sec-fetch-site': 'same-origin' },
          { cookie, 'sec-fetch-site': 'none' },
          { authorization: 'Bearer abc' },
          { 'x-api-key': 'abc' },
          { 'sec-fetch-site': 'cross-site' },
        ].map((headers) => isCoded(headers as Record<string, string>)),
      ),
    ).to.deep.equal([...Array(5).fill(false), ...Array(5).fill(true)])
  })

  it('leave piece by piece as the upstream sends them', async () => {
    let release = (): void => undefined
    answers.set('/slow', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/html', etag: 'W/"s"' })
      response.write('<p>first</p>')
      release = () => response.end('<p>last</p>')
    })
    const outgoing = ask(`${gateway.url}/slow`, { agent: false, headers: br })
    outgoing.end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect(incoming.headers).to.include({ 'content-encoding': 'br', etag: 'W/"s"' })
    const decoder = incoming.pipe(createBrotliDecompress())
    const [first] = (await once(decoder, 'data')) as [Buffer]
    expect(String(first)).to.equal('<p>first</p>')
    release()
    const rest: Buffer[] = []
    for await (const piece of decoder) rest.push(piece as Buffer)
    expect(Buffer.concat(rest).toString()).to.equal('<p>last</p>')
  })

  it('have a length where the upstream tells one and sends all at once, and wait for no more', async () => {
    const fields = { 'content-type': 'text/plain', 'content-length': String(long.length) }
    answers.set('/once', (_request, response) => response.writeHead(200, fields).end(long))
    const { headers, ...whole } = await get('/once', br)
    expect(headers).to.include({ 'content-length': String(whole.bytes.length) })
    expect(textOf({ headers, ...whole })).to.equal(long)
    let release = (): void => undefined
    answers.set('/later', (_request, response) => {
      response.writeHead(200, fields).write(long.slice(0, 100_000))
      release = () => response.end(long.slice(100_000))
    })
    const outgoing = ask(`${gateway.url}/later`, { agent: false, headers: br })
    outgoing.end()
    const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage]
    expect(incoming.headers).to.include({ 'content-encoding': 'br' })
    expect(incoming.headers).not.to.have.property('content-length')
    const decoder = incoming.pipe(createBrotliDecompress())
    let got = ''
    for await (const piece of decoder) {
      got += String(piece)
      if (got.length === 100_000) release()
    }
    expect(got).to.equal(long)
  })

  it('are an error where the upstream breaks off before that', async () => {
    answers.set('/cut', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain', 'content-length': '50000' })
      response.write(text, () => response.destroy())
    })
    const failed = await get('/cut', br)
    expect(failed.json()).to.include({ code: 'service.error.bad_gateway' })
    expect(failed.headers).not.to.have.property('content-encoding')
  })

  it('break off where the upstream does', async () => {
    answers.set('/broken', (_request, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      response.write(text)
      setImmediate(() => response.destroy())
    })
    const failed = await get('/broken', br).then(
      () => 'complete',
      (error: NodeJS.ErrnoException) => error.code,
    )
    expect(failed).to.equal('ECONNRESET')
  })

  it('are descriptions, too, where the defaults of the version say so', async () => {
    for (const type of ['application/json', 'application/yaml']) {
      const plain = await get('/openapi', { accept: type })
      const coded = await get('/openapi', { ...br, accept: type })
      expect(coded.headers).to.include({
        'content-encoding': 'br',
        vary: 'Accept, Accept-Encoding',
      })
      expect(textOf(coded)).to.equal(plain.text)
      const again = await get('/openapi', {
        ...{ ...br, accept: type },
        'if-none-match': String(coded.headers.etag),
      })
      expect([again.status, again.headers.etag]).to.deep.equal([304, coded.headers.etag])
    }
  })

  it('are counted by coding, and what is not compressed by why', async () => {
    const metrics = (await send(gateway.adminUrl, '/metrics')).text
    expect(metrics).to.match(/^gateway_compressed_total\{coding="br"\} [1-9]/m)
    expect(metrics).to.match(/^gateway_compressed_bytes_total\{coding="br",side="plain"\} [1-9]/m)
    expect(metrics).to.match(/^gateway_compressed_bytes_total\{coding="br",side="coded"\} [1-9]/m)
    for (const why of ['size', 'type', 'stream', 'cookie', 'credentials', 'not_accepted', 'status'])
      expect(metrics).to.match(
        new RegExp(`^gateway_compressed_skipped_total\\{why="${why}"\\} [1-9]`, 'm'),
      )
    expect(metrics).to.match(/^gateway_compressing_streams 0$/m)
  })
})

describe('gateway.compress', () => {
  let gateway: TestGateway

  before(async () => {
    gateway = await startGateway({ 'gateway.compress': 'true' }, { isEmbedded: true })
    const response = { on_result: {}, on_error: {} }
    const action = { type: 'static', body: text }
    const tool = { name: 'tell', description: text.slice(0, 4000) }
    const { body } = await gateway.load({
      ...{ id: 'configured', host: '_', realm_uri: 'com.example.test' },
      versions: {
        one: {
          base_path: '/',
          openapi: { path: '/openapi', docs_path: '/docs' },
          mcp: { path: '/mcp' },
          paths: {
            '/x': { get: { tool, action, response } },
            '/plain': { compress: false, get: { action, response } },
          },
        },
      },
    })
    expect(body.details ?? []).to.deep.equal([])
  })
  after(() => gateway?.stop())

  const headers = { 'accept-encoding': 'br' }
  const isCoded = async (path: string, request: HttpRequest = {}) => {
    const plain = await send(gateway.url, path, request)
    const coded = await send(gateway.url, path, {
      ...request,
      headers: { ...request.headers, ...headers },
    })
    expect(textOf(coded), path).to.equal(plain.text)
    return coded.headers['content-encoding'] === 'br'
  }

  it('holds for documents that set none, descriptions, docs pages and answers to tools', async () => {
    for (const path of ['/x', '/openapi', '/docs/swagger-ui-bundle.js', '/docs/swagger-ui.css']) {
      expect(await isCoded(path), path).to.equal(true)
    }
    expect(await isCoded('/plain')).to.equal(false)
    const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    const call = { ...list, method: 'tools/call', params: { name: 'tell', arguments: {} } }
    const mcp = { 'mcp-protocol-version': '2025-06-18', accept: 'application/json' }
    for (const body of [list, call]) {
      expect(await isCoded('/mcp', { method: 'POST', headers: mcp, body }), body.method).to.equal(
        true,
      )
    }
  })

  it('does not hold for management', async () => {
    for (const path of ['/api_specs/configured', '/metrics']) {
      const { headers: answered } = await send(gateway.adminUrl, path, { headers })
      expect(answered, path).not.to.have.property('content-encoding')
    }
  })
})
