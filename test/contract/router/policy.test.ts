/** The embedded router by the policy of realm documents: what no client may, whatever is granted. */
import { once } from 'node:events'
import { expect } from 'chai'
import { untilHolds } from '#test/support/running/until.ts'
import { policyOf } from '#test/unit/realm/doubles.ts'
import { openRouter } from '#test/unit/router/open-router.ts'
import { RouterPeer } from './peer.ts'

const refused = 'wamp.error.not_authorized'

/** The details of an INVOCATION or EVENT. */
const detailsOf = (message: readonly unknown[]) => message[3] as Readonly<Record<string, unknown>>

describe('the embedded router with a realm that grants everything it can', () => {
  let server: Awaited<ReturnType<typeof openRouter>>
  let peer: RouterPeer & { readonly id: number }
  let gateway: Awaited<ReturnType<typeof joinAsGateway>>

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
    link.send([1, 'realm1', { roles: { caller: {}, callee: {} }, authid: 'gateway' }])
    const [, id] = await welcome
    return {
      ...{ id: Number(id), received },
      send: (message: unknown[]) => link.send(message),
      /** The next message of a type, which is taken. */
      async answered(type: number) {
        const indexOf = () => received.findIndex(([one]) => one === type)
        await untilHolds(() => indexOf() >= 0)
        return received.splice(indexOf(), 1)[0] ?? []
      },
    }
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

  describe('shows callees and subscribers whom the gateway names by forward_for', () => {
    const authroles = ['staff', 'sales']
    const ada = { session: 7, authid: 'ada', authrole: 'staff' }

    for (const [what, options, expected] of [
      ['the user', { forward_for: [ada], disclose_me: true }, [7, 'ada', 'staff']],
      [
        'the first of several',
        { forward_for: [ada, { ...ada, authid: 'link' }], disclose_me: true },
        [7, 'ada', 'staff'],
      ],
      ['nobody without disclose_me', { forward_for: [ada] }, [undefined, undefined, undefined]],
    ] as const) {
      it(what, async () => {
        await peer.ask(64, 11, {}, 'com.example.seen')
        await peer.ask(32, 12, {}, 'com.example.seen')
        gateway.send([48, 1, options, 'com.example.seen'])
        const called = detailsOf(await peer.next())
        const { caller, caller_authid, caller_authrole } = called
        expect([caller, caller_authid, caller_authrole]).to.deep.equal(expected)
        gateway.send([16, 2, options, 'com.example.seen'])
        const event = detailsOf(await peer.next())
        const { publisher, publisher_authid, publisher_authrole } = event
        expect([publisher, publisher_authid, publisher_authrole]).to.deep.equal(expected)
        expect(called).to.not.have.property('forward_for')
        expect(event).to.not.have.property('forward_for')
      })
    }

    it('with all roles where the callee is the gateway', async () => {
      gateway.send([64, 1, {}, 'com.example.own'])
      await gateway.answered(65)
      gateway.send([48, 2, { forward_for: [{ ...ada, authroles }] }, 'com.example.own'])
      const [, , , details] = await gateway.answered(68)
      expect(details).to.deep.equal({
        ...{ caller: 7, caller_authid: 'ada', caller_authrole: 'staff' },
        _caller_authroles: authroles,
      })
    })

    it('but refuses a message that names nobody', async () => {
      await peer.ask(64, 11, {}, 'com.example.seen')
      for (const [request, forward_for] of [
        null,
        [],
        'ada',
        [{ authid: 'ada', authrole: 'staff' }],
        [{ session: 7, authrole: 'staff' }],
        [{ session: 7, authid: 'ada' }],
        [{ ...ada, authroles: 'staff' }],
      ].entries()) {
        for (const type of [48, 16]) {
          const options = { acknowledge: true, forward_for }
          gateway.send([type, 10 * type + request, options, 'com.example.seen'])
          const [, , , , uri] = await gateway.answered(8)
          expect(uri, JSON.stringify(forward_for)).to.equal('wamp.error.option_not_allowed')
        }
      }
    })
  })

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
