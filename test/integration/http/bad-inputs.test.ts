/** Bad inputs that HTTP itself refuses: sent as bytes on a socket; the process answers the next request. */
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { exchangeRaw, type Fixture, open, post, RawClient } from './fixture.ts'

const bad = 'service.error.bad_request'
const json = 'application/json'
const msgpack = 'application/msgpack'
const get = (target: string, ...more: string[]) =>
  `GET ${target} HTTP/1.1\r\nHost: a\r\n${more.map((line) => `${line}\r\n`).join('')}\r\n`
const tiny = Array.from({ length: 1500 }, (_, n) => `a${n}:`)
const chunked = (coding: string, body: string, line = '\r\n') =>
  `POST /v1/x HTTP/1.1\r\nHost: a\r\nContent-Type: ${json}\r\nTransfer-Encoding: ${coding}${line}\r\n${body}`
const sized = (length: string) =>
  `POST /v1/x HTTP/1.1\r\nHost: a\r\nContent-Length: ${length}\r\n\r\nZ`

/** Index in bad-inputs, what, bytes, status, code (undefined: not told). */
const cases: readonly (readonly [number, string, string | Buffer, number, string?])[] = [
  [44, 'empty Host', 'GET /v1/x HTTP/1.1\r\nHost:\r\n\r\n', 400, bad],
  [45, 'raw fragment', get('/v1/x#frag'), 400, bad],
  [46, 'TE "gzip, chunked"', chunked('gzip, chunked', '0\r\n\r\n'), 400, bad],
  [47, 'obs-fold', get('/v1/x', 'X: a', ' b'), 400],
  [48, 'Content-Length over 2^64', sized('18446744073709551617'), 400],
  [50, 'TE ",chunked"', chunked(',chunked', '0\r\n\r\n'), 400, bad],
  [51, 'bare CR in header value', get('/v1/x', 'X: a\rSmuggled: b'), 400],
  [53, 'HTTP/0.9', 'GET /v1/x\r\n\r\n', 400],
  [54, 'Expect: banana', sized('1\r\nExpect: banana'), 417],
  [55, 'overlong UTF-8 in the path', get('/v1/users/%c0%ae%c0%ae'), 400, bad],
  [56, 'request target //evil.com', get('//evil.com/v1/x'), 404, 'service.error.not_found'],
  [
    57,
    '64 KiB chunk extension',
    chunked('chunked', `1;${'a'.repeat(65_536)}\r\nZ\r\n0\r\n\r\n`),
    413,
  ],
  [58, 'bad percent encoding', get('/v1/users/%zz'), 400, bad],
  [59, 'raw backslash', get('/v1\\..\\x'), 400, bad],
  [60, 'encoded backslash', get('/v1/users/a%5Cb'), 400, bad],
  [61, 'doubled slash', get('/v1//x'), 404, 'service.error.not_found'],
  [
    62,
    'two Authorization headers',
    get('/v1/x', 'Authorization: Bearer a', 'Authorization: Bearer b'),
    400,
    bad,
  ],
  [63, 'Host with userinfo', 'GET /v1/x HTTP/1.1\r\nHost: good.com@evil.com\r\n\r\n', 400, bad],
  [
    64,
    '1,500 tiny headers then Authorization',
    get('/v1/x', ...tiny, 'Authorization: Bearer t'),
    431,
    'service.error.header_fields_too_large',
  ],
  [65, 'bare LF after chunk size', chunked('chunked', '0\n\r\n'), 400],
  [67, 'Content-Length +1', sized('+1'), 400],
  [
    68,
    '25 MB of "[],"',
    post('/v1/x', json, `[${'[],'.repeat(8_333_000)}[]]`),
    413,
    'service.error.payload_too_large',
  ],
  [69, 'lone surrogate', post('/v1/x', json, '{"a":"\\ud800"}'), 400, bad],
  [70, 'trailing bytes', post('/v1/x', json, '{} {}'), 400, bad],
  [71, 'msgpack ext', post('/v1/x', msgpack, Buffer.from('c7017000', 'hex')), 400, bad],
  [72, 'invalid UTF-8', post('/v1/x', json, Buffer.from('{"a":"\xff"}', 'latin1')), 400, bad],
  [73, 'integer over 2^64', post('/v1/x', json, '{"id":123456789012345678901234567890}'), 400, bad],
  [74, '__proto__ key', post('/v1/x', json, '{"__proto__":{"admin":true}}'), 400, bad],
  [
    75,
    'msgpack map with a list as key',
    post('/v1/x', msgpack, Buffer.from('81910102', 'hex')),
    400,
    bad,
  ],
  [
    76,
    'form with 100,000 fields',
    post(
      '/v1/x',
      'application/x-www-form-urlencoded',
      Array.from({ length: 100_000 }, (_, n) => `a${n}=1`).join('&'),
    ),
    413,
    'service.error.payload_too_large',
  ],
  [
    77,
    'msgpack duplicate keys',
    post('/v1/x', msgpack, Buffer.from('82a16101a16102', 'hex')),
    400,
    bad,
  ],
  [79, '1e400', post('/v1/x', json, '{"n":1e400}'), 400, bad],
  [
    81,
    'JSON with Accept that cannot be served',
    post('/v1/x', json, '{}', ['Accept: text/html']),
    406,
    'service.error.not_acceptable',
  ],
  [
    82,
    'no matching accepts',
    post('/v1/x', 'text/xml', '<a/>'),
    415,
    'service.error.unsupported_media_type',
  ],
  [
    83,
    'gzip bomb',
    post('/v1/x', json, gzipSync(Buffer.alloc(300_000_000)), ['Content-Encoding: gzip']),
    413,
    'service.error.payload_too_large',
  ],
]

describe('bad input over HTTP', () => {
  let fixture: Fixture

  before(async () => {
    fixture = await open()
  })
  after(() => fixture.stop())

  for (const [index, what, bytes, status, code] of cases) {
    it(`#${index} ${what} is ${status}`, async () => {
      const answer = await exchangeRaw(fixture.port, bytes)
      expect(answer.status).to.equal(status)
      if (code !== undefined) expect(JSON.parse(answer.body)).to.have.property('code', code)
      const next = await exchangeRaw(fixture.port, get('/v1/x'))
      expect(next.status).to.equal(200)
    })
  }

  it('#49 Upgrade: h2c is ignored', async () => {
    const bytes = get(
      '/v1/x',
      'Connection: Upgrade, HTTP2-Settings',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQAAP__',
    )
    expect(await exchangeRaw(fixture.port, bytes)).to.include({ status: 200, body: '{"ok":true}' })
  })

  it('#52 slow headers are 408 soon after headersTimeout', async () => {
    const client = new RawClient(fixture.port)
    client.send('GET / HTTP/1.1\r\nX: a')
    expect((await client.read()).status).to.equal(408)
    client.close()
  })

  it('#66 a slow body is 408 after body_read_seconds, with Connection: close', async () => {
    const client = new RawClient(fixture.port)
    client.send(
      `POST /v1/x HTTP/1.1\r\nHost: a\r\nContent-Type: ${json}\r\nContent-Length: 1000\r\n\r\n{`,
    )
    const answer = await client.read()
    expect(answer).to.include({ status: 408, isClosed: true })
    expect(JSON.parse(answer.body)).to.have.property('code', 'service.error.request_timeout')
    client.close()
  })

  it('#78 an integer over 2^53 keeps every digit', async () => {
    const { body } = await exchangeRaw(fixture.port, post('/v1/x', json, '{"id":9007199254740993}'))
    expect(body).to.equal('{"id":9007199254740993}')
  })

  it('#80 msgpack uint64 max keeps every digit', async () => {
    const bytes = Buffer.from('cfffffffffffffffff', 'hex')
    const asJson = await exchangeRaw(fixture.port, post('/v1/x', msgpack, bytes))
    expect(asJson.body).to.equal('18446744073709551615')
    const accept = [`Accept: ${msgpack}`]
    const same = await exchangeRaw(fixture.port, post('/v1/x', msgpack, bytes, accept))
    expect(Buffer.from(same.body, 'latin1').toString('hex')).to.equal('cfffffffffffffffff')
  })
})
