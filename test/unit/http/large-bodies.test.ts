/** Turns of large bodies. */
import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'
import { expect } from 'chai'
import { decodingTurn, decodingTurns, isLarge } from '#http/body/large-bodies.ts'

describe('isLarge', () => {
  it('holds for bodies from 256 kB on', () => {
    expect([isLarge(262_143), isLarge(262_144)]).to.deep.equal([false, true])
  })
})

describe('decodingTurn', () => {
  it('gives each large body a turn of the event loop of its own', async () => {
    const turns: number[] = []
    let turn = 0
    const count = () => {
      turn += 1
      if (turns.length < 3) setImmediate(count)
    }
    setImmediate(count)
    await Promise.all([1, 2, 3].map(() => decodingTurn().then(() => turns.push(turn))))
    expect(new Set(turns).size).to.equal(3)
  })
})

describe('decodingTurns', () => {
  /** Decodes bodies that take so long each, and tells what was waited between them; milliseconds. */
  async function restsOf(tookMs: readonly number[]): Promise<readonly number[]> {
    let now = 0
    const rests: number[] = []
    const turn = decodingTurns({
      now: () => now,
      wait: async (ms) => {
        now += ms
        rests.push(ms)
      },
    })
    await Promise.all(
      tookMs.map(async (ms) => {
        await turn()
        now += ms
      }),
    )
    return rests
  }

  it('leaves a quarter of the time of a body to other requests before the next one', async () => {
    expect(await restsOf([40, 8, 5])).to.deep.equal([10, 2])
  })

  it('leaves at most 20 ms', async () => {
    expect(await restsOf([1000, 0])).to.deep.equal([20])
  })

  it('does not rest after bodies of less than 4 ms, nor before the first', async () => {
    expect(await restsOf([3, 3, 3])).to.deep.equal([])
  })

  it('does not delay a body that comes later', async () => {
    let now = 0
    const rests: number[] = []
    const turn = decodingTurns({ now: () => now, wait: async (ms) => rests.push(ms) })
    await turn()
    now += 40
    await wait(5)
    now += 10
    await turn()
    expect(rests).to.deep.equal([])
  })

  it('serves what needs several turns of the event loop between two bodies', async () => {
    let now = 0
    const order: string[] = []
    const call = async () => {
      for (let hop = 0; hop < 4; hop++) await nextTurn()
      order.push('call')
    }
    const turn = decodingTurns({ now: () => now, wait: call })
    const decode = async (name: string) => {
      await turn()
      order.push(name)
      now += 60
    }
    await Promise.all([decode('one'), decode('two')])
    expect(order).to.deep.equal(['one', 'call', 'two'])
  })
})
