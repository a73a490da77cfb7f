/** Who may manage, what starts, and where is listened: pure rules. */
import { expect } from 'chai'
import type { ServiceError } from '#component/errors.ts'
import { RefusedLogin } from '#component/login-refusal.ts'
import {
  admit,
  checkJson,
  isLoopbackOnly,
  refusalsToStart,
  sharesGatewayListener,
  trustsLocalRequests,
} from '#http/management/access.ts'
import { type HttpOptions, parseListen } from '#http/options.ts'

const configured = (
  gateway: Partial<HttpOptions['gateway']> = {},
  admin: Partial<HttpOptions['admin']> = {},
): HttpOptions => ({
  gateway: {
    listen: '127.0.0.1:18080',
    trusted_proxies: [],
    forwarded_header: 'x-forwarded-for',
    ws_allowed_origins: [],
    drain_delay: 0,
    drain_timeout: 30_000,
    http2: true,
    ...gateway,
  },
  admin: { listen: '127.0.0.1:18081', console: true, share_gateway_listener: 'auto', ...admin },
  health: {},
  router: {},
  limits: {
    max_connections: 1,
    headers_timeout: 1,
    request_timeout: 1,
    keep_alive_timeout: 1,
    max_requests_per_socket: 0,
    http2_streams: 128,
    http2_idle_timeout: 60_000,
  },
  log: { access: false },
})

/** One user of `com.example`, who only reads there. */
const operators = {
  authenticate: async (text: string) =>
    text === 'good'
      ? ({
          realm_uri: 'com.example',
          authid: 'rita',
          roles: ['spec_reader'],
          access: 'read',
          within: 'com.example',
        } as const)
      : new RefusedLogin({ authmethod: 'bearer', reason: 'not good' }),
}

const ask = (
  headers: Readonly<Record<string, string>>,
  address = '127.0.0.1',
  trustsLocal = true,
) => admit({ address, headers, peername: `${address}:5` }, { operators, trustsLocal })

/** The refusal of a request; undefined when it is let in. */
const refusalOf = (...parameters: Parameters<typeof ask>) =>
  ask(...parameters).then(
    () => undefined,
    (cause: ServiceError) => cause,
  )

describe('who may manage', () => {
  for (const [what, address, headers, status] of [
    ['loopback', '127.0.0.1', { host: 'localhost:18081' }, undefined],
    ['IPv6 loopback', '::1', { host: '[::1]:18081' }, undefined],
    ['an upper-case Host', '127.0.0.1', { host: 'LOCALHOST' }, undefined],
    ['its own page', '127.0.0.1', { host: 'localhost:1', origin: 'http://localhost:1' }, undefined],
    ['another peer', '10.0.0.1', { host: 'localhost' }, 401],
    ['another Host (DNS rebinding)', '127.0.0.1', { host: 'evil.com' }, 401],
    ['a Host that begins like a local one', '127.0.0.1', { host: 'localhost.evil.com' }, 401],
    ['X-Forwarded-Anything', '127.0.0.1', { host: 'localhost', 'x-forwarded-port': '1' }, 401],
    ['Via', '127.0.0.1', { host: 'localhost', via: '1.1 a' }, 401],
    [
      'another port of this host',
      '127.0.0.1',
      { host: 'localhost:1', origin: 'http://localhost:2' },
      403,
    ],
    ['a foreign page', '127.0.0.1', { host: 'localhost', origin: 'https://evil.com' }, 403],
    ['the origin null', '127.0.0.1', { host: 'localhost', origin: 'null' }, 403],
  ] as const) {
    it(`${status ? `is ${status} for` : 'lets in'} ${what}`, async () => {
      expect((await refusalOf(headers, address))?.status).to.equal(status)
    })
  }

  it('is everything for a local request', async () => {
    expect(await ask({ host: 'localhost' })).to.deep.equal({
      by: 'local 127.0.0.1:5',
      access: 'load',
    })
  })

  it('is what the user may whose credentials a request has, from wherever it comes', async () => {
    const rita = {
      by: 'rita@com.example',
      user: { realm_uri: 'com.example', authid: 'rita', roles: ['spec_reader'] },
      access: 'read',
      within: 'com.example',
    }
    for (const authorization of ['Bearer good', 'bearer good']) {
      expect(await ask({ host: 'a.b', authorization }, '10.0.0.1', false)).to.deep.equal(rita)
      expect(await ask({ host: 'localhost', authorization })).to.deep.equal(rita)
    }
  })

  for (const authorization of ['Bearer bad', 'Bearer', 'Bearer ', 'Basic Z29vZA==', 'good', '']) {
    it(`is nothing for the credentials "${authorization}", for a local request, too`, async () => {
      const refusal = await refusalOf({ host: 'localhost', authorization })
      expect(refusal?.uri).to.equal('service.error.unauthorized')
      expect(refusal?.headers['www-authenticate']).to.match(
        /^Bearer realm="management", error="invalid_token"/,
      )
    })
  }

  it('is nothing without credentials where even local requests need some', async () => {
    const refusal = await refusalOf({ host: 'localhost' }, '127.0.0.1', false)
    expect(refusal?.headers).to.deep.equal({ 'www-authenticate': 'Bearer realm="management"' })
  })

  it('is nothing for a page of another origin that has credentials', async () => {
    const headers = { host: 'a.b', origin: 'https://evil.com', authorization: 'Bearer good' }
    expect((await refusalOf(headers))?.status).to.equal(403)
  })
})

describe('the body of a request to management', () => {
  it('is JSON', () => {
    checkJson({ 'content-type': 'application/json; charset=utf-8' })
    for (const headers of [{ 'content-type': 'text/plain' }, {}]) {
      expect(() => checkJson(headers))
        .to.throw()
        .with.property('status', 415)
    }
  })
})

describe('sharesGatewayListener', () => {
  for (const [what, options, isShared] of [
    ['loopback only', configured(), true],
    ['several loopback addresses', configured({ listen: ['127.0.0.1:1', '[::1]:1'] }), true],
    ['a bare port', configured({ listen: 8080 }), true],
    ['all addresses', configured({ listen: '0.0.0.0:1' }), false],
    ['one address beyond loopback', configured({ listen: ['127.0.0.1:1', '10.0.0.1:1'] }), false],
    ['public_base_url', configured({ public_base_url: 'https://a' }), false],
    ['trusted_proxies', configured({ trusted_proxies: ['10.0.0.0/8'] }), false],
    ['tls', configured({ tls: { cert: 'c', key: 'k' } }), false],
    ['false', configured({}, { share_gateway_listener: false }), false],
    ['admin.realm', configured({ listen: '0.0.0.0:1' }, { realm: 'com.example.admin' }), true],
    ['true', configured({ listen: '0.0.0.0:1' }, { share_gateway_listener: true }), true],
  ] as const) {
    it(`${isShared ? 'shares' : 'does not share'} with ${what}`, () => {
      expect(sharesGatewayListener(options)).to.equal(isShared)
    })
  }

  it('trusts local requests there unless credentials are configured and a proxy may be in front', () => {
    const realm = 'com.example.admin'
    for (const [options, isTrusted] of [
      [configured(), true],
      [configured({ public_base_url: 'https://a' }, { share_gateway_listener: true }), true],
      [configured({}, { realm }), true],
      [configured({ public_base_url: 'https://a' }, { realm }), false],
      [configured({ listen: '0.0.0.0:1' }, { realm }), false],
    ] as const) {
      expect(trustsLocalRequests(options)).to.equal(isTrusted)
    }
  })
})

describe('isLoopbackOnly', () => {
  it('is true when every address is', () => {
    expect(isLoopbackOnly(['127.0.0.1:1', 'localhost:2', '[::1]:3'])).to.equal(true)
    expect(isLoopbackOnly(['127.0.0.1:1', '*:2'])).to.equal(false)
  })
})

describe('refusalsToStart', () => {
  it('names the setting when the admin listener is off loopback', () => {
    expect(refusalsToStart(configured())).to.deep.equal([])
    expect(refusalsToStart(configured({ listen: '0.0.0.0:1' }))).to.deep.equal([])
    for (const listen of ['0.0.0.0:1', ['127.0.0.1:1', ':2']])
      expect(refusalsToStart(configured({}, { listen }))).to.deep.equal([
        'admin.listen: it must be a loopback address unless admin.realm names the realm whose users may manage',
      ])
  })

  it('lets the admin listener be off loopback when credentials are configured', () => {
    const admin = { listen: '0.0.0.0:1', realm: 'com.example.admin' }
    expect(refusalsToStart(configured({}, admin))).to.deep.equal([])
  })

  it('names all settings that cannot be read: addresses, proxies, certificates', () => {
    const key = import.meta.filename
    const wrong = {
      ...configured(
        {
          listen: ['127.0.0.1:1', 'a:b'],
          trusted_proxies: ['10.0.0.0/33'],
          tls: { cert: key, key },
        },
        { listen: 'a' },
      ),
      router: { listen: 70_000 },
    }
    const [gateway, admin, router, proxies, tls, ...more] = refusalsToStart(wrong)
    expect([gateway, admin, router, proxies, more]).to.deep.equal([
      'option "gateway.listen": expected host:port or port, got a:b',
      'option "admin.listen": expected host:port or port, got a',
      'option "router.listen": expected host:port or port, got 70000',
      'option "gateway.trusted_proxies": expected an address or CIDR range, got 10.0.0.0/33',
      [],
    ])
    expect(tls).to.include('option "gateway.tls": ')
  })

  it('says which file of a certificate is not there', () => {
    const tls = { cert: '/absent', key: '/absent' }
    expect(refusalsToStart(configured({ tls })).join()).to.include('option "gateway.tls": ENOENT')
  })
})

describe('parseListen', () => {
  it('reads hosts and ports', () => {
    expect(parseListen(['80', 'a:81', '[::1]:82', ':83', '0.0.0.0:84'])).to.deep.equal([
      { host: '127.0.0.1', port: 80 },
      { host: 'a', port: 81 },
      { host: '::1', port: 82 },
      { host: '::', port: 83 },
      { host: '0.0.0.0', port: 84 },
    ])
    for (const wrong of ['a', 'a:', 'a:x', 'a:99999', -1]) {
      expect(() => parseListen(wrong)).to.throw(TypeError)
    }
  })
})
