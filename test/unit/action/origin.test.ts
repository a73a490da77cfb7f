/** Where a forward may go: hosts and addresses in every spelling. */
import { expect } from 'chai'
import { classifyAddress } from '#component/action/address.ts'
import { hostPolicy, readOrigin, refuseAddress } from '#component/action/origin.ts'

describe('the host of a forward', () => {
  for (const [field, text] of [
    ['example.com', 'http://example.com'],
    ['Example.COM:8080', 'http://example.com:8080'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://localhost:8080/', 'http://localhost:8080'],
    ['https://example.com', 'https://example.com'],
    ['https://example.com:443', 'https://example.com'],
    ['example.com:80', 'http://example.com'],
    ['my_service.internal.', 'http://my_service.internal.'],
    ['127.1', 'http://127.0.0.1'],
    ['0x7f.1', 'http://127.0.0.1'],
    ['0X7F000001', 'http://127.0.0.1'],
    ['2130706433', 'http://127.0.0.1'],
    ['017700000001', 'http://127.0.0.1'],
    ['0177.0.0.1', 'http://127.0.0.1'],
    ['127.0.0.1.', 'http://127.0.0.1'],
    ['0', 'http://0.0.0.0'],
    ['0xa9fea9fe', 'http://169.254.169.254'],
    ['169.254.43518', 'http://169.254.169.254'],
    ['[::1]:81', 'http://[::1]:81'],
    ['[0:0::0001]', 'http://[::1]'],
    ['[::FFFF:127.0.0.1]', 'http://[::ffff:7f00:1]'],
    ['1e100.net', 'http://1e100.net'],
    ['3com.com', 'http://3com.com'],
    ['xn--bcher-kva.example', 'http://xn--bcher-kva.example'],
  ] as const) {
    it(`${field} is ${text}`, () => {
      expect(readOrigin(field)?.text).to.equal(text)
    })
  }
  for (const field of [
    '',
    ' example.com',
    'exa mple.com',
    'example.com\r\nx: y',
    'good.com@169.254.169.254',
    'http://user:secret@example.com',
    'file:///etc/passwd',
    'gopher://example.com',
    'http:example.com',
    'http://http://example.com',
    '//example.com',
    'example.com/path',
    'example.com?x',
    'example.com#x',
    'example.com\\x',
    'example.com:',
    'example.com:0',
    'example.com:65536',
    'example.com:8o',
    'a..b',
    '.example.com',
    '127%2e0.0.1',
    '１２７.0.0.1',
    'bücher.example',
    '256.0.0.1',
    '1.2.3.4.5',
    '4294967296',
    '08.1',
    'x.0x',
    '[::1',
    '[fe80::1%eth0]',
    '[example.com]',
    '::1',
  ]) {
    it(`${JSON.stringify(field)} is refused`, () => {
      const origin = readOrigin(field)
      expect(origin?.isAddress === true ? 'an address' : origin?.text).to.equal(undefined)
    })
  }
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

describe('forward.allowed_hosts', () => {
  for (const [entries, host, isAllowed] of [
    [[], 'example.com', false],
    [['example.com'], 'EXAMPLE.com', true],
    [['example.com'], 'example.com.', true],
    [['example.com'], 'https://example.com:8443', true],
    [['example.com'], 'www.example.com', false],
    [['example.com:81'], 'example.com:81', true],
    [['example.com:81'], 'example.com', false],
    [['*.example.com'], 'a.b.example.com', true],
    [['*.example.com'], 'example.com', false],
    [['*.example.com'], 'badexample.com', false],
    [['*.0.0.1'], '127.0.0.1', false],
    [['127.0.0.1'], '127.1:8080', true],
    [['::1'], '[::1]:9', true],
    [['[::1]:9'], '[::1]:9', true],
    [['127.0.0.1:81'], '127.0.0.1:82', false],
    [['not a host', 'example.com/x'], 'example.com', false],
  ] as const) {
    it(`[${entries.join(', ')}] ${isAllowed ? 'allows' : 'refuses'} ${host}`, () => {
      const origin = readOrigin(host)
      expect(origin && hostPolicy(entries).allows(origin)).to.equal(isAllowed)
    })
  }

  for (const [address, policy, uri] of [
    ['127.0.0.1', undefined, undefined],
    ['169.254.169.254', undefined, 'wamp.error.not_authorized'],
    ['10.0.0.5', hostPolicy([]), 'wamp.error.not_authorized'],
    ['10.0.0.5', hostPolicy(['backend.internal']), 'wamp.error.not_authorized'],
    ['10.0.0.5', hostPolicy(['backend.internal', '10.0.0.5']), undefined],
    ['10.0.0.5', hostPolicy(['10.0.0.5:80']), undefined],
    ['10.0.0.5', hostPolicy(['10.0.0.5:81']), 'wamp.error.not_authorized'],
    ['169.254.169.254', hostPolicy(['169.254.169.254']), 'wamp.error.not_authorized'],
    ['8.8.8.8', hostPolicy([]), undefined],
  ] as const) {
    it(`${address} of a ${policy ? 'computed' : 'fixed'} host: ${uri ?? 'connected to'}`, () => {
      expect(refuseAddress(address, 80, policy)?.uri).to.equal(uri)
    })
  }
})
