/** The origin of an upstream: every spelling of a host, and what neither a document nor a request may name. */
import { expect } from 'chai'
import { originProblem, readOrigin } from '#component/syntax/upstream-origin.ts'

/** 63 characters and a dot. */
const label = `${'a'.repeat(63)}.`

describe('the origin of an upstream', () => {
  for (const [field, text] of [
    ['localhost', 'http://localhost'],
    ['up', 'http://up'],
    ['example.com', 'http://example.com'],
    ['Example.COM:8080', 'http://example.com:8080'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['https://example.com', 'https://example.com'],
    ['HTTPS://Example.com', 'https://example.com'],
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
    ['10.0.0.1:65535', 'http://10.0.0.1:65535'],
    ['0', 'http://0.0.0.0'],
    ['169.253.255.255', 'http://169.253.255.255'],
    ['169.255.0.0', 'http://169.255.0.0'],
    ['100.100.100.201', 'http://100.100.100.201'],
    ['168.63.129.17', 'http://168.63.129.17'],
    ['[::1]:80', 'http://[::1]'],
    ['[::1]:81', 'http://[::1]:81'],
    ['[0:0::0001]', 'http://[::1]'],
    ['[::FFFF:127.0.0.1]', 'http://[::ffff:7f00:1]'],
    ['http://[2001:db8::1]', 'http://[2001:db8::1]'],
    ['1e100.net', 'http://1e100.net'],
    ['3com.com', 'http://3com.com'],
    ['a1', 'http://a1'],
    ['1.2.3.4.example', 'http://1.2.3.4.example'],
    ['xn--bcher-kva.example', 'http://xn--bcher-kva.example'],
    [label.repeat(4).slice(2), `http://${label.repeat(4).slice(2)}`],
  ] as const) {
    it(`of ${field} is ${text}`, () => {
      const origin = readOrigin(field)
      expect('text' in origin && origin.text).to.equal(text)
      expect(originProblem(field)).to.equal(undefined)
    })
  }

  for (const [because, fields] of Object.entries({
    'neither http nor https': [
      'file:///etc/passwd',
      'ftp://a',
      'gopher://example.com',
      '://a',
      'ws://a',
    ],
    'a valid port': [
      'a:',
      'a:0',
      'a:65536',
      'a:8x',
      'a:8o',
      'a:80/x',
      'a:1:2',
      'a:000080',
      'a: 80',
      'example.com\r\nx: y',
      'http:example.com',
      'http://http://example.com',
      'http://user:secret@example.com',
      '::1',
      '[::1]x',
      '[::1',
    ],
    'is neither a name': [
      '',
      ' example.com',
      'a b',
      'a/x',
      'http://',
      'http://a/',
      '//example.com',
      'u@a',
      'good.com@169.254.169.254',
      'a..b',
      'a..',
      '.a',
      'a?b',
      'a#b',
      'a\\b',
      'ä',
      'bücher.example',
      'a\n',
      'example.com\r\nx',
      '-a!',
      '127%2e0.0.1',
      '１２７.0.0.1',
      `a${label}`,
      label.repeat(4).slice(1),
    ],
    'do not contain an IPv6 address': ['[]', '[1.2.3.4]', '[fe80::1%eth0]', '[x]', '[example.com]'],
    'not a valid IPv4': [
      '256.0.0.1',
      '1.2.3.4.5',
      '1.2.3.256',
      '08.1',
      '1.08',
      '99999999999',
      '4294967296',
      'a.1',
      'x.0x',
      'a.0xzz',
      '1.a.0x7f',
    ],
  })) {
    for (const field of fields) {
      it(`is not in ${JSON.stringify(field)}: ${because}`, () => {
        const origin = readOrigin(field)
        expect('problem' in origin && origin.problem).to.include(because)
        expect(originProblem(field)).to.include(because)
      })
    }
  }

  for (const field of [
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
    '168.63.129.16',
    '192.0.0.192',
    '[fe80::1]',
    '[FEBF::1]',
    '[fd00:ec2::254]',
    '[fd20:ce::254]',
    '[::ffff:169.254.169.254]',
    '[::ffff:a9fe:a9fe]',
    '[::169.254.169.254]',
    '[::ffff:0:a9fe:a9fe]',
    '[64:ff9b::a9fe:a9fe]',
    '[64:ff9b::a83f:8110]',
    '[2002:a9fe:a9fe::]',
    '[2002:a83f:8110::1]',
    '[::ffff:100.100.100.200]',
    '[::ffff:192.0.0.192]',
    'metadata.google.internal',
    'METADATA.google.internal.',
    'http://metadata',
  ]) {
    it(`is told at load and at a request to be out of reach: ${field}`, () => {
      const origin = readOrigin(field)
      expect('addressClass' in origin && origin.addressClass).to.equal('forbidden')
      expect(originProblem(field)).to.include('may not be forwarded to')
    })
  }

  it('has no class where its name is still to be resolved', () => {
    expect(readOrigin('example.com')).to.include({ addressClass: undefined, isAddress: false })
    expect(readOrigin('127.1')).to.include({ addressClass: 'private', isAddress: true })
  })
})
