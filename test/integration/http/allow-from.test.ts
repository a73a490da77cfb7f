/** `allow_from` of a running gateway: the client is the peer of the socket, or whom a trusted proxy reports. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { send } from '#test/support/http-request.ts'

const get = { action: { type: 'static', body: 'in' }, response: {} }
const document = {
  ...{ id: 'networks', host: '_', realm_uri: 'com.example.test' },
  versions: {
    one: {
      base_path: '/v1',
      paths: {
        '/local': { allow_from: ['127.0.0.0/8'], get },
        '/office': { allow_from: ['203.0.113.0/24', '2001:db8::/32'], get },
      },
    },
  },
}

describe('allow_from of a running gateway', () => {
  let gateway: TestGateway
  afterEach(() => gateway.stop())

  const start = async (settings: Readonly<Record<string, string>> = {}) => {
    gateway = await startGateway(settings, { isEmbedded: true })
    await gateway.mustLoad(document)
  }
  const ask = async (path: string, forwardedFor?: string) => {
    const headers: Record<string, string> =
      forwardedFor === undefined ? {} : { 'x-forwarded-for': forwardedFor }
    return (await send(gateway.url, `/v1${path}`, { headers })).status
  }

  it('goes by the peer of the socket: a client cannot say where it is', async () => {
    await start()
    expect(await ask('/local')).to.equal(200)
    expect(await ask('/office')).to.equal(403)
    expect(await ask('/office', '203.0.113.5')).to.equal(403)
    expect(await ask('/local', '203.0.113.5')).to.equal(200)
  })

  it('goes by the client that a trusted proxy reports', async () => {
    await start({ 'gateway.trusted_proxies': '["127.0.0.1"]' })
    expect(await ask('/office', '203.0.113.5')).to.equal(200)
    expect(await ask('/office', '2001:db8::7')).to.equal(200)
    expect(await ask('/office', '203.0.113.5, 198.51.100.1')).to.equal(403)
    expect(await ask('/local', '203.0.113.5')).to.equal(403)
  })
})
