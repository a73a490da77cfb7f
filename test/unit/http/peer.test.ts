/** Which proxies are believed, and by which fields. */
import { expect } from 'chai'
import { TrustedProxies } from '#http/peer.ts'

describe('TrustedProxies', () => {
  const proxies = new TrustedProxies(['10.0.0.0/8', '::1'])

  for (const [what, headers, peername] of [
    [
      'the first stranger from the right',
      { 'x-forwarded-for': '6.6.6.6, 9.9.9.9, 10.0.0.2' },
      '9.9.9.9:0',
    ],
    [
      'the first of all when all are trusted',
      { 'x-forwarded-for': '10.0.0.3, 10.0.0.2' },
      '10.0.0.3:0',
    ],
    ['the port that was told', { 'x-forwarded-for': '9.9.9.9:5' }, '9.9.9.9:5'],
    ['port 0 for a port that is none', { 'x-forwarded-for': '9.9.9.9:x' }, '9.9.9.9:0'],
    ['an IPv6 address', { 'x-forwarded-for': '2001:db8::1' }, '[2001:db8::1]:0'],
    ['X-Real-IP', { 'x-real-ip': '9.9.9.9' }, '9.9.9.9:0'],
    [
      'no Forwarded beside X-Forwarded-For',
      { forwarded: 'for=6.6.6.6', 'x-forwarded-for': '9.9.9.9' },
      '9.9.9.9:0',
    ],
    ['no Forwarded alone', { forwarded: 'for=6.6.6.6;proto=https;host=evil.com' }, undefined],
    ['nobody for text that is no address', { 'x-forwarded-for': 'evil' }, undefined],
  ] as const) {
    it(`believes ${what}`, () => {
      expect(proxies.read('10.0.0.1', headers)?.peername).to.equal(peername)
    })
  }

  const byForwarded = new TrustedProxies(['10.0.0.0/8'], 'forwarded')
  for (const [what, headers, told] of [
    [
      'Forwarded',
      { forwarded: 'for=6.6.6.6, for="[2001:db8::1]:7";proto=https' },
      { peername: '[2001:db8::1]:7', scheme: 'https' },
    ],
    [
      'port 0 for an obfuscated one',
      { forwarded: 'for="[2001:db8::1]:_x"' },
      { peername: '[2001:db8::1]:0' },
    ],
    [
      'no X-Forwarded-* beside it',
      { forwarded: 'for=9.9.9.9', 'x-forwarded-for': '6.6.6.6', 'x-forwarded-proto': 'https' },
      { peername: '9.9.9.9:0' },
    ],
    ['no X-Forwarded-* alone', { 'x-forwarded-for': '6.6.6.6', 'x-real-ip': '6.6.6.6' }, {}],
    ['nobody for an unknown client', { forwarded: 'for=unknown' }, {}],
  ] as const) {
    it(`believes, where Forwarded is configured, ${what}`, () => {
      expect(byForwarded.read('10.0.0.1', headers)).to.deep.equal(told)
    })
  }

  it('believes no stranger', () => {
    expect(proxies.read('9.9.9.9', { 'x-forwarded-for': '1.1.1.1' })).to.equal(undefined)
  })

  it('refuses ranges that are none', () => {
    for (const wrong of ['a', '10.0.0.0/33', '10.0.0.0/', '::/129']) {
      expect(() => new TrustedProxies([wrong])).to.throw(TypeError)
    }
  })
})
