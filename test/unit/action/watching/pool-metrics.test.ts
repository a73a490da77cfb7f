/** The metrics of requests that wait for a slot. */
import { expect } from 'chai'
import { PoolMetrics } from '#component/action/watching/pool-metrics.ts'
import { Semaphore } from '#component/limits/semaphore.ts'
import { Families } from '#component/metrics/families.ts'
import { countsIn, metricLines } from '#test/support/metric-lines.ts'
import { ManualClock, settled } from '#test/unit/action/doubles.ts'

const version = { api: 'shop', label: '1' }

/** A semaphore with one slot, which is taken, and one place to wait. */
function setUp() {
  const clock = new ManualClock()
  const families = new Families({ now: () => 0 })
  const pools = new PoolMetrics(families, () => clock.now())
  const pool = new Semaphore({ atOnce: 1, waiting: 1, refusal: 'too many' })
  const holder = Promise.withResolvers<void>()
  const gone: (() => void)[] = []
  const onCancel = (callback: () => void) => gone.push(callback)
  const ask = (task: () => Promise<void> = () => Promise.resolve()): Promise<unknown> => {
    const watch = pool.isFull() ? pools.of(version) : undefined
    return pool.run(task, { clock, maxMs: 1000, onCancel, watch }).catch(() => 'failed')
  }
  const free = async () => {
    holder.resolve()
    await settled()
  }
  void ask(() => holder.promise)
  return { clock, ask, free, gone, lines: () => countsIn(metricLines(families, 'gateway_')) }
}

const labels = '{api="shop",version="1"}'
const waited = `gateway_pool_wait_seconds_count${labels} 1`

describe('the metrics of a pool', () => {
  it('tell nothing of a request that finds a free slot', () => {
    expect(setUp().lines()).to.deep.equal([])
  })

  it('tell how many requests wait, and how long they have waited', async () => {
    const { ask, free, lines } = setUp()
    const done = ask()
    expect(lines()).to.deep.equal([`gateway_pool_waiting${labels} 1`])
    await free()
    await done
    expect(lines()).to.deep.equal([`gateway_pool_waiting${labels} 0`, waited])
  })

  it('count a request that finds too many waiting as refused', async () => {
    const { ask, lines } = setUp()
    void ask()
    expect(await ask()).to.equal('failed')
    expect(lines()).to.deep.equal([
      `gateway_pool_waiting${labels} 1`,
      `gateway_pool_refused_total${labels} 1`,
    ])
  })

  it('count a request that has waited too long as refused', async () => {
    const { ask, clock, lines } = setUp()
    const done = ask()
    await clock.advance(1000)
    expect(await done).to.equal('failed')
    expect(lines()).to.deep.equal([
      `gateway_pool_waiting${labels} 0`,
      `gateway_pool_refused_total${labels} 1`,
      waited,
    ])
  })

  it('do not count a client that goes away as refused', async () => {
    const { ask, gone, lines } = setUp()
    const done = ask()
    for (const callback of gone) callback()
    expect(await done).to.equal('failed')
    expect(lines()).to.deep.equal([`gateway_pool_waiting${labels} 0`, waited])
  })
})
