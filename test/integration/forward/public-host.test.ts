/** What upstreams, authentication services and documents are told of the Host of a request behind a trusted proxy. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

const inside = 'gateway.internal:18080'

describe('the Host of a request behind a trusted proxy', () => {
  let peer: Server
  let told: Record<string, IncomingHttpHeaders>
  const gateways: Record<string, TestGateway> = {}

  const documentOf = (base: string) => ({
    ...{ id: 'hosts', host: '_', realm_uri: 'com.example.test' },
    versions: {
      one: {
        base_path: '/v1',
        paths: {
          '/told': {
            security: {
              ...{ type: 'forward_auth', url: `${base}/auth` },
              response_headers: { authid: 'X-Auth-User' },
            },
            get: {
              action: [
                { type: 'forward', host: base, path: '/upstream' },
                { type: 'forward', host: base, path: '/declared', headers: { 'x-a': 'b' } },
              ],
              response: {
                on_result: {
                  body: ['{{request.host}}', '{{request.port}}', '{{request.headers.host}}'],
                },
              },
            },
          },
        },
      },
    },
  })

  before(async () => {
    peer = createServer((request, response) => {
      told[request.url ?? ''] = request.headers
      response.writeHead(200, { 'x-auth-user': 'eve' }).end()
    })
    await once(peer.listen(0, '127.0.0.1'), 'listening')
    const base = `http://127.0.0.1:${(peer.address() as AddressInfo).port}`
    for (const [name, settings] of [
      ['trusting', { 'gateway.trusted_proxies': '["127.0.0.1"]' }],
      [
        'by Forwarded',
        { 'gateway.trusted_proxies': '["127.0.0.1"]', 'gateway.forwarded_header': 'forwarded' },
      ],
      ['trusting nobody', {}],
    ] as const) {
      const gateway = await startGateway(settings)
      expect((await gateway.load(documentOf(base))).status).to.equal(201)
      gateways[name] = gateway
    }
  })
  after(async () => {
    await Promise.all(Object.values(gateways).map((gateway) => gateway.stop()))
    peer.closeAllConnections()
    peer.close()
  })
  beforeEach(() => {
    told = {}
  })

  for (const [name, fields, host, port] of [
    ['trusting', { 'x-forwarded-host': 'shop.example' }, 'shop.example', '80'],
    ['trusting', { 'x-forwarded-host': 'Shop.Example' }, 'shop.example', '80'],
    ['trusting', { 'x-forwarded-host': 'shop.example:8443' }, 'shop.example:8443', '8443'],
    ['trusting', { 'x-forwarded-host': '[2001:db8::1]:81' }, '[2001:db8::1]:81', '81'],
    ['trusting', { 'x-forwarded-host': 'evil.example, shop.example' }, 'shop.example', '80'],
    [
      'trusting',
      { 'x-forwarded-host': 'shop.example', 'x-forwarded-proto': 'https' },
      'shop.example',
      '443',
    ],
    ['trusting', { 'x-forwarded-for': '6.6.6.6' }, inside, '18080'],
    ['trusting', { 'x-forwarded-host': 'a@b' }, inside, '18080'],
    ['trusting', { forwarded: 'for=6.6.6.6;host=shop.example' }, inside, '18080'],
    ['by Forwarded', { forwarded: 'for=6.6.6.6;host=shop.example' }, 'shop.example', '80'],
    ['by Forwarded', { forwarded: 'host="shop.example:81"' }, 'shop.example:81', '81'],
    ['by Forwarded', { 'x-forwarded-host': 'shop.example' }, inside, '18080'],
    ['trusting nobody', { 'x-forwarded-host': 'shop.example' }, inside, '18080'],
    ['trusting nobody', {}, inside, '18080'],
  ] as const) {
    it(`a gateway ${name} that gets ${JSON.stringify(fields)} tells all ${host}`, async () => {
      const { url } = gateways[name] as TestGateway
      const answer = await send(url, '/v1/told', { headers: { host: inside, ...fields } })
      expect(answer.status).to.equal(200)
      expect(answer.json()).to.deep.equal([host.replace(/:\d+$/, ''), port, host])
      const hosts = ['/auth', '/upstream', '/declared'].map((path) => [
        told[path]?.['x-forwarded-host'],
        told[path]?.forwarded,
      ])
      expect(hosts).to.deep.equal(Array(3).fill([host, undefined]))
    })
  }
})
