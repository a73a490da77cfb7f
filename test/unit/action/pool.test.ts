/** pool_size: how many actions run at once. */
import { Readable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { expect } from 'chai'
import type { Outcome } from '#component/action/outcome.ts'
import { Pool } from '#component/action/pool.ts'
import { ManualClock, settled } from './doubles.ts'

const never = (): void => {}

/** Tasks that end when told. */
function tasks(pool: Pool, count: number, maxWaitMs = 1000) {
  const ends: ((outcome: Outcome) => void)[] = []
  let started = 0
  const runs = Array.from({ length: count }, (_, index) =>
    pool.run(
      maxWaitMs,
      () => {
        started += 1
        return new Promise<Outcome>((resolve) => {
          ends[index] = resolve
        })
      },
      never,
    ),
  )
  return { runs, ends, started: () => started }
}

const done: Outcome = { result: {} }

describe('Pool', () => {
  it('runs as many as it has slots, the others in their order', async () => {
    const pool = new Pool(2, new ManualClock())
    const { runs, ends, started } = tasks(pool, 10)
    await settled()
    expect(started()).to.equal(2)
    expect(pool.waiting).to.equal(8)
    for (let index = 0; index < 10; index += 1) {
      ends[index]?.(done)
      await settled()
      expect(pool.running).to.equal(Math.min(2, 9 - index))
    }
    expect(await Promise.all(runs)).to.have.length(10)
  })

  it('refuses the one beyond ten waiters a slot with Retry-After', async () => {
    const pool = new Pool(1, new ManualClock())
    const { runs } = tasks(pool, 12)
    const refused = await runs[11]?.catch((error: unknown) => error)
    expect(refused).to.have.property('uri', 'service.error.unavailable')
    expect(refused).to.have.deep.property('headers', { 'retry-after': '1' })
    expect(pool.waiting).to.equal(10)
  })

  it('refuses the one that waited too long and leaves no timer', async () => {
    const clock = new ManualClock()
    const pool = new Pool(1, clock)
    const { runs, ends } = tasks(pool, 2, 300)
    const refused = runs[1]?.catch((error: unknown) => error)
    await clock.advance(301)
    expect(await refused).to.have.property('uri', 'service.error.unavailable')
    ends[0]?.(done)
    await runs[0]
    expect([pool.running, pool.waiting, clock.pending]).to.deep.equal([0, 0, 0])
  })

  it('lets a client that goes away stop waiting', async () => {
    const pool = new Pool(1, new ManualClock())
    tasks(pool, 1)
    let cancel = never
    const waiting = pool
      .run(
        1000,
        async () => done,
        (callback) => {
          cancel = callback
        },
      )
      .catch((error: unknown) => error)
    cancel()
    expect(await waiting).to.have.property('uri', 'wamp.error.canceled')
    expect(pool.waiting).to.equal(0)
  })

  it('frees the slot of a task that throws', async () => {
    const pool = new Pool(1, new ManualClock())
    const failed = pool.run(1000, () => Promise.reject(new Error('x')), never)
    expect(await failed.catch((error: Error) => error.message)).to.equal('x')
    expect(pool.running).to.equal(0)
  })

  it('holds the slot of a streamed answer until its stream has closed', async () => {
    const pool = new Pool(1, new ManualClock())
    const body = Readable.from(['a', 'b'])
    const answer = { status_code: 200, headers: {}, body, length: undefined }
    await pool.run(1000, async () => ({ result: {}, answer }), never)
    expect(pool.running).to.equal(1)
    body.resume()
    await finished(body)
    await settled()
    expect(pool.running).to.equal(0)
  })
})
