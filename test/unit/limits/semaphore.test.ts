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

/** Waits until a slot that a task leaves has been handed on, in the next turn of the event loop. */
const handedOn = async (): Promise<void> => {
  await settled()
  await settled()
}

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
    await settled()
    expect(begun).to.deep.equal(['a', 'b', 'c'])
    end('a')
    await done[0]
    await settled()
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
    await settled()
    const third = slots.run(task('d'))
    end('b')
    await second
    await settled()
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
    await settled()
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
    await settled()
    end('c')
    expect([await third, begun]).to.deep.equal(['c', ['a', 'c']])
  })

  it('begins no task of a client that goes away with the one whose slot it waits for', async () => {
    const slots = semaphore(2, 9)
    const { begun, task, end } = tasks()
    const cancels: (() => void)[] = []
    const onCancel = (callback: () => void): void => void cancels.push(callback)
    const limit = { ...limitOf(new ManualClock()), onCancel }
    void slots.run(task('a'))
    void slots.run(task('b'))
    const gone = ['c', 'd'].map((name) => failureOf(slots.run(task(name), limit)))
    const last = slots.run(task('e'), limitOf(new ManualClock()))
    slots.leave()
    for (const cancel of cancels) cancel()
    // a newcomer gets no slot before the tasks that wait
    expect([slots.tryTake(), slots.isFull()]).to.deep.equal([false, true])
    await settled()
    expect(begun).to.deep.equal(['a', 'b', 'e'])
    for (const failure of await Promise.all(gone))
      expect(failure).to.have.property('uri', 'wamp.error.canceled')
    end('e')
    expect(await last).to.equal('e')
  })

  it('has all slots free once all that wait have gone away', async () => {
    const slots = semaphore(2, 9)
    const { task } = tasks()
    let cancel = (): void => undefined
    const onCancel = (callback: () => void): void => {
      cancel = callback
    }
    void slots.run(task('a'))
    void slots.run(task('b'))
    const gone = failureOf(slots.run(task('c'), { ...limitOf(new ManualClock()), onCancel }))
    slots.leave()
    slots.leave()
    cancel()
    await gone
    await settled()
    expect([slots.tryTake(), slots.tryTake(), slots.tryTake()]).to.deep.equal([true, true, false])
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
    await handedOn()
    expect(begun).to.deep.equal(['next'])
  })

  describe('for clients of several networks', () => {
    const clock = new ManualClock()
    const of = (client: string) => ({ ...limitOf(clock), client })

    it('leaves an eighth of its slots to others than the one that has most', async () => {
      const slots = semaphore(16, 99)
      const { begun, task, end } = tasks()
      const all = Array.from({ length: 20 }, (_, at) => `a${at}`)
      for (const name of all) void slots.run(task(name), of('a'))
      expect(begun).to.deep.equal(all.slice(0, 14))
      expect([slots.isFull('a'), slots.isFull('b')]).to.deep.equal([true, false])
      for (const name of ['b0', 'b1', 'b2']) void slots.run(task(name), of('b'))
      expect(begun.slice(14)).to.deep.equal(['b0', 'b1'])
      // its turn comes, although others wait for longer
      end('b0')
      await handedOn()
      expect(begun.slice(16)).to.deep.equal(['b2'])
      end('a0')
      await handedOn()
      expect(begun.slice(17)).to.deep.equal(['a14'])
    })

    it('counts the addresses of one /64 together, whoever came and went before', async () => {
      const slots = semaphore(8, 99)
      const { task, end } = tasks()
      for (let at = 0; at < 40; at++) {
        void slots.run(task(`${at}`), of(`192.0.2.${at}`))
        end(`${at}`)
        await settled()
      }
      for (let at = 0; at < 7; at++) void slots.run(task(`a${at}`), of(`2001:db8::${at}`))
      const others = ['2001:db8::9', '2001:db8:0:1::9', '192.0.2.1']
      expect(others.map((client) => slots.isFull(client))).to.deep.equal([true, false, false])
    })

    it('takes those that wait in turn, of each the oldest first', async () => {
      const slots = semaphore(1, 99)
      const { begun, task, end } = tasks()
      for (const name of ['a0', 'a1', 'a2', 'b0', 'b1', 'c0']) {
        void slots.run(task(name), of(name[0] ?? ''))
      }
      for (let at = 0; at < 6; at++) {
        end(begun[at] ?? '')
        await handedOn()
      }
      expect(begun).to.deep.equal(['a0', 'a1', 'b0', 'c0', 'a2', 'b1'])
    })

    it('leaves an eighth of the places to wait', async () => {
      const slots = semaphore(8, 16)
      const { task } = tasks()
      for (let at = 0; at < 7 + 14; at++) void slots.run(task(`a${at}`), of('a'))
      expect(await failureOf(slots.run(task('a'), of('a')))).to.include({ status: 503 })
      for (let at = 0; at < 1 + 2; at++) void slots.run(task(`b${at}`), of('b'))
      expect(await failureOf(slots.run(task('b'), of('b')))).to.include({ status: 503 })
    })

    it('gives the places of few slots to whoever comes first', async () => {
      const slots = semaphore(1, 10)
      const { task } = tasks()
      for (let at = 0; at < 1 + 10; at++) void slots.run(task(`a${at}`), of('a'))
      expect(await failureOf(slots.run(task('b'), of('b')))).to.include({ status: 503 })
    })

    it('gives all to tasks that are for no client', () => {
      const slots = semaphore(16, 99)
      const { begun, task } = tasks()
      for (let at = 0; at < 16; at++) void slots.run(task(`a${at}`))
      expect(begun.length).to.equal(16)
    })
  })
})
