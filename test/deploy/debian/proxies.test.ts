/** nginx and Caddy as deploy/ configures them, in front of a gateway: requests, WAMP sessions at `/ws`, and no management. */
import { once } from 'node:events'
import { request } from 'node:https'
import { text } from 'node:stream/consumers'
import { expect } from 'chai'
import { hello } from '#test/support/examples/hello.ts'
import { type GatewayProcess, startGatewayProcess } from '#test/support/gateway-process.ts'
import { type RunningProxy, startProxy } from './proxy.ts'

/** Answers with what the gateway knows of its client. */
const document = {
  id: 'com.example.client',
  host: '_',
  realm_uri: 'com.example.test',
  versions: {
    1: {
      base_path: '/client',
      paths: {
        '/seen': {
          get: {
            action: {
              type: 'static',
              body: {
                peer: '{{request.peername}}',
                scheme: '{{request.scheme}}',
                host: '{{request.host}}',
              },
            },
            response: {},
          },
        },
      },
    },
  },
}

/** What clients may send to be taken for others. */
const forged = {
  'x-forwarded-for': '203.0.113.9',
  'x-forwarded-proto': 'http',
  'x-forwarded-host': 'other.example',
  'x-real-ip': '203.0.113.9',
  forwarded: 'for=203.0.113.9;host=other.example;proto=http',
}

for (const name of ['nginx', 'Caddy'] as const) {
  describe(`${name} in front of a gateway`, () => {
    let gateway: GatewayProcess
    let proxy: RunningProxy

    /** GETs a path through the proxy. */
    const ask = async (path: string, headers = {}) => {
      const outgoing = request({
        host: 'localhost',
        family: 4,
        port: proxy.port,
        path,
        headers,
        ca: proxy.ca,
        agent: false,
      })
      outgoing.end()
      const [incoming] = await once(outgoing, 'response')
      return { status: incoming.statusCode as number, body: await text(incoming) }
    }

    before(async () => {
      gateway = await startGatewayProcess({ 'gateway.trusted_proxies': '[127.0.0.1]' })
      await gateway.post('/api_specs', document)
      proxy = await startProxy(name, gateway.url)
    })
    after(async () => {
      await proxy?.stop()
      await gateway?.kill()
    })

    it('accepts the configuration', async () => {
      const { code, stderr } = await proxy.check()
      expect(code, stderr).to.equal(0)
    })

    it('tells the gateway of its client, whatever the client says', async () => {
      const { status, body } = await ask('/client/seen', forged)
      expect(status).to.equal(200)
      const { peer, ...rest } = JSON.parse(body)
      expect(rest).to.deep.equal({ scheme: 'https', host: 'localhost' })
      expect(peer).to.match(/^127\.0\.0\.1:/)
    })

    it('passes WAMP sessions at /ws', async () => {
      const [code] = await hello(`wss://localhost:${proxy.port}/ws`, 'com.example.test', {
        ca: proxy.ca,
      })
      expect(code).to.equal(2)
    })

    it('reaches no management, health or metrics', async () => {
      for (const path of ['/api_specs', '/realms', '/ready', '/metrics']) {
        expect((await ask(path)).status, path).to.equal(404)
      }
    })
  })
}
