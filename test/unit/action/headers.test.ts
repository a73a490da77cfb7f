/** Which header fields cross the proxy. */
import { expect } from 'chai'
import { answerHeaders, upstreamHeaders } from '#component/action/headers.ts'
import { runOf } from './doubles.ts'

const way = {
  via: '1.1 gateway',
  'x-forwarded-for': '198.51.100.7',
  'x-forwarded-host': 'api.example.com',
  'x-forwarded-proto': 'http',
}

const runWith = (headers: Record<string, string>) => {
  const { run } = runOf()
  return { ...run, request: { ...run.request, headers } }
}

describe('the headers of an upstream request', () => {
  for (const [title, sent, declared, expected] of [
    [
      'are those of the request by default',
      { accept: 'x/y', 'x-a': '1' },
      undefined,
      { accept: 'x/y', 'x-a': '1' },
    ],
    [
      'hold no framing, hop-by-hop or proxy field',
      {
        'content-length': '1',
        'transfer-encoding': 'chunked',
        connection: 'keep-alive',
        'keep-alive': 'timeout=5',
        te: 'trailers',
        trailer: 'x',
        upgrade: 'h2c',
        expect: '100-continue',
        'proxy-authorization': 'Basic x',
        'proxy-connection': 'close',
        'http2-settings': 'x',
        'x-a': '1',
      },
      undefined,
      { 'x-a': '1' },
    ],
    [
      'hold nothing that the request lists in Connection',
      { connection: 'close, X-A', 'x-a': '1', 'x-b': '2' },
      undefined,
      { 'x-b': '2' },
    ],
    [
      'keep what the document sets, whatever the request lists in Connection',
      { connection: 'x-key, x-forwarded-for, via', 'x-key': 'theirs' },
      { 'x-key': 'ours', connection: 'x-key' },
      { 'x-key': 'ours' },
    ],
    ['hold no declared field that is empty', {}, { 'x-a': '', 'x-b': '0' }, { 'x-b': '0' }],
    [
      'say the way themselves',
      { 'x-forwarded-for': '1.2.3.4', 'x-forwarded-proto': 'https', forwarded: 'for=1.2.3.4' },
      undefined,
      {},
    ],
    [
      'hold nothing that only a gateway may say',
      {
        'x-forwarded-user': 'admin',
        'x-forwarded-prefix': '/x',
        'x-real-ip': '1.2.3.4',
        'x-service-authid': 'admin',
        proxy: 'http://evil.com',
        'client-cert': ':AAAA:',
        'client-cert-chain': ':AAAA:',
        x_forwarded_for: '1.2.3.4',
        x_a: '1',
        'x-servicing': '2',
        'x-forward': '3',
      },
      undefined,
      { 'x-servicing': '2', 'x-forward': '3' },
    ],
    [
      'hold what the document sets under such names, also where the request sent the same',
      { 'x-service-user': 'kim', 'x-real-ip': '1.2.3.4' },
      { 'x-service-user': 'kim', 'x-real-ip': '1.2.3.4', my_key: 'x', proxy: 'y' },
      { 'x-service-user': 'kim', 'x-real-ip': '1.2.3.4', my_key: 'x', proxy: 'y' },
    ],
    [
      'hold no client certificate, even if the document copies it',
      { 'client-cert': ':AAAA:' },
      { 'Client-Cert': ':AAAA:', 'client-cert-chain': ':AAAA:', 'x-a': '1' },
      { 'x-a': '1' },
    ],
    ['continue Via', { via: '1.0 fred' }, undefined, { via: '1.0 fred, 1.1 gateway' }],
    ['leave out a Via of others that is not declared', { via: '1.0 fred' }, {}, {}],
    [
      'continue a Via that has this node, whatever is declared',
      { via: '1.1 gateway, 1.0 fred' },
      { via: '1.0 none' },
      { via: '1.1 gateway, 1.0 fred, 1.1 gateway' },
    ],
    [
      'take four passes for no loop',
      { via: Array(4).fill('1.1 gateway').join(', ') },
      {},
      { via: Array(5).fill('1.1 gateway').join(', ') },
    ],
    [
      'hold no ticket of the gateway',
      {
        cookie:
          'a=1; =service_ticket_r=x; service_ticket_com.example=x; service_csrf_com.example=y; b=2',
      },
      undefined,
      { cookie: 'a=1; b=2' },
    ],
    [
      'hold no Cookie when only tickets were in it',
      { cookie: 'service_ticket_r=x' },
      undefined,
      {},
    ],
    [
      'are written as text',
      {},
      { 'X-Number': 5, 'x-flag': true, 'x-none': null },
      { 'x-number': '5', 'x-flag': 'true' },
    ],
    ['may be repeated', {}, { 'x-list': ['a', 'b'] }, { 'x-list': ['a', 'b'] }],
    [
      'keep bytes beyond ASCII',
      { 'x-name': 'J\u00fcrgen\u0085' },
      undefined,
      { 'x-name': 'J\u00fcrgen\u0085' },
    ],
  ] as const) {
    it(title, () => {
      const headers = upstreamHeaders(declared, runWith(sent), '1.1 gateway')
      expect(headers).to.deep.equal({ ...way, ...expected })
    })
  }

  for (const declared of [
    { 'x-a': 'a\r\nx-b: c' },
    { 'x-a': 'a\nb' },
    { 'x-a': 'a\u0000b' },
    { 'x-a': 'a\u007f' },
    { 'x-a': '\u010a' },
    { 'x-a': ['a', 'b\r'] },
    { 'x-a': {} },
    { 'x a': '1' },
    { 'x-a\r\n': '1' },
    { 'x:a': '1' },
    { '': '1' },
    [],
    'x-a: 1',
    null,
  ]) {
    it(`${JSON.stringify(declared)} are refused before anything is sent`, () => {
      expect(() => upstreamHeaders(declared, runWith({}), '1.1 gateway'))
        .to.throw()
        .with.property('uri', 'service.error.http_gateway.invalid_expression')
    })
  }

  it('are those of a loop where the request has passed this node five times', () => {
    const via = ['1.0 fred', ...Array(5).fill('1.1 gateway')].join(', ')
    for (const declared of [undefined, {}, { via: '1.0 none' }]) {
      expect(() => upstreamHeaders(declared, runWith({ via }), '1.1 gateway'))
        .to.throw('the request has passed this node 5 times')
        .with.property('uri', 'service.error.loop_detected')
    }
    expect(upstreamHeaders({}, runWith({ via }), '1.1 gatewa').via).to.equal('1.1 gatewa')
  })
})

describe('the headers of an answer', () => {
  for (const [title, received, expected] of [
    ['hold repeats joined', { 'x-a': ['1', '2'] }, { 'x-a': '1, 2' }],
    ['keep one Set-Cookie as text', { 'set-cookie': 'a=1' }, { 'set-cookie': 'a=1' }],
    [
      'keep several Set-Cookie as a list, without those of the gateway',
      { 'set-cookie': ['a=1', ' service_ticket_r=x; Path=/', 'b=2'] },
      { 'set-cookie': ['a=1', 'b=2'] },
    ],
    [
      'keep the Set-Cookie that is left as text',
      { 'set-cookie': ['a=1', 'service_ticket_r=x'] },
      { 'set-cookie': 'a=1' },
    ],
    ['drop the cookies of the gateway', { 'set-cookie': 'service_csrf_r=x' }, {}],
    ...['=service_ticket_r=x', ' = service_ticket_r=x', '==__Host-service_login_1=x; Path=/'].map(
      (cookie) => [`drop "${cookie}", which has no name`, { 'set-cookie': cookie }, {}] as const,
    ),
    ['keep others without a name', { 'set-cookie': '=a=b' }, { 'set-cookie': '=a=b' }],
    [
      'hold no framing or hop-by-hop field',
      {
        'content-length': '5',
        'transfer-encoding': 'chunked',
        connection: ['close', 'X-A'],
        'x-a': '1',
        'keep-alive': 'x',
        trailer: 'x',
        upgrade: 'x',
        'x-b': '2',
      },
      { 'x-b': '2' },
    ],
    [
      'keep content-encoding and etag',
      { 'content-encoding': 'gzip', etag: '"1"' },
      { 'content-encoding': 'gzip', etag: '"1"' },
    ],
    ['hold names like those of objects', { constructor: 'x' }, { constructor: 'x' }],
  ] as const) {
    it(title, () => {
      expect(answerHeaders(received as never)).to.deep.equal(expected)
    })
  }
})
