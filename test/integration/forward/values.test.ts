/** What an upstream gets of values in the path and query of a forward, over HTTP from end to end. */
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

describe('values in the path and query of a forward', () => {
  let upstream: Server
  let gateway: TestGateway
  const seen: (string | undefined)[] = []

  before(async () => {
    upstream = createServer(({ url }, response) => {
      seen.push(url)
      response.end(url)
    }).listen(0, '127.0.0.1')
    await once(upstream, 'listening')
    const host = `127.0.0.1:${(upstream.address() as AddressInfo).port}`
    const forward = (fields: object) => ({
      get: { action: { type: 'forward', host, ...fields }, response: {} },
    })
    const keeping = (path: object) => ({ escaped_slashes: 'keep', ...path })
    gateway = await startGateway({}, { isEmbedded: true })
    const { status } = await gateway.load({
      id: 'com.example.values',
      host: '_',
      realm_uri: 'com.example.test',
      versions: {
        one: {
          base_path: '/v1',
          paths: {
            '/files/:name': forward({ path: '/public/{{request.bindings.name}}/info' }),
            '/search': forward({
              path: '/find',
              query_string: 'q={{request.query_params.q}}&user=guest',
            }),
            '/raw': forward({ path: '/{{request.query_params.at |> url:raw}}', query_string: '' }),
            '/same/[...]': forward({}),
            '/projects/:id': keeping(forward({ path: '/api/{{request.bindings.id}}' })),
            '/p/{id}.git/[x]': keeping(forward({})),
            '/tree/[...]': keeping(forward({ path: '/t/{{request.bindings.rest}}' })),
            '/by/:a/:b': keeping(
              forward({ path: '/q', query_string: 'a={{request.bindings.a}}&b={{request.path}}' }),
            ),
            '/cut/[...]': keeping(forward({ strip_prefix: '/v1/cut' })),
          },
        },
        two: {
          base_path: '/v2',
          defaults: { escaped_slashes: 'keep', final_slash: 'drop' },
          paths: {
            '/whole/[...]': forward({}),
            '/cut/[...]': forward({ strip_prefix: '/v2/cut' }),
            '/path/[...]': forward({ path: '{{request.path}}' }),
            '/rest/[...]': forward({ path: '/r/{{request.bindings.rest}}' }),
            '/own/[...]': { final_slash: 'keep', ...forward({}) },
            '/refuse/[...]': { escaped_slashes: 'refuse', ...forward({}) },
          },
        },
      },
    })
    expect(status).to.equal(201)
  })
  after(async () => {
    await gateway.stop()
    upstream.close()
  })

  for (const [target, url] of [
    ['/v1/files/report', '/public/report/info'],
    ['/v1/files/a%20b', '/public/a%20b/info'],
    ['/v1/files/a%3Fb%23c', '/public/a%3Fb%23c/info'],
    ['/v1/search?q=news', '/find?q=news&user=guest'],
    ['/v1/search?q=1%26user%3Dadmin', '/find?q=1%26user%3Dadmin&user=guest'],
    ['/v1/search?q=a%2Fb%0Ac', '/find?q=a%2Fb%0Ac&user=guest'],
    ['/v1/raw?at=2026/may%20report', '/2026/may%20report'],
    ['/v1/same/a%20b/c;d=e?x=%2F&y', '/v1/same/a%20b/c;d=e?x=%2F&y'],
    ['/v1/projects/group%2Fproject', '/api/group%2Fproject'],
    ['/v1/projects/group%2fproject', '/api/group%2Fproject'],
    ['/v1/projects/a%2Fb%2Fc%20d.e', '/api/a%2Fb%2Fc%20d.e'],
    ['/v1/projects/plain', '/api/plain'],
    ['/v1/p/group%2fproject.git', '/v1/p/group%2fproject.git'],
    ['/v1/p/group%2fproject.git/x/', '/v1/p/group%2fproject.git/x/'],
    ['/v1/tree/a%2Fb/c%2fd/', '/t/a%2Fb/c%2fd/'],
    ['/v1/tree/a%2Fb', '/t/a%2Fb'],
    ['/v1/tree/a%20b/c', '/t/a%20b/c'],
    ['/v1/by/a%2Fb/c', '/q?a=a%2Fb&b=/v1/by/a%2Fb/c'],
    ['/v1/cut/a%2Fb/', '/a%2Fb/'],
    ['/v2/whole/a/', '/v2/whole/a'],
    ['/v2/cut/a/', '/a'],
    ['/v2/cut/', '/'],
    ['/v2/path/a%2Fb/', '/v2/path/a%2Fb'],
    ['/v2/rest/a/', '/r/a'],
    ['/v2/own/a/', '/v2/own/a/'],
  ] as const) {
    it(`${target} arrives as ${url}`, async () => {
      const { status, text } = await send(gateway.url, target)
      expect([status, text]).to.deep.equal([200, url])
    })
  }

  for (const target of [
    '/v1/files/..%252f..%252fadmin',
    '/v1/files/%252e%252e',
    '/v1/files/a%255Cb',
    '/v1/files/a%2500',
    '/v1/files/a%250d%250ab',
    '/v1/files/%25252f',
    '/v1/files/a%2Fb',
    '/v1/same/a%2Fb',
    '/v2/refuse/a%2Fb',
    '/v3/a%2Fb',
    '/v1/projects/a%5Cb',
    '/v1/projects/a%2Fb%5Cc',
    '/v1/projects/a%00%2Fb',
    '/v1/projects/a%2F',
    '/v1/projects/%2Fa',
    '/v1/projects/a%2F%2Fb',
    '/v1/projects/a%2F..',
    '/v1/projects/..%2Fa',
    '/v1/projects/a%2F%2E%2e%2Fb',
    '/v1/projects/a%2F.;x%2Fb',
    '/v1/projects/a%2F%252e%252e',
    '/v1/projects/a%252Fb',
    '/v1/projects/a%2Fb%252Fc',
    '/v1/projects/a%2Fb%255C',
    '/v1/projects/a%25252Fb',
    '/v1/raw?at=../admin',
    '/v1/raw?at=a/%252e%252e/admin',
    '/v1/raw?at=a%252f..',
    '/v1/raw?at=a%0D%0Ab',
    '/v1/same/%252e%252e/admin',
  ]) {
    it(`${target} is 400 and does not arrive`, async () => {
      const before = seen.length
      const { status, text } = await send(gateway.url, target)
      expect([status, JSON.parse(text).code]).to.deep.equal([400, 'service.error.bad_request'])
      expect(seen).to.have.length(before)
    })
  }
})
