/** Tools whose operations have policies, or forward: what holds by the path holds for the tool, and its answer is read whole. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'
import { fixed } from '#test/unit/gateway/fake-exchange.ts'
import { type Answer, askOf, callOf, failureIn, tool } from '#test/unit/gateway/tools/fixture.ts'

const withId = {
  input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
}

const forward = (host: string, more: object = {}) => ({
  action: { type: 'forward', host, ...more },
  response: { on_result: {}, on_error: {} },
})

const documentFor = (host: string) => ({
  ...{ id: 'com.example.tools', host: '_', realm_uri: 'com.example.test' },
  versions: {
    '1': {
      base_path: '/v1',
      mcp: { path: '/mcp', max_result_bytes: 2_000 },
      paths: {
        '/tagged': { etag: true, get: tool('tagged', {}, fixed({ a: 1 })) },
        '/kept': { cache: { ttl: 60_000 }, get: tool('kept', {}, forward(host)) },
        '/once/:id': { idempotency: {}, post: tool('once', withId, forward(host)) },
        '/rare': {
          rate_limit: { amount: 1, window: 60_000 },
          get: tool('rare', {}, fixed({ a: 1 })),
        },
        '/passed/:id': {
          get: tool('get_passed', {}, forward(host)),
          post: tool('post_passed', withId, forward(host)),
        },
        '/binary': { get: tool('binary', {}, forward(host)) },
        '/long': { get: tool('long', {}, forward(host)) },
        '/failing': { get: tool('failing', {}, forward(host)) },
      },
    },
  },
})

describe('A tool', () => {
  let upstream: Server
  let gateway: TestGateway
  let asked = 0

  before(async () => {
    upstream = createServer((request, response) => {
      asked += 1
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        const { url, method, headers } = request
        const type = headers['content-type']
        if (url === '/v1/binary') response.end(Buffer.from([255, 254]))
        else if (url === '/v1/long') response.end('x'.repeat(2_001))
        else if (url === '/v1/failing') response.writeHead(418).end('a teapot')
        else {
          response.setHeader('content-type', 'application/json')
          response.end(JSON.stringify({ asked, method, url, type, body }))
        }
      })
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => upstream.once('listening', resolve))
    const host = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
    gateway = await startGateway({}, { isEmbedded: true })
    await gateway.mustLoad(documentFor(host))
  })
  after(async () => {
    await gateway.stop()
    upstream.close()
  })

  async function run(
    name: string,
    args: object = {},
    more: object = {},
  ): Promise<{ json: Answer }> {
    const ask = askOf(callOf(name, args), { 'content-type': 'application/json', ...more })
    const { headers = {}, body } = ask
    const answer = await send(gateway.url, '/v1/mcp', { method: 'POST', headers, body })
    expect(answer.status).to.equal(200)
    return { json: answer.json() as Answer }
  }
  const answerOf = async (...call: Parameters<typeof run>) =>
    (await run(...call)).json.result?.structuredContent

  it('is answered whole under etag, whatever conditions the message has', async () => {
    expect(await answerOf('tagged', {}, { 'if-none-match': '*' })).to.deep.equal({ a: 1 })
  })

  it('has the answer that is kept for its path', async () => {
    const first = await answerOf('kept')
    expect(await answerOf('kept')).to.deep.equal(first)
    expect((await send(gateway.url, '/v1/kept')).json()).to.deep.equal(first)
    expect(failureIn(await run('kept', { other: 1 })).code).to.equal(
      'service.error.validation_failed',
    )
  })

  it('is performed once under an Idempotency-Key of the message', async () => {
    const key = { 'idempotency-key': '"k1"' }
    const first = await answerOf('once', { id: 'a', more: 1 }, key)
    expect(first?.body).to.equal('{"more":1}')
    expect(await answerOf('once', { id: 'a', more: 1 }, key)).to.deep.equal(first)
    expect(failureIn(await run('once', { id: 'a', more: 2 }, key)).status).to.equal(422)
  })

  it('is limited with its path', async () => {
    expect((await send(gateway.url, '/v1/rare')).status).to.equal(200)
    expect(failureIn(await run('rare'))).to.deep.include({
      status: 429,
      code: 'service.error.too_many_requests',
    })
  })

  it('forwards to the path of its operation, with a binding as one segment', async () => {
    expect(await answerOf('get_passed', { id: '../../admin' })).to.deep.include({
      method: 'GET',
      url: '/v1/passed/..%2F..%2Fadmin',
    })
  })

  it('forwards its arguments as a body of JSON', async () => {
    expect(await answerOf('post_passed', { id: 'a', n: 1 })).to.deep.include({
      method: 'POST',
      url: '/v1/passed/a',
      type: 'application/json',
      body: '{"n":1}',
    })
  })

  it('fails where the upstream answers what is not for tools, too much, or an error', async () => {
    expect(failureIn(await run('binary')).code).to.equal('service.error.not_acceptable')
    expect(failureIn(await run('long')).code).to.equal('service.error.payload_too_large')
    expect(failureIn(await run('failing'))).to.deep.equal({ status: 418, body: 'a teapot' })
  })
})
