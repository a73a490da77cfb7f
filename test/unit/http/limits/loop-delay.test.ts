/** Delays of the event loop as the metrics show them. */
import { expect } from 'chai'
import { LoopDelay } from '#http/limits/loop-delay.ts'

/** A watch whose timer is called by hand, every 20 ms when nothing delays it. */
class Setup {
  at = 0
  readonly delay = new LoopDelay(() => this.at)

  tick(after: number): void {
    this.at += after
    this.delay.tick()
  }
}

describe('the delay of the event loop', () => {
  it('is 0 for a loop that turns in time', () => {
    const setup = new Setup()
    for (let count = 0; count < 10; count += 1) setup.tick(20)
    expect(setup.delay.read().max).to.be.closeTo(0, 0.001)
  })

  it('shows the longest stall since it was last asked', () => {
    const setup = new Setup()
    setup.tick(20)
    setup.tick(520)
    setup.tick(20)
    expect(setup.delay.read().max).to.be.closeTo(0.5, 0.005)
    setup.tick(20)
    expect(setup.delay.read().max).to.be.closeTo(0, 0.001)
  })

  it('shows a stall that begins when it is asked', () => {
    const setup = new Setup()
    setup.tick(20)
    setup.delay.read()
    setup.tick(620)
    expect(setup.delay.read().max).to.be.closeTo(0.6, 0.005)
  })

  it('shows a stall that has not ended yet', () => {
    const setup = new Setup()
    setup.tick(20)
    setup.at += 320
    expect(setup.delay.read().max).to.be.closeTo(0.3, 0.005)
  })
})
