/** `router.listen`: the embedded router on a port of its own, at `/ws` and `/`. */
import autobahn from 'autobahn'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

const join = (url: string, realm: string): Promise<string> =>
  new Promise((resolve) => {
    const connection = new autobahn.Connection({ url, realm, max_retries: 0 })
    connection.onopen = () => {
      connection.close()
      resolve('joined')
    }
    connection.onclose = (reason) => {
      resolve(reason)
      return true
    }
    connection.open()
  })

describe('router.listen', () => {
  if (process.env.WAMP_ROUTER_URL !== undefined) return
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway({ 'router.listen': '127.0.0.1:0' })
  })
  after(() => gateway.stop())

  it('is the URL that WAMP clients are told', () => {
    expect(gateway.routerUrl).to.match(/^ws:\/\/127\.0\.0\.1:\d+\/ws$/)
    expect(gateway.routerUrl).to.not.include(new URL(gateway.url).port)
  })

  for (const path of ['/ws', '/', '/ws/']) {
    it(`serves sessions at ${path}`, async () => {
      const url = new URL(path, gateway.routerUrl)
      expect(await join(url.href, 'com.example.test')).to.equal('joined')
    })
  }

  for (const path of ['/wsx', '/other']) {
    it(`serves none at ${path}`, async () => {
      const url = new URL(path, gateway.routerUrl)
      expect(await join(url.href, 'com.example.test')).to.not.equal('joined')
    })
  }

  it('serves no HTTP', async () => {
    const answer = await fetch(gateway.routerUrl.replace('ws:', 'http:'))
    expect(answer.status).to.equal(404)
  })
})
