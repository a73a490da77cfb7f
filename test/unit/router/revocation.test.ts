/** Rights that a realm takes away: standing subscriptions and registrations end, and their peers are told where they announce it. */
import { expect } from 'chai'
import type { RouterAction } from '#component/router/ports.ts'
import { Router } from '#component/router/router.ts'
import { openPolicy } from '#test/support/examples/open-policy.ts'
import { ManualClock, settled } from '#test/unit/action/doubles.ts'

const roles = {
  subscriber: { features: { subscription_revocation: true } },
  callee: { features: { registration_revocation: true, progressive_call_results: true } },
  caller: {},
  publisher: {},
}
const silent = { subscriber: {}, callee: {}, caller: {}, publisher: {} }
const [event, subscribed, unsubscribed] = [36, 33, 35]
const [invocation, registered, unregistered] = [68, 65, 67]
const reason = 'wamp.error.not_authorized'

describe('the embedded router, when rights of a realm change', () => {
  let router: Router
  let refused: (action: RouterAction, uri: string, authid: string) => boolean
  let joined: number

  beforeEach(() => {
    refused = () => false
    joined = 0
    router = new Router({
      // ids of sessions are drawn by it
      clock: Object.assign(new ManualClock(), { random: () => (joined + 1) / 100 }),
      policy: {
        ...openPolicy(['realm1', 'realm2']),
        authenticate: async () => {
          joined += 1
          return { kind: 'welcome', authid: `user${joined}`, authroles: ['staff'] }
        },
        isAllowed: ({ authid }, action, uri) => !refused(action, uri, authid),
      },
    })
  })

  const join = async (announced: object = roles, realm = 'realm1') => {
    const seen: unknown[][] = []
    const link = router.openLink()
    link.onMessage = (message) => {
      seen.push([...message])
    }
    link.send([1, realm, { roles: announced }])
    await settled()
    const send = async (...message: unknown[]) => {
      link.send(message)
      await settled()
      return seen.at(-1) ?? []
    }
    const subscribe = async (uri: string, match = 'exact') => (await send(32, 1, { match }, uri))[2]
    const register = async (uri: string, options: object = {}) =>
      (await send(64, 2, options, uri))[2]
    const typesSince = (length: number) => seen.slice(length).map(([type]) => type)
    return { seen, send, subscribe, register, typesSince }
  }
  const judge = async (realm = 'realm1') => {
    router.judgeAnew(realm)
    // in steps
    for (let turn = 0; turn < 5; turn++) await settled()
  }

  for (const [what, uri, match, topic] of [
    ['an exact subscription', 'com.a.x', 'exact', 'com.a.x'],
    ['a prefix', 'com.a', 'prefix', 'com.a.x'],
    ['a wildcard', 'com..x', 'wildcard', 'com.a.x'],
    ['a subscription to a meta event', 'wamp.session.on_join', 'exact', undefined],
  ] as const) {
    it(`ends ${what} that is not allowed any more, and sends no event of it`, async () => {
      const [peer, other] = [await join(), await join()]
      const id = await peer.subscribe(uri, match)
      await other.subscribe(uri, match)
      refused = (action, of, authid) => action === 'subscribe' && of === uri && authid === 'user1'
      await judge()
      expect(peer.seen.at(-1)).to.deep.equal([unsubscribed, 0, { subscription: id, reason }])
      const [before, others] = [peer.seen.length, other.seen.length]
      if (topic) await (await join()).send(16, 1, {}, topic)
      else await join(roles)
      expect(peer.typesSince(before)).to.deep.equal([])
      expect(other.typesSince(others)).to.deep.equal([event])
    })
  }

  for (const [what, uri, options] of [
    ['an exact registration', 'com.a.x', {}],
    ['a prefix', 'com.a', { match: 'prefix' }],
    ['a wildcard', 'com..x', { match: 'wildcard' }],
    ['one callee of a shared registration', 'com.a.x', { invoke: 'first' }],
  ] as const) {
    it(`ends ${what} that is not allowed any more, and sends no invocation of it`, async () => {
      const [peer, other] = [await join(), await join()]
      const id = await peer.register(uri, options)
      const isShared = 'invoke' in options
      if (isShared) await other.register(uri, options)
      refused = (action, _uri, authid) => action === 'register' && authid === 'user1'
      await judge()
      expect(peer.seen.at(-1)).to.deep.equal([unregistered, 0, { registration: id, reason }])
      const before = peer.seen.length
      const answer = await (await join()).send(48, 3, {}, 'com.a.x')
      expect(peer.typesSince(before)).to.deep.equal([])
      if (isShared) expect(other.seen.at(-1)?.[0]).to.equal(invocation)
      else expect(answer[4]).to.equal('wamp.error.no_such_procedure')
    })
  }

  it('tells a peer nothing that has announced nothing, and sends it nothing more', async () => {
    const peer = await join(silent)
    await peer.subscribe('com.a')
    await peer.register('com.b')
    const before = peer.seen.length
    refused = (action) => action === 'subscribe' || action === 'register'
    await judge()
    const other = await join()
    await other.send(16, 1, {}, 'com.a')
    expect((await other.send(48, 3, {}, 'com.b'))[4]).to.equal('wamp.error.no_such_procedure')
    expect(peer.typesSince(before)).to.deep.equal([])
    expect((await peer.send(34, 9, 1))[4]).to.equal('wamp.error.no_such_subscription')
  })

  it('lets a call end that is under way, and takes the registration again once it is allowed', async () => {
    const [callee, caller] = [await join(), await join()]
    await callee.register('com.a')
    await caller.send(48, 3, {}, 'com.a')
    const [, request] = callee.seen.at(-1) ?? []
    refused = (action) => action === 'register'
    await judge()
    await callee.send(70, request, {}, ['done'])
    expect(caller.seen.at(-1)).to.deep.equal([50, 3, {}, ['done']])
    refused = () => false
    expect((await callee.send(64, 4, {}, 'com.a'))[0]).to.equal(registered)
    expect((await callee.send(32, 5, {}, 'com.a'))[0]).to.equal(subscribed)
  })

  it('lets sessions of the gateway give a subscription back that they may not end: it would stay for ever', async () => {
    const peer = await join()
    const id = await peer.subscribe('com.a')
    refused = (action) => action === 'unsubscribe'
    expect(await peer.send(34, 3, id)).to.deep.equal([unsubscribed, 3])
  })

  it('leaves what is allowed, what a session may no longer ask for in another way, and other realms', async () => {
    const [peer, foreign] = [await join(), await join(roles, 'realm2')]
    for (const one of [peer, foreign]) {
      await one.subscribe('com.a')
      await one.register('com.a')
    }
    const [before, foreigns] = [peer.seen.length, foreign.seen.length]
    refused = (action) => action === 'publish' || action === 'call' || action === 'unsubscribe'
    await judge()
    refused = () => true
    await judge('realm3')
    await judge('realm2')
    expect(peer.typesSince(before)).to.deep.equal([])
    expect(foreign.typesSince(foreigns)).to.deep.equal([unsubscribed, unregistered])
  })
})
