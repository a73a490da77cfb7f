/** What a forward makes of the answers of real upstreams, and of sockets that answer nonsense. */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import type { Outcome } from '#component/action/action.ts'
import {
  answering,
  attempts,
  bodyOf,
  closeAll,
  forwarder,
  perform,
  rawUpstream,
  requestWith,
  upstream,
} from './upstreams.ts'

/** The head of an answer. */
const head = (status: string, ...fields: string[]): string =>
  [`HTTP/1.1 ${status}`, ...fields, '', ''].join('\r\n')

const complete = `${head('200 OK', 'Content-Length: 2')}ok`

describe('forward answers', () => {
  afterEach(closeAll)

  it('with status, headers and body of the upstream, Set-Cookie repeated, no ticket (156)', async () => {
    const host = await upstream((_request, response) => {
      response.writeHead(203, [
        ...['Content-Type', 'text/plain', 'Set-Cookie', 'a=1', 'Set-Cookie', 'service_ticket_r=x'],
        ...['Set-Cookie', 'b=2', 'X-A', 'Jürgen', 'Connection', 'x-a2', 'X-A2', 'hop'],
      ])
      response.end('hello')
    })
    const outcome = await perform({ host })
    expect(outcome.answer).to.include({ status_code: 203 })
    const { date: _, ...headers } = outcome.answer?.headers ?? {}
    expect(headers).to.deep.equal({
      'content-type': 'text/plain',
      'set-cookie': ['a=1', 'b=2'],
      'x-a': 'Jürgen',
    })
    expect(await bodyOf(outcome)).to.equal('hello')
    expect(outcome).to.have.nested.property('result.uri', `http://${host}/things`)
  })

  for (const [status, isError] of [
    [200, false],
    [204, false],
    [302, false],
    [304, false],
    [400, true],
    [404, true],
    [500, true],
    [599, true],
  ] as const) {
    it(`${status} as ${isError ? 'an error with what the upstream sent' : 'a result'}`, async () => {
      const host = await upstream((_request, response) => {
        response.writeHead(status, {
          location: 'http://169.254.169.254/',
          'content-type': 'application/json',
        })
        response.end(status === 204 || status === 304 ? '' : '{"a":1}')
      })
      const outcome = await perform({ host }, { readsBody: true })
      expect(outcome).to.have.nested.property(`${isError ? 'error' : 'result'}.status_code`, status)
      if (isError && 'error' in outcome) {
        expect(outcome.error).to.deep.include({
          error_uri: 'service.error.http_gateway.upstream_status',
          args: [],
          details: {},
          body: { a: 1 },
          uri: `http://${host}/things`,
        })
        expect(outcome.error.kwargs).to.have.property('message', `the upstream returned ${status}`)
      }
    })
  }

  it('with the decoded body when an expression reads it, compressed or not', async () => {
    let asked: string | undefined
    const host = await upstream((request, response) => {
      asked = request.headers['accept-encoding']
      response.setHeader('content-type', 'application/json')
      response.setHeader('content-encoding', 'gzip')
      response.end(gzipSync('{"n":[1,2]}'))
    })
    const outcome = await perform(
      { host },
      { readsBody: true, ...requestWith({ headers: { 'accept-encoding': 'gzip' } }) },
    )
    expect(asked).to.equal('identity')
    expect(outcome).to.have.deep.nested.property('result.body', { n: [1, 2] })
    expect(outcome.answer?.headers).to.not.have.property('content-encoding')
    expect(await bodyOf(outcome)).to.equal('{"n":[1,2]}')
  })

  for (const [what, isRead, declared, sent] of [
    [
      'is not asked for where an expression reads the body',
      true,
      undefined,
      [undefined, undefined],
    ],
    ['is asked for where none does', false, undefined, ['bytes=0-3', '"1"']],
    [
      'is asked for where the document does',
      true,
      { range: 'bytes=0-3' },
      ['bytes=0-3', undefined],
    ],
  ] as const) {
    it(`of which a part ${what}`, async () => {
      let asked: unknown
      const host = await upstream((request, response) => {
        asked = [request.headers.range, request.headers['if-range']]
        response.end('whole')
      })
      const run = requestWith({ headers: { range: 'bytes=0-3', 'if-range': '"1"' } })
      await perform({ host, ...(declared && { headers: declared }) }, { readsBody: isRead, ...run })
      expect(asked).to.deep.equal(sent)
    })
  }

  it('with compressed bytes untouched when nobody reads them', async () => {
    const bytes = gzipSync('x'.repeat(1000))
    const host = await upstream((_request, response) => {
      response.setHeader('content-encoding', 'gzip')
      response.end(bytes)
    })
    const outcome = await perform({ host })
    const body = outcome.answer?.body ?? new Uint8Array(0)
    expect(body instanceof Uint8Array ? Buffer.from(body) : await buffer(body)).to.deep.equal(bytes)
    expect(outcome.answer?.headers).to.have.property('content-encoding', 'gzip')
  })

  it('HEAD with the length that the upstream declares', async () => {
    const host = await upstream((_request, response) => {
      response.setHeader('content-length', '1234')
      response.end()
    })
    const outcome = await perform({ host }, { method: 'head' })
    expect(outcome.answer?.length).to.equal(1234)
    expect(await bodyOf(outcome)).to.equal('')
  })

  it("HEAD from an upstream's GET, without its body", async () => {
    const host = await upstream((request, response) => {
      response.setHeader('content-length', String(2 ** 20))
      if (request.method === 'GET') response.write(Buffer.alloc(2 ** 19))
    })
    const outcome = await perform({ host, http_method: 'get' }, { method: 'head' })
    expect(outcome.answer?.length).to.equal(2 ** 20)
    expect(await bodyOf(outcome)).to.equal('')
  })

  it('the second request on the same connection', async () => {
    const ports = new Set<number | undefined>()
    const host = await upstream((request, response) => {
      ports.add(request.socket.remotePort)
      response.end('x')
    })
    const action = forwarder()
    for (let count = 0; count < 3; count += 1) {
      expect(await bodyOf(await perform({ host }, {}, action))).to.equal('x')
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(ports.size).to.equal(1)
  })

  for (const [title, bytes] of [
    ['100 (Continue) that was not asked for', `${head('100 Continue')}${complete}`],
    ['100 with fields', `${head('100 Continue', 'X-A: b')}${complete}`],
    ['100 many times', `${head('100 Continue').repeat(200)}${complete}`],
    ['102', `${head('102 Processing')}${complete}`],
    ['103', `${head('103 Early Hints', 'Link: </a>; rel=preload')}${complete}`],
    ['103 with a length', `${head('103 Early Hints', 'Content-Length: 5')}${complete}`],
    ['an unknown 1xx', `${head('199 Soon')}${complete}`],
    [
      '100, 103, 102 and 100',
      [...['100 C', '103 E', '102 P', '100 C'].map((line) => head(line)), complete].join(''),
    ],
    [
      '100 and an answer that ends with its connection',
      `${head('100 C')}HTTP/1.1 200 OK\r\n\r\nok`,
    ],
    [
      '100 and an answer in chunks',
      `${head('100 C')}${head('200 OK', 'Transfer-Encoding: chunked')}2\r\nok\r\n0\r\n\r\n`,
    ],
  ] as const) {
    for (const pieces of ['whole', 'by bytes'] as const) {
      it(`behind ${title}, ${pieces}`, async () => {
        const host = await rawUpstream((socket) => {
          socket.setNoDelay()
          socket.once('data', async () => {
            const parts = pieces === 'whole' ? [bytes] : bytes.slice(0, 60)
            for (const part of parts) {
              socket.write(part)
              if (pieces === 'by bytes') await new Promise((resolve) => setImmediate(resolve))
            }
            if (pieces === 'by bytes') socket.write(bytes.slice(60))
            if (!bytes.includes('Content-Length: 2') && !bytes.includes('chunked')) socket.end()
          })
        })
        for (const method of ['get', 'post'] as const) {
          const body = method === 'post' ? { body: 'x' } : {}
          const outcome = await perform({ host, ...body }, { method })
          expect(outcome).to.have.nested.property('result.status_code', 200)
          expect(await bodyOf(outcome)).to.equal('ok')
        }
      })
    }
  }

  it('behind 100 (Continue) on a connection that is kept', async () => {
    let connections = 0
    const host = await rawUpstream((socket) => {
      connections += 1
      socket.on('data', () => socket.write(`${head('100 Continue')}${complete}`))
    })
    const action = forwarder()
    for (let count = 0; count < 3; count += 1) {
      expect(await bodyOf(await perform({ host }, {}, action))).to.equal('ok')
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(connections).to.equal(1)
  })

  it('in whose body 100 (Continue) stands', async () => {
    const text = `${head('100 Continue')}ok`
    const host = await rawUpstream((socket) => {
      socket.once('data', () => {
        socket.write(head('200 OK', `Content-Length: ${text.length}`))
        setImmediate(() => socket.write(text))
      })
    })
    expect(await bodyOf(await perform({ host }))).to.equal(text)
  })

  for (const [title, bytes, code] of [
    [
      '101 (158)',
      'HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n',
      'bad_gateway',
    ],
    ['101 without Upgrade', 'HTTP/1.1 101 Switching Protocols\r\n\r\n', 'bad_gateway'],
    [
      'CL and TE both (165)',
      'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n',
      'bad_gateway',
    ],
    [
      'two lengths',
      'HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabc',
      'bad_gateway',
    ],
    ['no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', 'bad_gateway'],
    ['a status beyond HTTP', 'HTTP/1.1 700 Odd\r\nContent-Length: 0\r\n\r\n', 'bad_gateway'],
    ['a head of 20 kB', `HTTP/1.1 200 OK\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 'bad_gateway'],
    ['a bare LF in a header', 'HTTP/1.1 200 OK\r\nX: a\nY: b\r\nContent-Length: 0\r\n\r\n', ''],
  ] as const) {
    it(`${title} with ${code ? `service.error.${code}` : 'no crash'}`, async () => {
      const host = await rawUpstream(answering(bytes))
      const outcome = await perform({ host }, attempts({ timeout: 500 }))
      if (code) expect(outcome).to.have.nested.property('error.error_uri', `service.error.${code}`)
      expect(outcome).to.satisfy((o: Outcome) => 'result' in o || 'error' in o)
    })
  }

  it('a bad gzip that an expression reads with bad_gateway', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\n'
    const host = await rawUpstream(answering(`${head}abc`))
    const outcome = await perform({ host }, { readsBody: true })
    expect(outcome).to.have.nested.property('error.error_uri', 'service.error.bad_gateway')
  })

  it('bad JSON that an expression reads with bad_gateway', async () => {
    const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n'
    const host = await rawUpstream(answering(`${head}{a}`))
    const outcome = await perform({ host }, { readsBody: true })
    expect(outcome).to.have.nested.property('error.error_uri', 'service.error.bad_gateway')
  })

  it('more than 25,000,000 bytes that an expression reads with bad_gateway', async () => {
    const host = await upstream((_request, response) => {
      Readable.from(
        (function* () {
          for (let count = 0; count < 30; count += 1) yield Buffer.alloc(1_000_000)
        })(),
      ).pipe(response)
    })
    const outcome = await perform({ host }, { readsBody: true })
    expect(outcome).to.have.nested.property('error.error_uri', 'service.error.bad_gateway')
  })

  it('a decompression bomb with bad_gateway', async () => {
    const bomb = gzipSync(Buffer.alloc(30_000_000))
    const host = await upstream((_request, response) => {
      response.setHeader('content-encoding', 'gzip')
      response.end(bomb)
    })
    const outcome = await perform({ host }, { readsBody: true })
    expect(outcome).to.have.nested.property('error.error_uri', 'service.error.bad_gateway')
  })
})
