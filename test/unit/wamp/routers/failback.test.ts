/** When a process goes back to the first router of a list, by a clock that the test moves. */
import { expect } from 'chai'
import { Failback } from '#component/wamp/routers/failback.ts'
import { Routers } from '#component/wamp/routers/routers.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

/** What happens to the session that watches the first router, or how many milliseconds pass. */
type Step = number | 'joins' | 'lost'

/** A process whose first router is lost, whereupon these steps follow. @returns whether it is back, and the sessions that watch */
async function play(afterMs: number, steps: readonly Step[]) {
  const routers = new Routers(['a', 'b'])
  const clock = new ManualClock()
  const probe = { isOpen: false, isLeft: false, join: () => {} }
  const opened: (string | undefined)[] = []
  const used: (string | undefined)[] = []
  const failback = new Failback({
    ...{ clock, routers, afterMs },
    onUse: () => used.push(routers.url),
    open: (url, onJoin) => {
      opened.push(url)
      probe.join = onJoin
      return {
        get isOpen() {
          return probe.isOpen
        },
        leave: async () => {
          probe.isLeft = true
        },
      }
    },
  })
  const visitor = { onMove() {}, onReturn: async () => {}, isServing: () => false }
  routers.enter(visitor).ended(true)
  for (const step of steps) {
    if (step === 'joins') {
      probe.isOpen = true
      probe.join()
    } else if (step === 'lost') probe.isOpen = false
    else await clock.advance(step)
  }
  const result = { used: used.join(), opened: opened.join(), isLeft: probe.isLeft }
  await failback.close()
  return { ...result, isClosed: probe.isLeft || opened.length === 0 }
}

const rows: readonly (readonly [
  title: string,
  afterMs: number,
  steps: readonly Step[],
  used: string,
])[] = [
  ['stays while the first is away', 60_000, [600_000], 'b'],
  ['stays until the first has been up for long', 60_000, ['joins', 59_999], 'b'],
  ['goes back then', 60_000, ['joins', 60_000], 'b,a'],
  ['begins anew after a loss', 60_000, ['joins', 50_000, 'lost', 'joins', 59_999], 'b'],
  ['goes back after a loss', 60_000, ['joins', 50_000, 'lost', 5000, 'joins', 60_000], 'b,a'],
  ['stays while the first flaps', 60_000, ['joins', 50_000, 'lost', 60_000], 'b'],
  ['never goes back where that is switched off', 0, [3_600_000], 'b'],
]

describe('a process whose first router is lost', () => {
  for (const [title, afterMs, steps, used] of rows) {
    it(title, async () => {
      const isBack = used === 'b,a'
      const opened = afterMs > 0 ? 'a' : ''
      expect(await play(afterMs, steps)).to.deep.equal({
        ...{ used, opened, isLeft: isBack, isClosed: true },
      })
    })
  }
})
