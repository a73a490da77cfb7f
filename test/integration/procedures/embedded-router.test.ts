/** Procedures of documents on the embedded router, where others differ: it discloses nobody unasked, and ends calls by `skip` and by their own timeout. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import {
  type Caller,
  documentOf,
  gone,
  openCaller,
  openSilentService,
  type SilentService,
} from './procedures.setup.ts'

describe('a procedure of a document on the embedded router', () => {
  let gateway: TestGateway
  let service: SilentService
  let caller: Caller

  before(async () => {
    service = await openSilentService()
    // what is told of a caller, and what ends a call, is the router's
    gateway = await startGateway({}, { isEmbedded: true })
    const slow = { type: 'forward', host: service.origin, http_method: 'get', path: '/slow' }
    const headers = { 'x-user': '{{invocation.caller.authid}}' }
    await gateway.mustLoad(
      documentOf({
        'com.example.slow': { action: slow },
        'com.example.named': { action: { ...slow, headers } },
        'com.example.known': {
          callers: {},
          action: { type: 'static', body: '{{invocation.caller.authid}}' },
        },
      }),
    )
    caller = await openCaller(gateway.routerUrl)
  })
  after(async () => {
    await caller?.close()
    await gateway?.stop()
    service?.close()
  })

  it('sends no header of a caller that is not disclosed', async () => {
    const answer = await caller.call('com.example.named')
    expect(answer.error).to.equal('wamp.error.invalid_argument')
    expect(String(answer.args[0])).to.include('invocation.caller.authid')
  })

  it('refuses callers that are not disclosed where it has callers', async () => {
    const answer = await caller.call('com.example.known')
    expect(answer.error).to.equal('wamp.error.not_authorized')
  })

  it('is not told of a call that its caller alone gives up', async () => {
    const request = service.nextRequest()
    const { answer, cancel } = caller.begin('com.example.slow')
    const reached = await request
    cancel('skip')
    expect((await answer).error).to.equal('wamp.error.canceled')
    expect(reached.socket.destroyed).to.equal(false)
    reached.socket.destroy()
  })

  it('ends its request when the timeout of the call is over', async () => {
    const request = service.nextRequest()
    const { answer } = caller.begin('com.example.slow', { timeout: 50 })
    expect((await answer).error).to.equal('wamp.error.timeout')
    await gone(await request)
  })
})
