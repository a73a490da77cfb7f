/** The last uses of API keys: one write of a process in a minute, whatever many requests, and no request waits for it. */
import { expect } from 'chai'
import { KeyUses } from '#component/token/key-uses.ts'

const start = 1_763_740_800

describe('the last use of an API key', () => {
  let now: number
  let lines: number
  let isAway: boolean
  let noted: (readonly [id: string, usedAt: number, exp: number])[]
  const uses = () =>
    new KeyUses({
      clock: { now: () => now * 1_000, after: () => () => undefined },
      log: {
        warn: () => {
          lines += 1
        },
      },
      store: {
        async note(...use) {
          if (isAway) throw new Error('away')
          noted.push(use)
        },
        async lastUses(ids) {
          const known = noted.map(([id, usedAt]) => [id, usedAt] as const)
          return new Map(known.filter(([id]) => ids.includes(id)))
        },
      },
    })

  beforeEach(() => {
    now = start
    lines = 0
    isAway = false
    noted = []
  })

  it('is told to the store once in each minute in which the key is used', () => {
    const keys = uses()
    for (const seconds of [0, 1, 59, 60, 61, 3_599, 3_600]) {
      now = start + seconds
      keys.note('a', start + 9_999)
    }
    const minutes = [0, 60, 3_540, 3_600]
    expect(noted).to.deep.equal(minutes.map((at) => ['a', start + at, start + 9_999]))
  })

  it('is kept for 400 days where the key has no expiry', () => {
    uses().note('a')
    expect(noted).to.deep.equal([['a', start, start + 400 * 86_400]])
  })

  it('is the latest that the store or the process knows, of the keys that are asked for', async () => {
    const [one, other] = [uses(), uses()]
    one.note('a')
    now = start + 130
    other.note('a')
    other.note('b')
    expect(await one.of(['a', 'c'])).to.deep.equal(new Map([['a', start + 120]]))
  })

  it('is known to the process where the store takes no writes, which is logged once a minute', async () => {
    isAway = true
    const keys = uses()
    for (const id of ['a', 'b']) keys.note(id)
    expect(await keys.of(['a'])).to.deep.equal(new Map([['a', start]]))
    expect(lines).to.equal(1)
  })
})
