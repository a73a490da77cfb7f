/** Calls of procedures that nobody waits for any more: the request to the upstream ends. */
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { documentOf, openCaller, openService, type Service } from './procedures.setup.ts'

describe('a call of a procedure that is given up', () => {
  let gateway: TestGateway
  let service: Service
  let arrived: (request: IncomingMessage) => void
  let asked: string[]

  before(async () => {
    asked = []
    service = await openService((request) => {
      asked.push(request.url ?? '')
      arrived(request)
    })
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

  /** The next request that comes to the service, and when its connection is gone. */
  const nextRequest = () => {
    const { promise, resolve } = Promise.withResolvers<IncomingMessage>()
    arrived = resolve
    return promise
  }
  const gone = async (request: IncomingMessage) => {
    if (!request.socket.destroyed) await once(request.socket, 'close')
  }

  for (const mode of ['kill', 'killnowait'] as const) {
    it(`is answered at once by wamp.error.canceled with the mode ${mode}`, async () => {
      const caller = await openCaller(gateway.routerUrl)
      const request = nextRequest()
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
    const request = nextRequest()
    const { answer } = caller.begin('com.example.slow')
    answer.catch(() => undefined)
    const reached = await request
    await caller.close()
    await gone(reached)
  })

  it('begins no further action', async () => {
    const caller = await openCaller(gateway.routerUrl)
    const request = nextRequest()
    const { answer, cancel } = caller.begin('com.example.both')
    const reached = await request
    cancel('kill')
    expect((await answer).error).to.equal('wamp.error.canceled')
    await gone(reached)
    expect(asked).to.not.include('/second')
    await caller.close()
  })
})
