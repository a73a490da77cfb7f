/** Log lines that are left out. */
import { expect } from 'chai'
import type { Clock } from '#component/clock.ts'
import { CappedLines } from '#http/limits/capped-lines.ts'

describe('CappedLines', () => {
  let lines: object[]
  let capped: CappedLines
  let ticks: (() => void)[]

  beforeEach(() => {
    lines = []
    ticks = []
    const clock: Clock = {
      now: () => 0,
      random: () => 0,
      after(_ms, callback) {
        ticks.push(callback)
        return () => undefined
      },
    }
    const info = (fields: object) => void lines.push(fields)
    capped = new CappedLines(clock, { info: info as never })
  })

  const write = (address: string, count: number) => {
    for (let index = 0; index < count; index++) capped.info(address, { address }, 'request')
  }

  it('writes ten lines of a network in a second, then how many it has left out', () => {
    write('192.0.2.1', 25)
    expect(lines).to.have.length(10)
    for (const tick of ticks.splice(0)) tick()
    expect(lines.at(-1)).to.deep.equal({ network: '192.0.2.1', lines: 15 })
    write('192.0.2.1', 1)
    expect(lines).to.have.length(12)
  })

  it('keeps the lines of other networks', () => {
    write('2001:db8::1', 10)
    write('2001:db8::2', 1)
    write('192.0.2.1', 1)
    expect(lines.at(-1)).to.deep.equal({ address: '192.0.2.1' })
    expect(lines).to.have.length(11)
  })

  it('says nothing when nothing was left out, and waits for nothing', () => {
    write('192.0.2.1', 10)
    for (const tick of ticks.splice(0)) tick()
    expect(lines).to.have.length(10)
    expect(ticks).to.deep.equal([])
  })
})
