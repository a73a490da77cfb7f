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
    expect(urlsOf(configOf({}), at)).to.deep.equal({
      gatewayUrls: ['http://127.0.0.1:1'],
      adminUrls: ['http://127.0.0.1:2'],
      healthUrls: ['http://[::1]:3'],
      routerUrl: 'ws://127.0.0.1:1/ws',
    })
  })

  it('hide the password of another router, because they are logged and printed', () => {
    const config = configOf({ wamp: { url: 'ws://joe:secret@router.example/ws' } })
    const { routerUrl } = urlsOf(config, { gateway: [], admin: [], health: [], router: [] })
    expect(routerUrl).to.equal('ws://joe:masked@router.example/ws')
  })
})
