/** Where browsers that have opened the console reach the gateway. */
import { expect } from 'chai'
import { gatewayOriginOf } from '#http/console/gateway-origin.ts'

const listening = [{ host: '0.0.0.0', port: 18080 }]
const tls = { cert: 'a', key: 'b' }

describe('the origin of the gateway for the console', () => {
  for (const [what, gateway, at, host, expected] of [
    [
      'the port of its listener at the host of the console',
      {},
      listening,
      'ops.example.com',
      'http://ops.example.com:18080',
    ],
    ['an address', {}, listening, '127.0.0.1', 'http://127.0.0.1:18080'],
    ['an address of IPv6', {}, listening, '[::1]', 'http://[::1]:18080'],
    ['https with gateway.tls', { tls }, listening, 'localhost', 'https://localhost:18080'],
    [
      'the public address, without its path',
      { public_base_url: 'https://api.example.com/v1' },
      listening,
      'localhost',
      'https://api.example.com',
    ],
    ['none before the listener is open', {}, [], 'localhost', undefined],
    [
      'none for a host that would end a part of the policy',
      {},
      listening,
      'a;script-src',
      undefined,
    ],
    ['none for a host with a wildcard', {}, listening, '*', undefined],
  ] as const) {
    it(`is ${what}`, () => {
      expect(gatewayOriginOf(gateway, at)(host)).to.equal(expected)
    })
  }
})
