/** CIDR ranges and the addresses in them. */
import { expect } from 'chai'
import { isLoopback, parseCidr } from '#component/realm/address.ts'

describe('parseCidr', () => {
  for (const [cidr, address, isIn] of [
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '::ffff:10.1.1.1', true],
    ['10.0.0.0/8', '::FFFF:10.1.1.1', true],
    ['10.0.0.0/8', '::a00:1', false],
    ['192.168.1.7', '192.168.1.7', true],
    ['192.168.1.7', '192.168.1.8', false],
    ['192.168.1.7/32', '192.168.1.7', true],
    ['0.0.0.0/0', '203.0.113.1', true],
    ['0.0.0.0/0', '2001:db8::1', true],
    ['0.0.0.0/0', 'fe80::1%eth0', true],
    ['0.0.0.0/0', 'nonsense', false],
    ['::/0', '2001:db8::1', true],
    ['::/0', '203.0.113.1', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['fe80::/10', 'fe80::1%eth0', true],
  ] as const) {
    it(`${cidr} ${isIn ? 'holds' : 'does not hold'} ${address}`, () => {
      expect(parseCidr(cidr)?.(address)).to.equal(isIn)
    })
  }

  for (const text of [
    '',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/',
    '10.0.0.0/08',
    '::/129',
    '10/8',
    '1.2.3.4/8/8',
    'localhost',
    '10.0.0.0/1e1',
  ]) {
    it(`refuses "${text}"`, () => {
      expect(parseCidr(text)).to.equal(undefined)
    })
  }
})

describe('isLoopback', () => {
  for (const [address, expected] of [
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['::ffff:127.0.0.1', true],
    ['128.0.0.1', false],
    ['::2', false],
    ['', false],
  ] as const) {
    it(`${expected ? 'knows' : 'does not take'} ${address || 'nothing'}`, () => {
      expect(isLoopback(address)).to.equal(expected)
    })
  }
})
