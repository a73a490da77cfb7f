/** Calls of procedures that nobody waits for any more: the request to the upstream ends. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import {
  documentOf,
  gone,
  openCaller,
  openSilentService,
  type SilentService,
} from './procedures.setup.ts'

describe('a call of a procedure that is given up', () => {
  let gateway: TestGateway
  let service: SilentService

  before(async () => {
    service = await openSilentService()
    gateway = await startGateway()
    const forward = (path: string) => ({
      type: 'forward',
      ...{ host: service.origin, http_method: 'get', path },
    })
    await gateway.mustLoad(
      documentOf({
        'com.example.slow': { action: forward('/slow') },
        'com.example.both': { action: [forward('/first'), forward('/second')] },
      }),
    )
  })
  after(async () => {
    await gateway?.stop()
    service?.close()
  })

  for (const mode of ['kill', 'killnowait'] as const) {
    it(`is answered at once by wamp.error.canceled with the mode ${mode}`, async () => {
      const caller = await openCaller(gateway.routerUrl)
      const request = service.nextRequest()
      const { answer, cancel } = caller.begin('com.example.slow')
      const reached = await request
      cancel(mode)
      expect((await answer).error).to.equal('wamp.error.canceled')
      await gone(reached)
      await caller.close()
    })
  }

  it('ends with the session of the caller', async () => {
    const caller = await openCaller(gateway.routerUrl)
    const request = service.nextRequest()
    const { answer } = caller.begin('com.example.slow')
    answer.catch(() => undefined)
    const reached = await request
    await caller.close()
    await gone(reached)
  })

  it('begins no further action', async () => {
    const caller = await openCaller(gateway.routerUrl)
    const request = service.nextRequest()
    const { answer, cancel } = caller.begin('com.example.both')
    const reached = await request
    cancel('kill')
    expect((await answer).error).to.equal('wamp.error.canceled')
    await gone(reached)
    expect(service.asked).to.not.include('/second')
    await caller.close()
  })
})
