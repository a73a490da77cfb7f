/** The embedded router by the policy of realm documents: what no client may, whatever is granted. */
import { once } from 'node:events'
import { expect } from 'chai'
import { policyOf } from '#test/unit/realm/doubles.ts'
import { openRouter } from '#test/unit/router/open-router.ts'
import { RouterPeer } from './peer.ts'

const refused = 'wamp.error.not_authorized'

describe('the embedded router with a realm that grants everything it can', () => {
  let server: Awaited<ReturnType<typeof openRouter>>
  let peer: RouterPeer & { readonly id: number }
  let gateway: { readonly id: number; readonly received: (readonly unknown[])[] }

  before(async () => {
    const actions = ['call', 'publish', 'register', 'subscribe', 'unregister', 'unsubscribe']
    const policy = await policyOf({
      uri: 'realm1',
      authmethods: ['anonymous'],
      grants: ['', 'wamp.', 'service.'].map((uri) => ({
        ...{ roles: 'all', uri, match: 'prefix' },
        permissions: actions.map((action) => `wamp.${action}`),
      })),
    })
    server = await openRouter({ policy })
  })
  beforeEach(async () => {
    gateway = await joinAsGateway()
    peer = await RouterPeer.join(server)
  })
  afterEach(() => peer.cut())
  after(() => server.close())

  /** A session of the gateway within the process. */
  async function joinAsGateway() {
    const received: (readonly unknown[])[] = []
    const link = server.router.openLink()
    const { promise: welcome, resolve } = Promise.withResolvers<readonly unknown[]>()
    link.onMessage = (message) => {
      received.push(message)
      resolve(message)
    }
    link.send([1, 'realm1', { roles: { caller: {} }, authid: 'gateway' }])
    const [, id] = await welcome
    return { id: Number(id), received }
  }

  const forward_for = [{ session: 1, authid: 'ops', authrole: 'gateway' }]
  for (const [action, code] of [
    ['call', 48],
    ['publish', 16],
    ['register', 64],
    ['subscribe', 32],
  ] as const) {
    it(`refuses to ${action} with forward_for`, async () => {
      const answer = await peer.ask(code, 1, { acknowledge: true, forward_for }, 'com.example.a')
      expect(answer).to.deep.equal([
        ...[8, code, 1, {}, refused],
        [`the session may not ${action} this URI with these options`],
      ])
    })
  }

  it('lets nobody end a session of the gateway, by whatever procedure', async () => {
    const args = [
      ['wamp.session.kill', [gateway.id], refused],
      ['wamp.session.kill_by_authid', ['gateway'], []],
      ['wamp.session.kill_by_authrole', ['gateway'], []],
      ['wamp.session.kill_all', [], 0],
    ] as const
    for (const [uri, given, expected] of args) {
      const answer = await peer.ask(48, 7, {}, uri, given)
      expect(answer[0] === 8 ? answer[4] : (answer[3] as unknown[])[0], uri).to.deep.equal(expected)
    }
    expect(gateway.received.map(([code]) => code)).to.deep.equal([2])
  })

  it('lets the others be ended, beside one of the gateway', async () => {
    const other = await RouterPeer.join(server)
    const ended = once(other.webSocket, 'close')
    const answer = await peer.ask(48, 8, {}, 'wamp.session.kill_all')
    expect(answer).to.deep.equal([50, 8, {}, [1]])
    await ended
    expect(gateway.received.map(([code]) => code)).to.deep.equal([2])
  })
})
