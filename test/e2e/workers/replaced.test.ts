/** A worker that dies is replaced, and nobody is turned away meanwhile. */
import { expect } from 'chai'
import { ConnectionAttempts } from '#test/support/connection-attempts.ts'
import { replaced, workersOf } from './replaced.setup.ts'

describe('a gateway whose workers are killed', () => {
  const count = 2
  const gatewayOf = workersOf(count)

  it('refuses no connection, breaks only what they had, and replaces each under its name', async () => {
    const gateway = gatewayOf()
    const attempts = new ConnectionAttempts(`${gateway.url}/workers/static`)
    const names = [...gateway.workers().keys()].sort()
    let killed = 0
    for (let round = 0; round < 2; round++) {
      for (const [name, pid] of gateway.workers()) {
        process.kill(pid, 'SIGKILL')
        killed += 1
        await replaced(gateway, name, pid)
      }
    }
    const { 200: served = 0, broken = 0, ...others } = await attempts.stop()
    expect(others).to.deep.equal({})
    expect(served).to.be.above(100)
    // each of the eight clients has one connection at a time
    expect(broken).to.be.at.most(killed * 8)
    expect([...gateway.workers().keys()].sort()).to.deep.equal(names)
  })
})
