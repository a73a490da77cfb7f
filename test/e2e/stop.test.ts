/** How a gateway of 2 workers leaves on SIGTERM: it serves on while balancers see it leave, and ends when its last request has ended. */
import { Agent } from 'node:http'
import { expect } from 'chai'
import { send } from '#test/support/http-request.ts'
import { send as sendBy } from '#test/support/load.ts'
import { isAlive } from '#test/support/worker-gateway.ts'
import {
  callInFlight,
  closes,
  inOrder,
  never,
  StopFixture,
  untilClosed,
  untilNotReady,
} from './stop.setup.ts'

describe('a gateway of 2 workers that is told to stop', () => {
  const fixture = new StopFixture()

  it('lets the last call end, says GOODBYE to WAMP clients, and ends with all its workers', async () => {
    const gateway = await fixture.start({ 'health.listen': '127.0.0.1:0' })
    const workers = [...gateway.workers().values()]
    const { callee, answer, finish } = await callInFlight(gateway)
    void gateway.kill('SIGTERM')
    await untilClosed(gateway)
    expect(gateway.isRunning).to.equal(true)
    // a balancer that found no health check there would cut the call
    for (const url of [gateway.healthUrl, gateway.adminUrl])
      expect((await send(url, '/ready')).status).to.equal(503)
    finish()
    const last = await answer
    expect([last.text, closes(last)]).to.deep.equal(['"done"', true])
    const goodbye = await callee.next()
    expect([goodbye[0], goodbye[2]]).to.deep.equal([6, 'wamp.close.system_shutdown'])
    expect(await gateway.ended).to.deep.equal(inOrder)
    expect(workers.filter(isAlive)).to.deep.equal([])
  })

  it('serves on during the delay with Connection: close, not ready', async () => {
    const gateway = await fixture.start({ 'gateway.drain_delay': never })
    const agent = new Agent({ keepAlive: true })
    const ask = () => sendBy({ url: `${gateway.url}/workers/static` }, agent)
    expect((await ask()).headers.connection).to.equal('keep-alive')
    void gateway.kill('SIGTERM')
    await untilNotReady(gateway)
    for (let at = 0; at < 4; at++) {
      const { status, headers, body } = await ask()
      expect([status, headers.connection, body]).to.deep.equal([200, 'close', '"here"'])
    }
    agent.destroy()
    await gateway.kill('SIGTERM')
  })
})
