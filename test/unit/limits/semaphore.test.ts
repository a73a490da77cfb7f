/** Semaphore: how many run, who is next, and who is refused. */
import { expect } from 'chai'
import { Semaphore } from '#component/limits/semaphore.ts'

/** Work that ends when the test says so. */
function works() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<string>((resolve) => ends.set(name, () => resolve(name)))
  }
  return { begun, work, end: (name: string) => ends.get(name)?.() }
}

describe('turns', () => {
  it('are taken so many at once, in the order of asking', async () => {
    const turns = new Semaphore({ atOnce: 2, waiting: 9 })
    const { begun, work, end } = works()
    const done = ['a', 'b', 'c', 'd'].map((name) => turns.run(work(name)))
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
    void turns.run(work('e'))
    expect(begun.at(-1)).to.equal('e')
  })

  it('are refused beyond those that may wait, and there again when somebody has begun', async () => {
    const turns = new Semaphore({ atOnce: 1, waiting: 1 })
    const { work, end } = works()
    const [first, second] = [turns.run(work('a')), turns.run(work('b'))]
    const refused = await turns.run(work('c')).catch((error: unknown) => error)
    expect(refused).to.include({ uri: 'service.error.unavailable', status: 503 })
    expect(refused).to.have.nested.property('headers.retry-after', '1')
    end('a')
    await first
    const third = turns.run(work('d'))
    end('b')
    await second
    end('d')
    expect(await third).to.equal('d')
  })

  it('pass on when work fails', async () => {
    const turns = new Semaphore({ atOnce: 1, waiting: 1 })
    const failed = turns.run(() => Promise.reject(new Error('no')))
    const next = turns.run(() => Promise.resolve('yes'))
    expect(await failed.catch(({ message }: Error) => message)).to.equal('no')
    expect(await next).to.equal('yes')
  })
})
