/** 204, 205 and 304 have no content, whatever makes them; the next request of the connection is answered. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { RawClient } from '#test/integration/http/fixture.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

const statuses = [204, 205, 304] as const

const answered = (action: object, on_result: object) => ({
  get: { action, response: { on_result } },
})

describe('a status without content', () => {
  let gateway: TestGateway
  let client: RawClient
  const upstream = createServer(({ url }, response) => {
    // node:http would leave the content of a 204 or 304 out: it is given with another status
    const status = Number(/\d+/.exec(url ?? '')?.[0])
    response.writeHead(status, { 'content-type': 'text/plain', 'x-up': '1' })
    response.end('content of the upstream')
  })

  before(async () => {
    upstream.listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`
    const fixed = { type: 'static', body: 'content' }
    const paths = Object.fromEntries(
      statuses.flatMap((status_code) => [
        [
          `/text/${status_code}`,
          answered(fixed, { status_code, headers: { 'Content-Type': 'text/plain' } }),
        ],
        [`/json/${status_code}`, answered({ type: 'static', body: { a: 1 } }, { status_code })],
        [
          `/computed/${status_code}`,
          answered(fixed, { status_code: `{{request.query_params.s |> integer}}` }),
        ],
        [
          `/own/${status_code}`,
          answered({ type: 'forward', host, path: '/x/200' }, { status_code, body: 'own' }),
        ],
        [
          `/stream/${status_code}`,
          answered({ type: 'forward', host, path: '/x/200' }, { status_code }),
        ],
        [
          `/passed/${status_code}`,
          answered({ type: 'forward', host, path: `/x/${status_code}` }, {}),
        ],
      ]),
    )
    gateway = await startGateway({}, { isEmbedded: true })
    const { status, body } = await gateway.load({
      id: 'com.example.empty',
      host: '_',
      realm_uri: 'com.example.realm',
      versions: { '1': { base_path: '/', paths: { ...paths, '/next': answered(fixed, {}) } } },
    })
    expect(status, JSON.stringify(body)).to.equal(201)
    client = new RawClient(Number(new URL(gateway.url).port))
  })
  after(async () => {
    client?.close()
    await gateway?.stop()
    upstream.close()
  })

  for (const status of statuses) {
    for (const kind of ['text', 'json', 'computed', 'own', 'stream', 'passed']) {
      for (const method of ['GET', 'HEAD']) {
        it(`is ${status} to ${method}: ${kind}`, async () => {
          const target = `/${kind}/${status}?s=${status}`
          const next = 'GET /next HTTP/1.1\r\nHost: a\r\n\r\n'
          client.send(`${method} ${target} HTTP/1.1\r\nHost: a\r\n\r\n${next}`)
          const answer = await client.read(false)
          expect(answer.status).to.equal(status)
          expect(answer.headers['transfer-encoding']).to.equal(undefined)
          // RFC 9110 §8.6, §15.3.6
          expect(answer.headers['content-length']).to.equal(status === 205 ? '0' : undefined)
          // content would stand before it
          const { status: after, body } = await client.read()
          expect([after, body]).to.deep.equal([200, '"content"'])
        })
      }
    }
  }
})
