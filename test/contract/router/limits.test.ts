/** How much one session, and all of them, may have on the embedded router; and that others are served while much of it ends. */
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { WebSocket } from 'ws'
import { LimitUsage } from '#component/limits/limit-usage.ts'
import type { RouterOptions } from '#component/router/router.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { openRouter } from '#test/unit/router/open-router.ts'
import { RouterPeer } from './peer.ts'

const limitExceeded = 'wamp.error.limit_exceeded'

describe('the embedded router limits', () => {
  let opened: Awaited<ReturnType<typeof openRouter>>
  let usage: LimitUsage
  const open = async (options: Partial<RouterOptions>) => {
    usage = new LimitUsage()
    opened = await openRouter({ usage, ...options })
    return opened
  }
  const stateOf = (key: string) => usage.all.find((limit) => limit.key === key)
  afterEach(() => opened.close())

  for (const [what, request, answer] of [
    ['subscriptions', 32, 33],
    ['registrations', 64, 65],
  ] as const) {
    it(`the ${what} of a session`, async () => {
      const router = await open({ limits: { perSession: 2 } })
      const [peer, other] = [await RouterPeer.join(router), await RouterPeer.join(router)]
      for (const uri of ['a', 'b']) {
        expect((await peer.ask(request, 1, {}, uri))[0]).to.equal(answer)
      }
      expect((await peer.ask(request, 2, {}, 'c')).slice(4)).to.deep.equal([
        limitExceeded,
        [`expected at most 2 ${what} of a session`],
      ])
      expect((await other.ask(request, 1, {}, 'd'))[0]).to.equal(answer)
      const key = 'limits.subscriptions_per_session'
      expect(stateOf(key)).to.deep.equal({ key, bound: 2, used: 2, refused: 1 })
    })

    it(`the ${what} of a realm`, async () => {
      const router = await open({ limits: { perRealm: 1 } })
      const [peer, other] = [await RouterPeer.join(router), await RouterPeer.join(router)]
      const options = request === 64 ? { invoke: 'random' } : {}
      expect((await peer.ask(request, 1, options, 'a'))[0]).to.equal(answer)
      expect((await other.ask(request, 1, options, 'a'))[0]).to.equal(answer)
      expect((await other.ask(request, 2, options, 'b')).slice(4)).to.deep.equal([
        limitExceeded,
        [`expected at most 1 ${what} in a realm`],
      ])
      const key = 'limits.subscriptions_per_realm'
      expect(stateOf(key)).to.deep.equal({ key, bound: 1, used: 1, refused: 1 })
    })
  }

  it('the patterns that are looked through with each message', async () => {
    const peer = await RouterPeer.join(await open({}))
    let refused: readonly unknown[] = []
    for (let bits = 0; bits < 512 && refused.length === 0; bits++) {
      const uri = Array.from({ length: 9 }, (_, at) => (bits & (1 << at) ? '' : 'a')).join('.')
      const answer = await peer.ask(32, bits + 1, { match: 'wildcard' }, uri)
      if (answer[0] !== 33) refused = answer
    }
    expect(refused[4]).to.equal(limitExceeded)
  })

  for (const [match, length] of [
    ['exact', 1_024],
    ['prefix', 255],
    ['wildcard', 255],
  ] as const) {
    it(`the length of a URI (${match})`, async () => {
      const peer = await RouterPeer.join(await open({}))
      expect((await peer.ask(32, 1, { match }, 'a'.repeat(length)))[0]).to.equal(33)
      expect((await peer.ask(32, 2, { match }, 'a'.repeat(length + 1))).slice(4)).to.deep.equal([
        'wamp.error.invalid_uri',
        [`the URI has more than ${length} characters`],
      ])
    })
  }

  it('the connections of one address', async () => {
    const router = await open({ maxSessions: 4 })
    const peers = [await RouterPeer.join(router), await RouterPeer.join(router)]
    const refusal = await new Promise<number | undefined>((resolve) => {
      const webSocket = new WebSocket(router.url, ['wamp.2.json'])
      webSocket.on('error', () => {})
      webSocket.once('unexpected-response', (_request, { statusCode, headers }) => {
        resolve(headers['retry-after'] === undefined ? undefined : statusCode)
        webSocket.terminate()
      })
    })
    expect(refusal).to.equal(503)
    const key = 'limits.wamp_sessions'
    expect(stateOf(key)).to.deep.equal({ key, bound: 4, used: 2, refused: 1 })
    peers[0]?.cut()
    await untilHolds(() => router.router.sessionCount <= 1)
    expect((await RouterPeer.join(router)).id).to.be.a('number')
  })
})

describe('a session with many registrations and subscriptions leaves the embedded router', () => {
  /** Lets the router go on by one step; each step of its work waits for that. */
  let goOn: () => void = () => {}
  let opened: Awaited<ReturnType<typeof openRouter>>
  let witness: RouterPeer
  beforeEach(async () => {
    const yieldTurn = () =>
      new Promise<void>((resolve) => {
        goOn = resolve
      })
    opened = await openRouter({ yieldTurn })
    witness = await RouterPeer.join(opened)
    const leaver = await RouterPeer.join(opened)
    for (const uri of ['a', 'b', 'c']) await leaver.subscribe(uri)
    for (const uri of ['a', 'b', 'c']) await leaver.register(uri)
    leaver.cut()
    await untilHolds(() => opened.router.sessionCount <= 1)
  })
  afterEach(() => opened.close())

  const subscriptions = async () => {
    const answer = await witness.ask(48, 5, {}, 'wamp.subscription.list')
    return ((answer[3] as { exact: number[] }[])[0]?.exact ?? []).length
  }

  it('in steps, between which others are served', async () => {
    const counts = [await subscriptions()]
    for (let step = 0; step < 3; step++) {
      goOn()
      await turn()
      counts.push(await subscriptions())
    }
    expect(counts).to.deep.equal([2, 1, 0, 0])
  })

  it('and is not called any more', async () => {
    const answer = await witness.ask(48, 7, {}, 'a')
    expect(answer[4]).to.equal('wamp.error.no_such_procedure')
  })

  it('and another one takes over its procedures at once', async () => {
    const heir = await RouterPeer.join(opened)
    await heir.register('b')
    witness.send(48, 8, {}, 'b', [1])
    expect((await heir.next())[0]).to.equal(68)
    for (let step = 0; step < 10; step++) {
      goOn()
      await turn()
    }
    witness.send(48, 9, {}, 'b', [1])
    expect((await heir.next())[0]).to.equal(68)
  })
})
