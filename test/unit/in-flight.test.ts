/** What is under way: a map that stays itself, however many entries have come and gone. */
import { expect } from 'chai'
import { InFlight } from '#component/in-flight.ts'

describe('what is in flight', () => {
  it('finds what is there, and nothing that is gone', () => {
    const inFlight = new InFlight<string, number>()
    inFlight.set('a', 1)
    inFlight.set('b', 2)
    expect(inFlight.delete('a')).to.equal(true)
    expect(inFlight.delete('a')).to.equal(false)
    expect([inFlight.get('a'), inFlight.get('b')]).to.deep.equal([undefined, 2])
    expect([inFlight.has('a'), inFlight.has('b'), inFlight.size]).to.deep.equal([false, true, 1])
  })

  it('keeps what stays while thousands come and go', () => {
    const inFlight = new InFlight<number, string>()
    inFlight.set(-1, 'stays')
    for (let id = 0; id < 10_000; id += 1) {
      inFlight.set(id, 'comes')
      if (id >= 64) inFlight.delete(id - 64)
    }
    expect(inFlight.size).to.equal(65)
    expect(inFlight.keys()).to.deep.equal([-1, ...Array.from({ length: 64 }, (_, at) => 9936 + at)])
    expect(inFlight.get(-1)).to.equal('stays')
  })

  it('may change while its values are walked', () => {
    const inFlight = new InFlight<number, number>()
    for (let id = 0; id < 10; id += 1) inFlight.set(id, id)
    for (const id of inFlight.values()) inFlight.delete(id)
    expect(inFlight.size).to.equal(0)
  })
})
