/** Sessions that have an end: the router says GOODBYE then, and leaves the others alone. */
import { expect } from 'chai'
import type { RealmPolicy, Welcome } from '#component/router/ports.ts'
import { Router } from '#component/router/router.ts'
import { openPolicy } from '#test/support/examples/open-policy.ts'
import { ManualClock, settled } from '#test/unit/action/doubles.ts'

const day = 86_400_000
const welcome: Welcome = { kind: 'welcome', authid: 'ada', authroles: ['staff'] }

describe('a session on the embedded router', () => {
  let clock: ManualClock
  let router: Router
  let seen: unknown[][]

  /** Joins with a welcome that ends then; milliseconds from now. */
  async function join(lifetimeMs?: number) {
    const ends = lifetimeMs === undefined ? {} : { expiresAt: clock.now() + lifetimeMs }
    const policy: RealmPolicy = {
      ...openPolicy(['realm1']),
      authenticate: async () => ({ ...welcome, ...ends }),
    }
    router = new Router({ policy, clock })
    const link = router.openLink()
    seen = []
    link.onMessage = (message) => void seen.push([...message])
    link.send([1, 'realm1', { roles: { caller: {} } }])
    await settled()
    expect(seen.map(([type]) => type)).to.deep.equal([2])
    return link
  }

  beforeEach(() => {
    clock = new ManualClock()
  })

  for (const [what, lifetimeMs] of [
    ['a second', 1_000],
    ['thirty days, which no timer of Node can wait', 30 * day],
  ] as const) {
    it(`ends when what it came with ends, after ${what}`, async () => {
      await join(lifetimeMs)
      await clock.advance(lifetimeMs - 1)
      expect(router.sessionCount).to.equal(1)
      await clock.advance(1)
      const [type, details, reason] = seen.at(-1) ?? []
      expect([type, reason]).to.deep.equal([6, 'wamp.close.killed'])
      expect(details).to.deep.equal({ message: 'the ticket of the session has expired' })
      expect(router.sessionCount).to.equal(0)
    })
  }

  it('asks for no longer timer than Node has', async () => {
    const asked: number[] = []
    const { after } = clock
    clock.after = (ms, callback) => {
      asked.push(ms)
      return after.call(clock, ms, callback)
    }
    await join(30 * day)
    expect(Math.max(...asked)).to.be.below(2 ** 31)
  })

  it('has no timer when it has no end, or has left', async () => {
    await join()
    expect(clock.pending).to.equal(0)
    const link = await join(5_000)
    expect(clock.pending).to.equal(1)
    link.send([6, {}, 'wamp.close.close_realm'])
    link.close(1000, '')
    await settled()
    expect([clock.pending, router.sessionCount]).to.deep.equal([0, 0])
  })
})
