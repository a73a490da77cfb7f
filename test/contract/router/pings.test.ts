/** Whom the embedded router gives up because no ping is answered: nobody who works on a call. */
import { expect } from 'chai'
import type { WampMessage } from '#component/wamp/link.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { ManualClock, settled } from '#test/unit/action/doubles.ts'
import { openRouter } from '#test/unit/router/open-router.ts'
import { allRoles, RouterPeer } from './peer.ts'

/** A router whose time stands still, a callee of `p` that answers no ping, and a caller in the process of the router. */
async function deafCallee(options: object = {}) {
  const clock = Object.assign(new ManualClock(), { random: () => Math.random() })
  const opened = await openRouter({ clock, ...options })
  const callee = await RouterPeer.join(opened)
  ;(callee.webSocket as unknown as { _autoPong: boolean })._autoPong = false
  await callee.register('p')
  const link = opened.router.openLink()
  const answers: WampMessage[] = []
  link.onMessage = (message) => answers.push(message)
  link.send([1, 'realm1', { roles: allRoles }])
  await untilHolds(() => opened.router.sessionCount === 2)
  const isThere = () => opened.router.sessionCount === 2
  return {
    ...{ callee, answers, isThere },
    call: (id: number, callOptions: object) => link.send([48, id, callOptions, 'p']),
    cancel: (id: number) => link.send([49, id, {}]),
    /** @param each done every second */
    async pass(seconds: number, each: (second: number) => void = () => {}) {
      for (let second = 0; second < seconds; second++) {
        each(second)
        // frames leave at the end of a turn
        await settled()
        await settled()
        await clock.advance(1000)
        await settled()
      }
    },
    async close() {
      callee.cut()
      await untilHolds(() => opened.router.sessionCount < 2)
      const closing = opened.router.close()
      await settled()
      await clock.advance(10_000)
      await closing
      await opened.close()
    },
  }
}

describe('The embedded router gives up a callee that answers no ping', () => {
  let peers: Awaited<ReturnType<typeof deafCallee>>
  afterEach(() => peers.close())

  for (const [what, timeout, stays, goes] of [
    ['without a call', undefined, 14, 2],
    ['after the timeout of its call', 30_000, 34, 12],
    ['soon after a short timeout', 1_000, 14, 2],
    ['ten minutes after a call without a timeout', 0, 600, 15],
  ] as const) {
    it(what, async () => {
      peers = await deafCallee()
      if (timeout !== undefined) peers.call(1, { timeout })
      await peers.pass(stays)
      expect(peers.isThere()).to.equal(true)
      await peers.pass(goes)
      expect(peers.isThere()).to.equal(false)
    })
  }

  it('some seconds after its call was canceled', async () => {
    peers = await deafCallee()
    peers.call(1, {})
    await peers.pass(22)
    peers.cancel(1)
    await peers.pass(5)
    expect(peers.isThere()).to.equal(true)
    await peers.pass(9)
    expect(peers.isThere()).to.equal(false)
  })

  it('although calls go on coming', async () => {
    peers = await deafCallee()
    await peers.pass(55, (second) => {
      if (peers.isThere()) peers.call(second + 1, { timeout: 30_000 })
    })
    expect(peers.isThere()).to.equal(false)
  })

  it('after the interval and the time that the options say', async () => {
    peers = await deafCallee({ pingIntervalMs: 20_000, pingTimeoutMs: 2_000 })
    await peers.pass(41)
    expect(peers.isThere()).to.equal(true)
    await peers.pass(2)
    expect(peers.isThere()).to.equal(false)
  })

  it('never, where it is not to ping', async () => {
    peers = await deafCallee({ pingIntervalMs: 0 })
    await peers.pass(100)
    expect(peers.isThere()).to.equal(true)
  })

  it('not before a long call is answered, and takes its answer', async () => {
    peers = await deafCallee()
    peers.call(1, { timeout: 30_000 })
    const [, request] = await peers.callee.next()
    await peers.pass(25)
    peers.callee.send(70, request, {}, ['late'])
    await untilHolds(() => peers.answers.length === 2)
    expect(peers.answers[1]).to.deep.equal([50, 1, {}, ['late']])
    await peers.pass(4)
    expect(peers.isThere()).to.equal(true)
  })
})
