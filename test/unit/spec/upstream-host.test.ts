/** The fixed host of a forward action: what it may be, and which addresses are refused in whatever spelling. */
import { expect } from 'chai'
import { upstreamHostProblem } from '#component/spec/upstream-host.ts'

describe('the fixed host of a forward action', () => {
  for (const host of [
    'localhost',
    'up',
    'up.',
    'example.com:8080',
    'http://localhost:8080',
    'HTTPS://Example.com',
    'my_service.internal',
    '127.0.0.1',
    '127.1',
    '10.0.0.1:65535',
    '0x7f.1',
    '2130706433',
    '[::1]:80',
    'http://[2001:db8::1]',
    '169.253.255.255',
    '169.255.0.0',
    '100.100.100.201',
    '1.2.3.4.example',
    'a1',
  ]) {
    it(`may be ${host}`, () => {
      expect(upstreamHostProblem(host)).to.equal(undefined)
    })
  }

  for (const [because, hosts] of Object.entries({
    'may not be forwarded to': [
      '169.254.169.254',
      'http://169.254.169.254:80',
      '169.254.169.254.',
      '169.254.0.1',
      '169.254.43518',
      '169.16689662',
      '2852039166',
      '0xa9fea9fe',
      '0xA9.0xFE.0xA9.0xFE',
      '0251.0376.0251.0376',
      '0251.254.0xa9fe',
      '100.100.100.200',
      '0x646464c8',
      '[fe80::1]',
      '[FEBF::1]',
      '[fd00:ec2::254]',
      '[fd20:ce::254]',
      '[::ffff:169.254.169.254]',
      '[::ffff:a9fe:a9fe]',
      '[::169.254.169.254]',
      '[64:ff9b::a9fe:a9fe]',
      '[2002:a9fe:a9fe::]',
      '[::ffff:100.100.100.200]',
      'metadata.google.internal',
      'METADATA.google.internal.',
      'http://metadata',
    ],
    'neither http nor https': ['file:///etc', 'ftp://a', 'gopher://a', '://a', 'ws://a'],
    'a valid port': ['a:', 'a:0', 'a:65536', 'a:8x', 'a:80/x', 'a:1:2', '::1', '[::1]x', '[::1'],
    'is neither a name': [
      '',
      'a b',
      'a/x',
      'http://',
      'http://a/',
      'u@a',
      'a..b',
      '.a',
      'a?b',
      'ä',
      'a\n',
      '-a!',
    ],
    'do not contain an IPv6 address': ['[]', '[1.2.3.4]', '[fe80::1%eth0]', '[x]'],
    'not a valid IPv4': [
      '256.1.1.1',
      '1.2.3.4.5',
      '1.2.3.256',
      '08.1',
      '99999999999',
      'a.1',
      '1.a.0x7f',
    ],
  })) {
    for (const host of hosts) {
      it(`may not be ${JSON.stringify(host)}: ${because}`, () => {
        expect(upstreamHostProblem(host)).to.include(because)
      })
    }
  }
})
