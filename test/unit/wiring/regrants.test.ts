/** When routers are asked again whether open streams may have their topics. */
import { expect } from 'chai'
import { Regrants } from '#component/wiring/streams/regrants.ts'
import { ManualClock, settled } from '#test/unit/action/doubles.ts'

describe('the topics of open streams', () => {
  it('are judged again at once when a realm changes, and at most once a second while it goes on', async () => {
    const clock = new ManualClock()
    const rounds: string[] = []
    const streams = {
      async regrant(uris: ReadonlySet<string>) {
        rounds.push([...uris].join())
      },
    }
    const regrants = new Regrants({ streams, clock, yieldTurn: () => undefined })
    regrants.add(['a'])
    expect(rounds).to.deep.equal(['a'])
    await settled()
    for (let count = 0; count < 9; count += 1) {
      regrants.add(count % 2 ? ['a'] : ['b'])
      await clock.advance(100)
    }
    expect(rounds).to.deep.equal(['a'])
    await clock.advance(100)
    expect(rounds).to.deep.equal(['a', 'b,a'])
    await clock.advance(2_000)
    expect(rounds).to.have.length(2)
    expect(clock.pending).to.equal(0)
  })
})
