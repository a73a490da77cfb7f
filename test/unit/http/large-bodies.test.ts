/** Turns of large bodies. */
import { expect } from 'chai'
import { decodingTurn, isLarge } from '#http/codec.ts'

describe('decodingTurn', () => {
  it('is for bodies from 256 kB on', () => {
    expect([isLarge(262_143), isLarge(262_144)]).to.deep.equal([false, true])
  })

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
