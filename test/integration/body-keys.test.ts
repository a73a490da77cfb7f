/** Bodies with maps of many keys: 10,000, unless the document says otherwise. */
import { encode } from '@msgpack/msgpack'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

const post = {
  action: { type: 'static', body: 'read {{request.body_length}}' },
  request: { body: { type: ['object', 'array', 'string'] } },
  response: { on_result: {}, on_error: {} },
}

const document = {
  ...{ id: 'keys', host: '_', realm_uri: 'com.example.test' },
  versions: {
    one: {
      base_path: '/v1',
      mcp: { path: '/mcp' },
      paths: {
        '/usual': {
          post: { ...post, tool: { name: 'keep', description: 'Keeps what it is given.' } },
        },
        '/many': { body_max_keys: 30_000, post },
        '/few': {
          body_max_keys: 30_000,
          post: { ...post, body_max_keys: 3 },
        },
      },
    },
    two: {
      base_path: '/v2',
      mcp: { path: '/mcp' },
      defaults: { body_max_keys: 12_000 },
      paths: {
        '/usual': {
          post: { ...post, tool: { name: 'keep', description: 'Keeps what it is given.' } },
        },
      },
    },
  },
}

const mapOf = (keys: number, mark = '') =>
  Object.fromEntries(Array.from({ length: keys }, (_, index) => [`key${mark}-${index}`, 1]))
const mapsOf = (...keys: number[]) => keys.map((count, index) => mapOf(count, String(index)))

const types = { 'application/json': JSON.stringify, 'application/msgpack': encode } as const

const cases: readonly (readonly [
  title: string,
  path: string,
  body: unknown,
  status: number,
  method?: string,
])[] = [
  ['10,000 keys where nothing is said', '/v1/usual', mapOf(10_000), 200],
  ['10,001 keys where nothing is said', '/v1/usual', mapOf(10_001), 413],
  ['30,000 keys where the path allows them', '/v1/many', mapOf(30_000), 200],
  ['30,001 keys where the path allows 30,000', '/v1/many', mapOf(30_001), 413],
  ['60,000 different keys, twice what the path allows', '/v1/many', mapsOf(30_000, 30_000), 200],
  ['60,001 different keys', '/v1/many', mapsOf(30_000, 30_000, 1), 413],
  ['4 keys where the operation allows 3', '/v1/few', { in: mapOf(4) }, 413],
  ['3 keys where the operation allows 3', '/v1/few', [mapOf(3)], 200],
  ['12,000 keys where the defaults of the version allow them', '/v2/usual', mapOf(12_000), 200],
  ['12,001 keys where the defaults of the version allow 12,000', '/v2/usual', mapOf(12_001), 413],
]

describe('a body with a map of many keys', () => {
  let gateway: TestGateway

  before(async () => {
    gateway = await startGateway({}, { isEmbedded: true })
    await gateway.mustLoad(document)
  })
  after(() => gateway.stop())

  for (const [type, write] of Object.entries(types)) {
    for (const [title, path, body, status] of cases) {
      it(`is ${status}: ${title}, as ${type}`, async () => {
        const answer = await fetch(gateway.url + path, {
          method: 'POST',
          headers: { 'content-type': type },
          body: Buffer.from(write(body) as string),
        })
        expect(answer.status, await answer.text()).to.equal(status)
      })
    }
  }

  it('is what the version says in a call of a tool', async () => {
    const call = async (version: string, keys: number) => {
      const answer = await fetch(`${gateway.url}/${version}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body: JSON.stringify({
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
          params: { name: 'keep', arguments: { body: mapOf(keys) } },
        }),
      })
      await answer.arrayBuffer()
      return answer.status
    }
    expect(await call('v1', 10_000)).to.equal(200)
    expect(await call('v1', 10_001)).to.equal(413)
    expect(await call('v2', 10_001)).to.equal(200)
    expect(await call('v2', 12_001)).to.equal(413)
  })
})
