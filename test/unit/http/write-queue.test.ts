/** Answers leave at the end of their turn, or when they must. */
import { expect } from 'chai'
import { enqueue, flush } from '#http/write-queue.ts'

describe('answers that are ready', () => {
  let log: string[]
  beforeEach(() => {
    log = []
  })

  const answer = (content: string, fails = false) => ({
    response: {
      end(text: unknown) {
        if (fails) throw new TypeError('no such content')
        log.push(`end ${text}`)
        return this as never
      },
      destroy() {
        log.push(`destroy ${content}`)
        return this as never
      },
    },
    content,
    encoding: 'utf8' as const,
  })
  const turn = () => new Promise((resolve) => setImmediate(resolve))

  it('leave at the end of the turn, in order', async () => {
    enqueue(answer('a'))
    await Promise.resolve()
    enqueue(answer('b'))
    expect(log).to.deep.equal([])
    await turn()
    expect(log).to.deep.equal(['end a', 'end b'])
  })

  it('leave at once when they must, and only once', async () => {
    enqueue(answer('a'))
    flush()
    enqueue(answer('b'))
    expect(log).to.deep.equal(['end a'])
    await turn()
    expect(log).to.deep.equal(['end a', 'end b'])
  })

  it('are not kept back by one that cannot leave', async () => {
    enqueue(answer('a', true))
    enqueue(answer('b'))
    await turn()
    expect(log).to.deep.equal(['destroy a', 'end b'])
  })
})
