/** Long work in steps: at once, or with pauses in which others have their turn. */
import { expect } from 'chai'
import { breather } from '#component/breather.ts'
import { runAtOnce, runSteps, type Steps } from '#component/spec/steps.ts'

function* count(steps: number, done: number[]): Steps<string> {
  for (let step = 0; step < steps; step += 1) {
    done.push(step)
    yield
  }
  return 'done'
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
    function* failing(): Steps<string> {
      yield
      throw new RangeError('x')
    }
    expect(() => runAtOnce(failing())).to.throw(RangeError)
    const failure = await runSteps(failing(), () => undefined).catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(RangeError)
  })

  it('lets the event loop have its turn, however much there is to do', async () => {
    let turns = 0
    const turn = (): void => {
      turns += 1
      timer = setImmediate(turn)
    }
    let timer = setImmediate(turn)
    const end = performance.now() + 50
    function* busy(): Steps<void> {
      while (performance.now() < end) yield
    }
    await runSteps(busy(), breather())
    clearImmediate(timer)
    expect(turns).to.be.greaterThan(1)
  })
})
