/** 103 (Early Hints) of an upstream on its way to a client. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { sendEarlyHints } from '#http/early-hints.ts'
import type { HttpExchange } from '#http/read-request.ts'
import { Http1 } from '#http/transport/http1.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { closeUpstreams, rawUpstream } from './upstreams.ts'

const css = '</a.css>; rel=preload; as=style'
const js = '</b.js>; rel=preload'

const hints = (...fields: string[]): string =>
  `HTTP/1.1 103 Early Hints\r\n${fields.map((field) => `${field}\r\n`).join('')}\r\n`
const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
const head = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n'
const missing = 'HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno'
const busy = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 2\r\n\r\nno'
const hinted = `${hints(`Link: ${css}`)}${ok}`

/** What is asked: method, path, version, further fields and a body. */
interface Ask {
  readonly method?: string
  readonly path?: string
  readonly version?: string
  readonly fields?: readonly string[]
  readonly body?: string
}

/** A request, what the upstream answers, the heads that the client gets, and how many requests the upstream gets. */
const rows: readonly (readonly [
  what: string,
  ask: Ask,
  answer: string,
  heads: readonly string[],
  requests?: number,
])[] = [
  ['one', {}, hinted, [css, '200']],
  ['one of HEAD', { method: 'HEAD' }, `${hints(`Link: ${css}`)}${head}`, [css, '200']],
  ['one of POST', { method: 'POST', body: 'x' }, hinted, [css, '200']],
  ['one before an error', {}, `${hints(`Link: ${css}`)}${missing}`, [css, '404']],
  [
    'several',
    {},
    `${hints(`Link: ${css}`)}${hints(`Link: ${js}`)}${hints(`Link: ${css}`)}${ok}`,
    [css, js, css, '200'],
  ],
  ['two links', {}, `${hints(`Link: ${css}, ${js}`)}${ok}`, [`${css}, ${js}`, '200']],
  ['two fields', {}, `${hints(`Link: ${css}`, `Link: ${js}`)}${ok}`, [`${css}, ${js}`, '200']],
  ['one among other 1xx', {}, `HTTP/1.1 100 C\r\n\r\n${hinted}`, [css, '200']],
  ['one whose answer a header of the document reads', { path: '/read' }, hinted, [css, '200']],
  [
    'Link alone',
    {},
    `${hints('Set-Cookie: a=b', `Link: ${css}`, 'X-Secret: c', 'Content-Length: 9')}${ok}`,
    [css, '200'],
  ],
  // not passed on
  ['none without Link', {}, `${hints('X-A: b')}${ok}`, ['200']],
  ['none that is malformed', {}, `${hints('Link: a.css; rel=preload')}${ok}`, ['200']],
  ['none beyond ASCII', {}, `${hints('Link: </\xe9.css>')}${ok}`, ['200']],
  ['the good ones of several', {}, `${hints('Link: a')}${hints(`Link: ${js}`)}${ok}`, [js, '200']],
  ['none to HTTP/1.0', { version: '1.0' }, hinted, ['200']],
  ['none of 102', {}, `HTTP/1.1 102 P\r\nLink: ${css}\r\n\r\n${ok}`, ['200']],
  ['none to a proxy', { fields: ['X-Forwarded-For: 192.0.2.1'] }, hinted, ['200']],
  ['none to a proxy that names itself', { fields: ['Via: 1.1 proxy'] }, hinted, ['200']],
  ['none of a computed answer', { path: '/computed' }, hinted, ['200']],
  ['none of a list', { path: '/list' }, hinted, ['200'], 2],
  ['none of a cached answer', { path: '/cached' }, hinted, ['200']],
  [
    'none of an answer that is kept',
    { path: '/once', method: 'POST', body: 'x', fields: ['Idempotency-Key: "a"'] },
    hinted,
    ['200'],
  ],
  // retries
  ['one without a retry', { path: '/again' }, `${hints(`Link: ${css}`)}${busy}`, [css, '503'], 1],
  ['none with retries', { path: '/again' }, `${hints('Link: a')}${busy}`, ['503'], 3],
  [
    'none to HTTP/1.0, with retries',
    { path: '/again', version: '1.0' },
    `${hints(`Link: ${css}`)}${busy}`,
    ['503'],
    3,
  ],
]

describe('103 (Early Hints) of an upstream', () => {
  let gateway: TestGateway
  let answer = ''
  let requests = 0

  before(async () => {
    const host = await rawUpstream((socket) => {
      socket.on('data', () => {
        requests += 1
        socket.write(answer, 'latin1')
      })
    })
    gateway = await startGateway({}, { isEmbedded: true })
    const forward = { type: 'forward', host: `http://${host}` }
    const passed = { on_result: {}, on_error: {} }
    const plain = { action: forward, response: passed }
    const { status, body } = await gateway.load({
      ...{ id: 'com.example.hints', host: '_', realm_uri: 'com.example.test' },
      versions: {
        1: {
          base_path: '/v1',
          paths: {
            '/plain': { get: plain, post: plain },
            '/read': {
              get: {
                ...{ action: forward },
                response: {
                  on_result: { headers: { 'x-body': '{{action.result.body}}' } },
                  on_error: {},
                },
              },
            },
            '/computed': {
              get: { action: forward, response: { ...passed, on_result: { body: 'mine' } } },
            },
            '/list': { get: { action: [forward, forward], response: passed } },
            '/cached': { get: { ...plain, cache: { ttl: 60 } } },
            '/once': { post: { ...plain, idempotency: { ttl: 60 } } },
            '/again': {
              get: { action: { ...forward, retries: 2, retry_timeout: 5000 }, response: passed },
            },
          },
        },
      },
    })
    expect(status, JSON.stringify(body)).to.equal(201)
  })
  beforeEach(() => {
    requests = 0
  })
  after(async () => {
    await gateway?.stop()
    closeUpstreams()
  })

  /** The bytes of all answers to a request on a connection of its own. */
  const ask = async ({
    method = 'GET',
    path = '/plain',
    version = '1.1',
    fields = [],
    body = '',
  }: Ask): Promise<string> => {
    const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1')
    const all = ['Host: a.example', 'Connection: close', ...fields]
    if (body) all.push(`Content-Length: ${body.length}`)
    socket.write(`${method} /v1${path} HTTP/${version}\r\n${all.join('\r\n')}\r\n\r\n${body}`)
    return await text(socket)
  }

  for (const [what, request, given, expected, count = 1] of rows) {
    it(`${what}: ${expected.at(-1)}, ${expected.length - 1} before it, ${count} sent`, async () => {
      answer = given
      const bytes = await ask(request)
      const heads = bytes.split('\r\n\r\n').filter((part) => part.startsWith('HTTP/1.1 '))
      const hint = 'HTTP/1.1 103 Early Hints\r\nLink: '
      const told = heads.map((one) =>
        one.startsWith(hint) ? one.slice(hint.length) : one.split(' ')[1],
      )
      expect(told).to.deep.equal(expected)
      expect(requests).to.equal(count)
    })
  }
})

describe('sendEarlyHints', () => {
  for (const [what, begin, changes] of [
    ['before the answer', false, {}],
    ['behind the head of the answer', true, {}],
    ['behind an answer that waits to be written', false, { isAnswered: true }],
  ] as const) {
    it(`sends ${!begin && !('isAnswered' in changes) ? 'a hint' : 'nothing'} ${what}`, async () => {
      let wasSent = false
      const server = createServer((request, response) => {
        if (begin) response.writeHead(200).flushHeaders()
        const transport = new Http1(request, response)
        const told = { headers: {}, isAnswered: false, transport, ...changes }
        wasSent = sendEarlyHints(told as unknown as HttpExchange, [css])
        response.end('ok')
      }).listen(0, '127.0.0.1')
      await once(server, 'listening')
      const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
      socket.write('GET / HTTP/1.1\r\nHost: a.example\r\nConnection: close\r\n\r\n')
      const bytes = await text(socket)
      server.close()
      const isExpected = what === 'before the answer'
      expect([wasSent, bytes.includes('103')]).to.deep.equal([isExpected, isExpected])
      expect(bytes).to.include('HTTP/1.1 200 OK')
    })
  }
})
