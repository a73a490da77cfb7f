/** A gateway of two workers whose embedded router is reached by RawSocket. */
import { expect } from 'chai'
import { RawPeer } from '#test/contract/router/raw-peer.ts'
import { send } from '#test/support/http-request.ts'
import { ReloadFixture } from './reload.setup.ts'

describe('a gateway of 2 workers with router.rawsocket', () => {
  const fixture = new ReloadFixture()
  after(() => fixture.remove())

  it('serves a callee of a Unix socket from both', async () => {
    const path = fixture.at('router.sock')
    fixture.write('call.spec.json', {
      ...{ id: 'com.example.call', realm_uri: 'com.example.test', host: '_' },
      versions: {
        1: {
          base_path: '/call',
          paths: {
            '/now': {
              get: {
                action: { type: 'wamp_call', procedure: 'com.example.now' },
                response: { on_result: { body: '{{action.result.args}}' }, on_error: {} },
              },
            },
          },
        },
      },
    })
    await fixture.start({ router: { rawsocket: `unix:${path}` } })
    const callee = new RawPeer({ path })
    await callee.greet('cbor')
    expect((await callee.join('com.example.test'))[0]).to.equal(2)
    expect((await callee.ask(64, 1, {}, 'com.example.now'))[0]).to.equal(65)
    for (let asked = 1; asked <= 6; asked += 1) {
      // each request has a connection of its own, which either process takes
      const answer = send(fixture.gateway.url, '/call/now', { headers: { connection: 'close' } })
      const [code, request] = await callee.next()
      expect(code).to.equal(68)
      callee.send(70, request, {}, [asked])
      expect(JSON.parse((await answer).text)).to.deep.equal([asked])
    }
    callee.socket.destroy()
  })
})
