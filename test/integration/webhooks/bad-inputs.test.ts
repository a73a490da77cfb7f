/** Messages that must not pass as webhooks, and what is answered to them. */
import { createHmac } from 'node:crypto'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { expect } from 'chai'
import { send } from '#test/support/http-request.ts'
import { githubField, type HookGateway, realm_uri, startHooks } from './gateway.ts'

const type = { 'content-type': 'application/json' }

describe('bad webhooks', () => {
  let hooks: HookGateway
  before(async () => {
    hooks = await startHooks({ 'rate_limits.address_failures': '1000' })
  })
  after(() => hooks.stop())

  /** Posts to `/v1/standard` as it was signed, with some fields changed; undefined takes a field away. */
  const standard = (
    changed: Readonly<Record<string, string | undefined>>,
    body = '{}',
    sent: string | Uint8Array = body,
  ) => {
    const fields = Object.entries({ ...hooks.standard(body), ...changed })
    const headers = Object.fromEntries(fields.filter(([, value]) => value !== undefined))
    return hooks.post('/v1/standard', { headers: headers as Record<string, string>, body: sent })
  }
  const stripe = (at: number, secret = 'whsec_new', body = '{"id":"evt_1"}') => {
    const t = hooks.now + at
    const v1 = createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')
    return hooks.post('/v1/stripe', {
      headers: { ...type, 'stripe-signature': `t=${t},v1=${v1}` },
      body,
    })
  }
  const expectRefused = ({ status, headers }: Awaited<ReturnType<typeof standard>>): void => {
    expect([status, headers['www-authenticate']]).to.deep.equal([
      401,
      `Webhook realm="${realm_uri}"`,
    ])
  }

  it('no signature header; two of them joined: 401, `WWW-Authenticate: Webhook`', async () => {
    expectRefused(await standard({ 'webhook-signature': undefined }))
    const { 'webhook-signature': good = '' } = hooks.standard('{}')
    for (const joined of [`${good}, ${good}`, `v1,aaaa, ${good}`, `${good}, v1,aaaa`]) {
      expectRefused(await standard({ 'webhook-signature': joined }))
    }
    const t = hooks.now
    const field = `t=${t},v1=${createHmac('sha256', 'whsec_new').update(`${t}.{}`).digest('hex')}`
    for (const joined of [`${field}, ${field}`, `${field},${field}`]) {
      const headers = { ...type, 'stripe-signature': joined }
      expectRefused(await hooks.post('/v1/stripe', { headers, body: '{}' }))
    }
    for (const path of ['/v1/github', '/v1/hmac']) {
      expectRefused(await hooks.post(path, { headers: type, body: '{}' }))
    }
    const twice = { ...type, 'x-hub-signature-256': `${githubField('{}')}, ${githubField('{}')}` }
    expectRefused(await hooks.post('/v1/github', { headers: twice, body: '{}' }))
  })

  it('wrong signature; right one over re-encoded JSON: 401', async () => {
    expectRefused(
      await standard({ 'webhook-signature': hooks.standard('[]')['webhook-signature'] }),
    )
    expectRefused(await standard({}, '{"a":1}', '{ "a": 1 }'))
    expectRefused(await stripe(0, 'whsec_none'))
    const sha1 = createHmac('sha1', 'of github').update('{}').digest('hex')
    const headers = { ...type, 'x-hub-signature': `sha1=${sha1}` }
    expectRefused(await hooks.post('/v1/github', { headers, body: '{}' }))
  })

  it('right signature, timestamp 301 s old, or 301 s ahead: 401', async () => {
    for (const [at, status] of [
      [-301, 401],
      [301, 401],
      [-300, 200],
      [300, 200],
    ] as const) {
      expect((await standard(hooks.standard('{}', { at }))).status).to.equal(status)
      expect((await stripe(at)).status).to.equal(status)
    }
  })

  it('timestamp `1e9`, negative, 20 digits: 401', async () => {
    for (const time of ['1e9', '-1', '1'.repeat(20), '', '0x10', ' ', `${hooks.now}.0`]) {
      expectRefused(await standard({ 'webhook-timestamp': time }))
      const field = `t=${time},v1=${'0'.repeat(64)}`
      const headers = { ...type, 'stripe-signature': field }
      expectRefused(await hooks.post('/v1/stripe', { headers, body: '{}' }))
    }
  })

  it('`v2,…` only; `v1` with bad base64; 100 signatures: 401; 401; the first 10 are tried', async () => {
    const { 'webhook-signature': good = '' } = hooks.standard('{}')
    const wrong = `v1,${Buffer.alloc(32).toString('base64')}`
    expectRefused(await standard({ 'webhook-signature': good.replace('v1', 'v2') }))
    for (const bad of ['v1,***', 'v1,', 'v1', `${good}==`, `v1,***${good}`]) {
      expectRefused(await standard({ 'webhook-signature': bad }))
    }
    const among = (place: number) =>
      standard({ 'webhook-signature': Array(100).fill(wrong).with(place, good).join(' ') })
    expect((await among(9)).status).to.equal(200)
    expectRefused(await among(10))
  })

  it('`webhook-id` with a dot or of 300 characters: 401', async () => {
    for (const id of ['a.b', 'x'.repeat(300), 'a b']) {
      expectRefused(await standard(hooks.standard('{}', { id })))
    }
    expectRefused(await standard({ 'webhook-id': '' }))
    expectRefused(await standard({ 'webhook-id': undefined }))
  })

  it('sender not in the realm: 401 at requests', async () => {
    const headers = { ...type, 'x-hub-signature-256': githubField('{}') }
    expectRefused(await hooks.post('/v1/missing', { headers, body: '{}' }))
  })

  it('GET under `webhook`: signature over an empty body', async () => {
    const headers = hooks.standard('')
    expect((await send(hooks.gateway.url, '/v1/standard', { headers })).status).to.equal(200)
    const unsigned = await send(hooks.gateway.url, '/v1/standard', { headers: hooks.standard('x') })
    expectRefused(unsigned)
    const field = createHmac('sha256', 'of hmac').update('').digest('hex')
    const hmac = { headers: { 'x-signature': field } }
    expect((await send(hooks.gateway.url, '/v1/hmac', hmac)).status).to.equal(200)
  })

  it('body above `body_max_bytes`: 413, before any hash is compared', async () => {
    const body = 'x'.repeat(100_001)
    const unsigned = { ...hooks.standard('other') }
    expect((await hooks.post('/v1/standard', { headers: unsigned, body })).status).to.equal(413)
    const chunked = { ...unsigned, 'transfer-encoding': 'chunked' }
    expect((await hooks.post('/v1/standard', { headers: chunked, body })).status).to.equal(413)
  })

  it('body that is no JSON, rightly signed: 400', async () => {
    expect((await standard({}, '{"a":')).status).to.equal(400)
    expect((await standard({ 'content-type': 'text/plain' }, 'x')).status).to.equal(415)
  })

  it('`Content-Encoding: gzip`: 415', async () => {
    const body = gzipSync('{}')
    const headers = { ...type, 'content-encoding': 'gzip' }
    for (const signed of [body, '{}']) {
      const field = { ...headers, 'x-hub-signature-256': githubField(signed) }
      expect((await hooks.post('/v1/github', { headers: field, body })).status).to.equal(415)
    }
    const identity = { ...type, 'content-encoding': 'identity' }
    const field = { ...identity, 'x-hub-signature-256': githubField('{}') }
    expect((await hooks.post('/v1/github', { headers: field, body: '{}' })).status).to.equal(200)
  })

  it('the user `username` is disabled: 401', async () => {
    const headers = { ...type, 'x-hub-signature-256': githubField('{}') }
    expectRefused(await hooks.post('/v1/disabled', { headers, body: '{}' }))
  })

  it('refused by its header fields: 401 before the body is sent', async () => {
    const { hostname, port } = new URL(hooks.gateway.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      'POST /v1/standard HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: 5000\r\n\r\n',
    )
    let text = ''
    for await (const chunk of socket) {
      text += chunk
      if (text.includes('\r\n\r\n')) break
    }
    expect(text).to.match(/^HTTP\/1.1 401 /)
  })
})

describe('wrong webhooks of one address', () => {
  let hooks: HookGateway
  before(async () => {
    hooks = await startHooks()
  })
  after(() => hooks.stop())

  it('101 wrong ones a minute: 429, and the messages of senders pass', async () => {
    const wrong = () => {
      const headers = { ...type, 'x-hub-signature-256': githubField('{}', 'guess') }
      return hooks.post('/v1/github', { headers, body: '{}' })
    }
    const statuses: number[] = []
    for (let i = 0; i < 101; i += 1) statuses.push((await wrong()).status)
    expect(statuses).to.deep.equal([...Array(100).fill(401), 429])
    expect((await wrong()).headers['retry-after']).to.match(/^\d+$/)
    const headers = { ...type, 'x-hub-signature-256': githubField('{}') }
    expect((await hooks.post('/v1/github', { headers, body: '{}' })).status).to.equal(200)
  })
})
