/** Long work in steps: at once, or with pauses in which others have their turn. */
import { expect } from 'chai'
import { runAtOnce, runSteps, type Steps, shortTurns, turnYielder } from '#component/yielding.ts'

function* count(steps: number, done: number[]): Steps<string> {
  for (let step = 0; step < steps; step += 1) {
    done.push(step)
    yield
  }
  return 'done'
}

function* failing(): Steps<string> {
  yield
  throw new RangeError('x')
}

describe('work in steps', () => {
  it('may be done at once', () => {
    const done: number[] = []
    expect(runAtOnce(count(3, done))).to.equal('done')
    expect(done).to.deep.equal([0, 1, 2])
  })

  it('waits wherever it is told to, and goes on behind it', async () => {
    const done: number[] = []
    const pauses: (() => void)[] = []
    const running = runSteps(count(4, done), () =>
      done.length === 2 ? new Promise((resolve) => pauses.push(resolve)) : undefined,
    )
    await new Promise(setImmediate)
    expect(done).to.deep.equal([0, 1])
    pauses[0]?.()
    expect(await running).to.equal('done')
    expect(done).to.deep.equal([0, 1, 2, 3])
  })

  it('fails as its steps do', async () => {
    expect(() => runAtOnce(failing())).to.throw(RangeError)
    const failure = await runSteps(failing(), () => undefined).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(RangeError)
  })
})

describe('turnYielder', () => {
  /** Counts the turns of the event loop until what is given is done. */
  async function turnsDuring(work: () => Promise<unknown>): Promise<number> {
    let turns = 0
    const turn = (): void => {
      turns += 1
      timer = setImmediate(turn)
    }
    let timer = setImmediate(turn)
    await work()
    clearImmediate(timer)
    return turns
  }

  /** So many steps, each of which takes longer than a stint. */
  function* busy(steps: number): Steps<void> {
    for (let step = 0; step < steps; step += 1) {
      const end = performance.now() + 1.5
      while (performance.now() < end);
      yield
    }
  }

  it('lets the event loop have its turn, however much there is to do', async () => {
    const yieldTurn = turnYielder()
    expect(await turnsDuring(() => runSteps(busy(20), yieldTurn))).to.be.at.least(19)
  })

  it('does one stint in a turn, however many work at the same time', async () => {
    const yieldTurn = turnYielder()
    let pauses = 0
    const counted = () => {
      const pause = yieldTurn()
      if (pause !== undefined) pauses += 1
      return pause
    }
    const turns = await turnsDuring(() =>
      Promise.all([1, 2, 3].map(() => runSteps(busy(10), counted))),
    )
    expect(pauses).to.be.at.least(30)
    expect(turns).to.be.at.least(pauses - 1)
  })
})

describe('shortTurns', () => {
  /** What each turn of the event loop has begun, of work that takes so many milliseconds, half of it in microtasks. */
  async function begunByTurn(eachMs: number, count: number): Promise<number[]> {
    const turns: number[] = []
    let now = 0
    let begun = 0
    const inTurn = shortTurns(() => now)
    for (let index = 0; index < count; index += 1) {
      inTurn(() => {
        begun += 1
        now += eachMs / 2
        void Promise.resolve().then(() => {
          now += eachMs / 2
        })
      })
    }
    for (let all = 0; all < count; all += begun) {
      begun = 0
      await new Promise(setImmediate)
      turns.push(begun)
    }
    return turns
  }

  for (const [eachMs, turns] of [
    [0.05, [10, 2]],
    [0.3, [2, 2, 2, 2, 2, 2]],
    [0.5, Array.from({ length: 12 }, () => 1)],
    [20, Array.from({ length: 12 }, () => 1)],
  ] as const) {
    it(`begins ${turns[0]} a turn where each takes ${eachMs} ms`, async () => {
      const found = await begunByTurn(eachMs, 12)
      expect(found.filter((begun) => begun > 0)).to.deep.equal(turns)
    })
  }
})
