/** Where a login comes back to, and which absolute addresses are of this gateway. */
import { expect } from 'chai'
import { oidc } from './fixture.ts'

describe('a login at the address of the gateway', () => {
  for (const [what, more, host, expected, isWarned] of [
    ['the configured address', { host: '_' }, 'a.example', 'https://api.example', false],
    [
      'its host',
      { host: 'a.example', hasPublicUrl: false },
      'a.example',
      'http://a.example',
      false,
    ],
    [
      'its hosts',
      { host: '[www.]a.example', hasPublicUrl: false },
      'www.a.example',
      'http://www.a.example',
      false,
    ],
    [
      'the address that is listened at, which is another one',
      { host: ':x.example', hasPublicUrl: false },
      'a.example',
      'https://api.example',
      true,
    ],
    [
      'the address that is listened at',
      { host: '_', hasPublicUrl: false },
      'api.example',
      'https://api.example',
      false,
    ],
  ] as const) {
    it(`comes back to ${what} for the host of the document ${more.host}`, async () => {
      const { ask, begun, logged } = oidc(more)
      for (let turn = 0; turn < 2; turn++) await ask('GET /v1/oidc/login', { host })
      expect(begun[0]?.callbackUrl('acme')).to.equal(`${expected}/v1/oidc/acme/callback`)
      expect(logged).to.have.length(isWarned ? 1 : 0)
    })
  }

  for (const [uri, expected] of [
    ['https://api.example/home?a=1#b', '/home?a=1#b'],
    ['https://API.example', '/'],
    ['https://api.example:443/', '/'],
    ['http://api.example/home', undefined],
    ['https://api.example:8443/home', undefined],
    ['https://api.example.evil.com/home', undefined],
    ['https://api.example@evil.com/', undefined],
    ['https://user@api.example/', undefined],
    ['https://api.example//evil.com', undefined],
    ['https://api.example/%2fevil.com', undefined],
    ['https://api.example/\\\\evil.com', undefined],
  ] as const) {
    it(`${expected === undefined ? 'refuses' : `leads to ${expected} by`} the absolute address ${uri}`, async () => {
      const { ask, begun } = oidc()
      const { status } = await ask(`GET /v1/oidc/login?redirect_uri=${encodeURIComponent(uri)}`)
      expect([status, begun[0]?.redirect_uri]).to.deep.equal(
        expected === undefined ? [400, undefined] : [302, expected],
      )
    })
  }
})
