/** The addresses of a started gateway. */
import { expect } from 'chai'
import { configOf } from '#component/config/config.ts'
import { urlsOf } from '#component/config/urls.ts'

const address = (host: string, port: number) => [{ host, port }]

describe('the URLs of a gateway', () => {
  it('are those of its listeners, by loopback where one is on every address', () => {
    const at = {
      gateway: address('0.0.0.0', 1),
      admin: address('127.0.0.1', 2),
      health: address('::1', 3),
      router: [],
    }
    expect(urlsOf(configOf({}), at, false)).to.deep.equal({
      gatewayUrls: ['http://127.0.0.1:1'],
      adminUrls: ['http://127.0.0.1:2'],
      healthUrls: ['http://[::1]:3'],
      routerUrl: 'ws://127.0.0.1:1/ws',
    })
  })

  it('are https and wss where the gateway listener speaks TLS', () => {
    const at = { gateway: address('::', 1), admin: address('127.0.0.1', 2), health: [], router: [] }
    expect(urlsOf(configOf({}), at, true)).to.deep.equal({
      gatewayUrls: ['https://127.0.0.1:1'],
      adminUrls: ['http://127.0.0.1:2'],
      healthUrls: [],
      routerUrl: 'wss://127.0.0.1:1/ws',
    })
  })

  it('hide who joins another router, because they are logged and printed', () => {
    const url = ['ws://joe:secret@router.example/ws?ticket=secret', 'wss://other.example/ws']
    const config = configOf({ wamp: { url } })
    const at = { gateway: [], admin: [], health: [], router: [] }
    const { routerUrl } = urlsOf(config, at, false)
    expect(routerUrl).to.equal('ws://router.example/ws, wss://other.example/ws')
  })
})
