/** Semaphore: how many tasks run, which is next, and which is refused. */
import { expect } from 'chai'
import { Semaphore } from '#component/limits/semaphore.ts'
import { ManualClock, settled } from '#test/unit/action/doubles.ts'

/** Tasks that end when the test says so. */
function tasks() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const task = (name: string) => () => {
    begun.push(name)
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
  }
  return { begun, task, end: (name: string) => ends.get(name)?.() }
}

const semaphore = (atOnce: number, waiting: number) =>
  new Semaphore({ atOnce, waiting, refusal: 'too many' })

const limitOf = (clock: ManualClock, maxMs = 1000) => ({ clock, maxMs, onCancel: () => {} })

const failureOf = (run: Promise<unknown>): Promise<unknown> =>
  run.then(() => undefined).catch((error: unknown) => error)

describe('a semaphore', () => {
  it('runs as many tasks as it has slots, the others in the order of asking', async () => {
    const slots = semaphore(2, 9)
    const { begun, task, end } = tasks()
    const done = ['a', 'b', 'c', 'd'].map((name) => slots.run(task(name)))
    expect(begun).to.deep.equal(['a', 'b'])
    end('b')
    expect(await done[1]).to.equal('b')
    expect(begun).to.deep.equal(['a', 'b', 'c'])
    end('a')
    await done[0]
    end('c')
    await done[2]
    expect(begun).to.deep.equal(['a', 'b', 'c', 'd'])
    end('d')
    await done[3]
    void slots.run(task('e'))
    expect(begun.at(-1)).to.equal('e')
  })

  it('refuses a task beyond those that may wait with Retry-After, until one of these has begun', async () => {
    const slots = semaphore(1, 1)
    const { task, end } = tasks()
    const [first, second] = [slots.run(task('a')), slots.run(task('b'))]
    const refused = await failureOf(slots.run(task('c')))
    expect(refused).to.include({ uri: 'service.error.unavailable', status: 503 })
    expect(refused).to.have.property('message', 'too many')
    expect(refused).to.have.deep.property('headers', { 'retry-after': '1' })
    end('a')
    await first
    const third = slots.run(task('d'))
    end('b')
    await second
    end('d')
    expect(await third).to.equal('d')
  })

  it('refuses a task that waited too long, starts it never, and leaves no timer', async () => {
    const clock = new ManualClock()
    const slots = semaphore(1, 9)
    const { begun, task, end } = tasks()
    const first = slots.run(task('a'), limitOf(clock, 300))
    const refused = failureOf(slots.run(task('b'), limitOf(clock, 300)))
    await clock.advance(301)
    expect(await refused).to.have.property('uri', 'service.error.unavailable')
    end('a')
    await first
    void slots.run(task('c'))
    expect(begun).to.deep.equal(['a', 'c'])
    expect(clock.pending).to.equal(0)
  })

  it('leaves no timer of a task that waited and began', async () => {
    const clock = new ManualClock()
    const slots = semaphore(1, 9)
    const { task, end } = tasks()
    const first = slots.run(task('a'))
    const second = slots.run(task('b'), limitOf(clock))
    end('a')
    await first
    end('b')
    expect([await second, clock.pending]).to.deep.equal(['b', 0])
  })

  it('lets a client that goes away stop waiting, and its place in the queue is free', async () => {
    const slots = semaphore(1, 1)
    const { begun, task, end } = tasks()
    const first = slots.run(task('a'))
    let cancel = (): void => {}
    const onCancel = (callback: () => void): void => {
      cancel = callback
    }
    const gone = slots.run(task('b'), { ...limitOf(new ManualClock()), onCancel })
    cancel()
    expect(await failureOf(gone)).to.have.property('uri', 'wamp.error.canceled')
    const third = slots.run(task('c'))
    end('a')
    await first
    end('c')
    expect([await third, begun]).to.deep.equal(['c', ['a', 'c']])
  })

  it('frees the slot of a task that fails', async () => {
    const slots = semaphore(1, 1)
    const failed = slots.run(() => Promise.reject(new Error('no')))
    const next = slots.run(() => Promise.resolve('yes'))
    expect(await failureOf(failed)).to.have.property('message', 'no')
    expect(await next).to.equal('yes')
  })

  it('holds the slot of a result that goes on until it is over', async () => {
    const slots = semaphore(1, 1)
    const { begun, task } = tasks()
    const over = Promise.withResolvers<void>()
    await slots.run(
      async () => 'an answer that goes on',
      undefined,
      () => (callback) => void over.promise.then(callback),
    )
    void slots.run(task('next'))
    await settled()
    expect(begun).to.deep.equal([])
    over.resolve()
    await settled()
    expect(begun).to.deep.equal(['next'])
  })
})
