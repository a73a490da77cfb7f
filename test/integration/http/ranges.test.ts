/** Parts of answers: what a request with Range gets of a body, whatever makes it, and which conditions come first. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { RawPeer } from '#test/support/peers/raw-peer.ts'

const realm = 'com.example.test'
const whole = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 251))
const text = Array.from({ length: 100 }, (_, at) => String(at)).join(' ')

const call = (kwargs: object = {}) => ({
  ...{ type: 'wamp_call', procedure: 'com.example.part' },
  kwargs: { ...kwargs, first: '{{request.range.first}}', last: '{{request.range.last}}' },
})
const bytes = { body: '{{action.result.args |> head}}' }
const png = { ranges: true, provides: ['image/png'] }
const fixed = { type: 'static', body: text }
const pieces = {
  ...{ on_result: { headers: { 'content-type': 'image/png' }, body: '' }, on_error: {} },
  on_progress: { body: '{{action.progress.args |> head}}' },
}
const told = (first: string) => ({
  ...pieces,
  on_result: {
    ...pieces.on_result,
    length: '{{action.progress.kwargs.size}}',
    ...(first && { first }),
  },
})

const paths = (upstream: string): Readonly<Record<string, object>> => ({
  '/text': { ranges: true, etag: true, provides: ['text/plain'], get: { action: fixed } },
  '/value': { ranges: true, etag: true, get: { action: { type: 'static', body: { a: [1, 2] } } } },
  '/empty': { ranges: true, provides: ['text/plain'], get: { action: { type: 'static' } } },
  '/without': { provides: ['text/plain'], get: { action: fixed } },
  '/coded': {
    ranges: true,
    compress: true,
    etag: true,
    provides: ['text/plain'],
    get: { action: fixed },
  },
  '/bytes': { ...png, get: { action: call(), response: { on_result: bytes } } },
  '/kept': {
    ...{ ...png, cache: { ttl: 60, per: 'all' }, etag: true },
    get: { action: call({ counts: true }), response: { on_result: bytes } },
  },
  '/skips': {
    ...png,
    get: {
      action: call({ skips: true }),
      response: {
        on_result: {
          ...bytes,
          headers: { etag: '"a"' },
          first: '{{action.result.kwargs.first}}',
          length: '{{action.result.kwargs.size}}',
        },
      },
    },
  },
  '/skips/wrongly': {
    ...png,
    get: {
      action: call(),
      response: { on_result: { ...bytes, first: 10, length: 1000 } },
    },
  },
  '/pieces': { ...png, get: { action: call({ pieces: true }), response: pieces } },
  '/pieces/told': { ...png, get: { action: call({ pieces: true }), response: told('') } },
  '/pieces/skipped': {
    ...png,
    get: {
      action: call({ pieces: true, skips: true }),
      response: told('{{action.progress.kwargs.first}}'),
    },
  },
  '/pieces/length': {
    get: { action: call({ pieces: true }), response: told('') },
  },
  '/pieces/short': {
    get: {
      action: call({ pieces: true }),
      response: { ...pieces, on_result: { ...pieces.on_result, length: 1001 } },
    },
  },
  '/pieces/long': {
    get: {
      action: call({ pieces: true }),
      response: { ...pieces, on_result: { ...pieces.on_result, length: 999 } },
    },
  },
  '/passed': { ranges: true, get: { action: { type: 'forward', host: upstream, path: '/' } } },
  '/passed/cut': {
    ranges: true,
    get: { action: { type: 'forward', host: upstream, path: '/cuts' } },
  },
  '/passed/kept': {
    ...{ ranges: true, cache: { ttl: 60, per: 'all' } },
    get: { action: { type: 'forward', host: upstream, path: '/cuts' } },
  },
})

/** Path, fields, and what comes: status, content, `Content-Range`. */
type Row = readonly [
  path: string,
  fields: Readonly<Record<string, string>>,
  status: number,
  content?: string | Buffer | undefined,
  range?: string,
]

const range = (asked: string) => ({ range: `bytes=${asked}` })
const part = (first: number, last: number) => whole.subarray(first, last + 1)

const rows: readonly Row[] = [
  ['/text', {}, 200, text],
  ['/text', range('0-3'), 206, text.slice(0, 4), `bytes 0-3/${text.length}`],
  ['/text', range('280-'), 206, text.slice(280), `bytes 280-288/${text.length}`],
  ['/text', range('280-999'), 206, text.slice(280), `bytes 280-288/${text.length}`],
  ['/text', range('-2'), 206, '99', `bytes 287-288/${text.length}`],
  ['/text', range('-999'), 206, text, `bytes 0-288/${text.length}`],
  ['/text', { range: 'Bytes = 1-1 ' }, 206, ' ', `bytes 1-1/${text.length}`],
  ['/text', range('289-'), 416, undefined, 'bytes */289'],
  ['/text', range('-0'), 416, undefined, 'bytes */289'],
  ['/text', range('0-1,3-4'), 200, text],
  ['/text', range('0-1,'), 200, text],
  ['/text', range('5-4'), 200, text],
  ['/text', range('a-b'), 200, text],
  ['/text', range('-'), 200, text],
  ['/text', { range: 'items=0-1' }, 200, text],
  ['/text', { ...range('0-3'), 'if-range': '"other"' }, 200, text],
  ['/text', { ...range('0-3'), 'if-range': 'Sat, 28 Nov 2026 00:00:00 GMT' }, 200, text],
  ['/text', { ...range('999-'), 'if-range': '"other"' }, 200, text],
  ['/text', { ...range('0-3'), 'if-none-match': '*' }, 304, ''],
  ['/without', range('0-3'), 200, text],
  ['/empty', range('0-3'), 416, undefined, 'bytes */0'],
  ['/empty', {}, 200, ''],
  ['/value', range('1-3'), 206, '"a"', 'bytes 1-3/11'],
  [
    '/coded',
    { ...range('0-3'), 'accept-encoding': 'gzip' },
    206,
    text.slice(0, 4),
    'bytes 0-3/289',
  ],
  ['/coded', { 'accept-encoding': 'gzip' }, 200, text],
  ['/bytes', range('250-252'), 206, part(250, 252), 'bytes 250-252/1000'],
  ['/bytes', range('1000-'), 416, undefined, 'bytes */1000'],
  ['/kept', range('10-19'), 206, part(10, 19), 'bytes 10-19/1000'],
  ['/kept', range('20-29'), 206, part(20, 29), 'bytes 20-29/1000'],
  ['/kept', {}, 200, whole],
  ['/skips', range('10-19'), 206, part(10, 19), 'bytes 10-19/1000'],
  ['/skips', range('-10'), 206, part(990, 999), 'bytes 990-999/1000'],
  ['/skips', range('2000-'), 416, undefined, 'bytes */1000'],
  ['/skips', range('10-19,30-39'), 200, whole],
  ['/skips', { ...range('10-19'), 'if-range': '"a"' }, 206, part(10, 19), 'bytes 10-19/1000'],
  ['/skips', { ...range('10-19'), 'if-range': '"b"' }, 200, whole],
  ['/skips', { ...range('10-19'), 'if-range': 'W/"a"' }, 200, whole],
  ['/skips', {}, 200, whole],
  ['/skips/wrongly', {}, 500],
  ['/skips/wrongly', range('0-3'), 500],
  ['/pieces', range('10-19'), 200, whole],
  ['/pieces/told', range('95-105'), 206, part(95, 105), 'bytes 95-105/1000'],
  ['/pieces/told', range('995-'), 206, part(995, 999), 'bytes 995-999/1000'],
  ['/pieces/told', range('1000-'), 416, undefined, 'bytes */1000'],
  ['/pieces/told', {}, 200, whole],
  ['/pieces/skipped', range('110-305'), 206, part(110, 305), 'bytes 110-305/1000'],
  ['/pieces/skipped', range('-5'), 206, part(995, 999), 'bytes 995-999/1000'],
  ['/pieces/skipped', {}, 200, whole],
  ['/pieces/length', range('10-19'), 200, whole],
  ['/passed', range('10-19'), 206, part(10, 19), 'bytes 10-19/1000'],
  ['/passed', {}, 200, whole],
  ['/passed/cut', range('10-19'), 206, 'of the upstream', 'bytes 10-24/99'],
  ['/passed/kept', range('10-19'), 206, part(10, 19), 'bytes 10-19/1000'],
  ['/passed/kept', range('30-39'), 206, part(30, 39), 'bytes 30-39/1000'],
]

describe('a part of an answer', () => {
  let gateway: TestGateway
  let callee: RawPeer
  let calls = 0
  let asked = 0
  const upstream = createServer((request, response) => {
    asked += 1
    const isPart = request.url === '/cuts' && request.headers.range !== undefined
    if (isPart)
      response.writeHead(206, { 'content-range': 'bytes 10-24/99' }).end('of the upstream')
    else response.writeHead(200, { 'content-length': '1000' }).end(whole)
  })

  interface Asked {
    readonly first: number
    readonly last: number | null
    readonly pieces?: boolean
    readonly skips?: boolean
    readonly counts?: boolean
  }
  const take = (message: readonly unknown[]) => {
    const [type, id, , , , kwargs] = message
    if (type !== 68) return
    const { first, last, pieces, skips, counts } = kwargs as Asked
    if (counts) calls += 1
    const begin = first < 0 ? whole.length + first : first
    const body = skips ? whole.subarray(begin, (last ?? whole.length) + 1) : whole
    const told = { size: whole.length, first: skips ? Math.min(begin, whole.length) : 0 }
    if (pieces) {
      for (let at = 0; at < body.length; at += 100) {
        callee.send([70, id, { progress: true }, [body.subarray(at, at + 100)], told])
      }
      callee.send([70, id, {}, []])
    } else callee.send([70, id, {}, [body], told])
  }
  const ask = async (path: string, headers: Readonly<Record<string, string>>, method = 'GET') => {
    const answer = await fetch(`${gateway.url}/parts${path}`, {
      method,
      headers: { 'accept-encoding': 'identity', ...headers },
    })
    const body = Buffer.from(await answer.arrayBuffer())
    return { status: answer.status, headers: answer.headers, body }
  }

  before(async () => {
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    const { port } = upstream.address() as AddressInfo
    gateway = await startGateway({}, { isEmbedded: true })
    const all = Object.entries(paths(`http://127.0.0.1:${port}`)).map(([path, own]) => {
      const { get, ...rest } = own as { readonly get: { readonly response?: object } }
      const response = { on_result: {}, on_error: {}, ...get.response }
      return [path, { ...rest, get: { ...get, response } }]
    })
    await gateway.mustLoad({
      ...{ id: 'parts', host: '_', realm_uri: realm },
      versions: { one: { base_path: '/parts', paths: Object.fromEntries(all) } },
    })
    callee = await RawPeer.join(gateway.routerUrl, realm, {
      callee: { features: { progressive_call_results: true, call_canceling: true } },
    })
    callee.onMessage = take
    await callee.register('com.example.part')
  })
  after(async () => {
    callee.close()
    await gateway.stop()
    upstream.close()
  })

  for (const [path, fields, status, content, told] of rows) {
    it(`of ${path} for ${JSON.stringify(fields)} is ${status} ${told ?? ''}`, async () => {
      const { headers, body, ...answer } = await ask(path, fields)
      expect([answer.status, headers.get('content-range') ?? undefined]).to.deep.equal([
        status,
        told,
      ])
      if (content !== undefined) expect(body.equals(Buffer.from(content))).to.equal(true)
      if (status === 206) expect(headers.get('content-length')).to.equal(String(body.length))
      if (status === 416) {
        expect(JSON.parse(String(body)).code).to.equal('service.error.range_not_satisfiable')
      }
    })
  }

  it('fits to the whole by its ETag', async () => {
    for (const path of ['/text', '/value', '/kept']) {
      const { headers } = await ask(path, {})
      const etag = String(headers.get('etag'))
      expect(headers.get('accept-ranges')).to.equal('bytes')
      const same = await ask(path, { ...range('1-3'), 'if-range': etag })
      expect([same.status, same.headers.get('etag')]).to.deep.equal([206, etag])
    }
  })

  it('has the length of the whole where the pieces tell it', async () => {
    for (const path of ['/pieces/told', '/pieces/length']) {
      expect((await ask(path, {})).headers.get('content-length')).to.equal('1000')
    }
  })

  it('is cut where its pieces have another length', async () => {
    for (const path of ['/pieces/short', '/pieces/long']) {
      const failed = await ask(path, {}).catch((error: unknown) => error)
      expect(failed).to.be.instanceOf(Error)
    }
  })

  it('is none for HEAD', async () => {
    const { status, headers } = await ask('/text', range('0-3'), 'HEAD')
    expect([status, headers.get('accept-ranges')]).to.deep.equal([200, 'bytes'])
    expect(headers.get('content-length')).to.equal(String(text.length))
  })

  it('is cut from what is kept: nobody is asked again', async () => {
    await ask('/kept', {})
    await ask('/passed/kept', {})
    const before = [calls, asked]
    await ask('/kept', range('1-2'))
    await ask('/passed/kept', range('1-2'))
    expect([calls, asked]).to.deep.equal(before)
  })

  it('is refused at load where nobody could ask for it', async () => {
    const get = { action: fixed, response: { on_result: { first: 1, length: 2 }, on_error: {} } }
    const { status, body } = await gateway.load({
      ...{ id: 'wrong', host: '_', realm_uri: realm },
      versions: { one: { base_path: '/wrong', paths: { '/a': { get } } } },
    })
    const at = '/versions/one/paths/~1a/get/response/on_result'
    expect(status).to.equal(400)
    expect(body.details).to.deep.equal([
      { path: `${at}/first`, message: 'first needs "ranges": true' },
      { path: `${at}/length`, message: 'length needs "ranges": true' },
    ])
  })
})
