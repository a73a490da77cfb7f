/** IP addresses: ranges, loopback, `ip:port`, networks, and which of them a forward may reach. */
import { expect } from 'chai'
import { classifyAddress } from '#component/syntax/forbidden-addresses.ts'
import {
  addressOf,
  isInRanges,
  isLoopback,
  networkOf,
  peerName,
  plainAddress,
  readRange,
} from '#component/syntax/ip-address.ts'

describe('a CIDR range', () => {
  for (const [cidr, address, isIn] of [
    ['10.0.0.0/8', '10.255.255.255', true],
    ['10.0.0.0/8', '11.0.0.0', false],
    ['10.0.0.0/8', '::ffff:10.1.1.1', true],
    ['10.0.0.0/8', '::FFFF:10.1.1.1', true],
    ['10.0.0.0/8', '::ffff:a01:101', true],
    ['10.0.0.0/8', '0:0:0:0:0:ffff:10.1.1.1', true],
    ['::ffff:10.0.0.0/104', '10.1.1.1', true],
    ['::ffff:10.0.0.0/104', '11.0.0.0', false],
    ['172.16.0.0/12', '172.31.255.255', true],
    ['172.16.0.0/12', '172.32.0.0', false],
    ['10.0.0.0/8', '::a00:1', false],
    ['192.168.1.7', '192.168.1.7', true],
    ['192.168.1.7', '192.168.1.8', false],
    ['192.168.1.7/32', '192.168.1.7', true],
    ['0.0.0.0/0', '203.0.113.1', true],
    ['0.0.0.0/0', '2001:db8::1', false],
    ['0.0.0.0/0', 'nonsense', false],
    ['::/0', '2001:db8::1', true],
    ['::/0', '203.0.113.1', false],
    ['2001:db8::/32', '2001:db8:ffff::1', true],
    ['2001:db8::/32', '2001:db9::1', false],
    ['fe80::/10', 'fe80::1%eth0', true],
  ] as const) {
    it(`${cidr} ${isIn ? 'holds' : 'does not hold'} ${address}`, () => {
      const range = readRange(cidr)
      expect(range && isInRanges(address, [range])).to.equal(isIn)
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
    '10.0.0.0/0x8',
    '10.0.0.0/ 8',
    'fe80::1%eth0',
    'fe80::%eth0/64',
  ]) {
    it(`refuses "${text}"`, () => {
      expect(readRange(text)).to.equal(undefined)
    })
  }
})

describe('loopback', () => {
  for (const [address, expected] of [
    ['127.0.0.1', true],
    ['127.9.9.9', true],
    ['::1', true],
    ['0:0:0:0:0:0:0:1', true],
    ['::1%lo', true],
    ['::ffff:127.0.0.1', true],
    ['::FFFF:127.0.0.1', true],
    ['::ffff:7f00:1', true],
    ['128.0.0.1', false],
    ['10.0.0.1', false],
    ['::ffff:10.0.0.1', false],
    ['::2', false],
    ['', false],
    ['localhost', false],
    ['127.evil.com', false],
  ] as const) {
    it(`${expected ? 'holds' : 'does not hold'} ${address || 'nothing'}`, () => {
      expect(isLoopback(address)).to.equal(expected)
    })
  }
})

describe('an address', () => {
  for (const [address, plain] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::FFFF:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2001:db8::1', '2001:db8::1'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['::', '::'],
    ['::ffff:evil', '::ffff:evil'],
    ['', ''],
  ] as const) {
    it(`${address || 'that is empty'} is plainly ${plain || 'empty'}`, () => {
      expect(plainAddress(address)).to.equal(plain)
    })
  }

  for (const [address, network] of [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['::ffff:c000:201', '192.0.2.1'],
    ['2001:DB8::1', '8193:3512:0:0'],
    ['2001:db8:0:0:ffff::1%eth0', '8193:3512:0:0'],
    ['2001:db8:0:1::', '8193:3512:0:1'],
    ['unknown', 'unknown'],
    ['', ''],
  ] as const) {
    it(`${address || 'that is empty'} is of the network ${network || 'that is empty'}`, () => {
      expect(networkOf(address)).to.equal(network)
    })
  }

  for (const [address, port, text] of [
    ['192.0.2.1', 80, '192.0.2.1:80'],
    ['2001:db8::1', '0', '[2001:db8::1]:0'],
  ] as const) {
    it(`with its port is ${text}, and read from that again`, () => {
      expect(peerName(address, port)).to.equal(text)
      expect(addressOf(text)).to.equal(address)
    })
  }

  it('is read from texts without brackets or port, too', () => {
    expect(addressOf('2001:db8::1:50000')).to.equal('2001:db8::1')
    expect(addressOf('192.0.2.1')).to.equal('192.0.2.1')
    expect(addressOf('')).to.equal('')
  })
})

describe('the class of an address', () => {
  for (const [address, name] of [
    ['93.184.216.34', 'public'],
    ['8.8.8.8', 'public'],
    ['172.15.255.255', 'public'],
    ['172.32.0.0', 'public'],
    ['2606:4700::1111', 'public'],
    ['0.0.0.0', 'private'],
    ['10.0.0.5', 'private'],
    ['100.64.0.1', 'private'],
    ['127.0.0.1', 'private'],
    ['127.255.255.254', 'private'],
    ['172.16.0.1', 'private'],
    ['172.31.255.255', 'private'],
    ['192.168.1.1', 'private'],
    ['198.19.0.1', 'private'],
    ['224.0.0.1', 'private'],
    ['255.255.255.255', 'private'],
    ['169.254.169.254', 'forbidden'],
    ['169.254.0.1', 'forbidden'],
    ['100.100.100.200', 'forbidden'],
    ['168.63.129.16', 'forbidden'],
    ['192.0.0.192', 'forbidden'],
    ['192.0.0.193', 'private'],
    ['::', 'private'],
    ['::1', 'private'],
    ['fc00::1', 'private'],
    ['fdff::1', 'private'],
    ['ff02::1', 'private'],
    ['2001::1', 'private'],
    ['fe80::1', 'forbidden'],
    ['fe80::1%eth0', 'forbidden'],
    ['febf::1', 'forbidden'],
    ['fd00:ec2::254', 'forbidden'],
    ['::ffff:127.0.0.1', 'private'],
    ['::ffff:a9fe:a9fe', 'forbidden'],
    ['::ffff:8.8.8.8', 'public'],
    ['::169.254.169.254', 'forbidden'],
    ['::ffff:0:a9fe:a9fe', 'forbidden'],
    ['64:ff9b::a83f:8110', 'forbidden'],
    ['2002:c000:c0::', 'forbidden'],
    ['64:ff9b::10.0.0.1', 'private'],
    ['64:ff9b::a9fe:a9fe', 'forbidden'],
    ['64:ff9b::8.8.8.8', 'public'],
    ['2002:7f00:1::', 'private'],
    ['2002:a9fe:a9fe::1', 'forbidden'],
    ['2002:808:808::1', 'public'],
    ['not an address', 'forbidden'],
    ['', 'forbidden'],
  ] as const) {
    it(`of ${address || 'nothing'} is ${name}`, () => {
      expect(classifyAddress(address)).to.equal(name)
    })
  }
})
