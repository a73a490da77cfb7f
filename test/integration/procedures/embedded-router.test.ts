/** Procedures of documents on the embedded router, where others differ: it discloses nobody unasked, and ends calls by `skip` and by their own timeout. */
import { expect } from 'chai'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import {
  type Caller,
  documentOf,
  gone,
  openCaller,
  openSilentService,
  realm,
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
        'com.example.step.': {
          match: 'prefix',
          action: {
            type: 'wamp_call',
            procedure:
              'com.example.step.{{invocation.components |> nth(4) |> integer |> add(-1) |> string}}',
          },
        },
        'com.example.step.1': { action: { type: 'static', body: 'the last' } },
        'com.example.ping': { action: { type: 'wamp_call', procedure: 'com.example.pong' } },
        'com.example.pong': { action: { type: 'wamp_call', procedure: 'com.example.ping' } },
      }),
    )
    caller = await openCaller(gateway.routerUrl)
  })

  for (const [steps, expected] of [
    [9, 'the last'],
    [10, 'service.error.loop_detected'],
  ] as const) {
    it(`calls others through at most 8 more: ${steps} are answered by ${expected}`, async () => {
      const { args, error = args[0] } = await caller.call(`com.example.step.${steps}`)
      expect(error).to.equal(expected)
    })
  }

  it('warns of a circle that a second document closes', async () => {
    const call = (id: string, uri: string, procedure: string) => ({
      ...{ id, realm_uri: realm },
      procedures: { [uri]: { action: { type: 'wamp_call', procedure } } },
    })
    const first = await gateway.load(call('com.example.there', 'com.example.to', 'com.example.fro'))
    expect(first.body.warnings ?? []).to.deep.equal([])
    const { body } = await gateway.load(
      call('com.example.back', 'com.example.fro', 'com.example.to'),
    )
    expect(body.warnings).to.deep.equal([
      {
        path: '/procedures/com.example.fro/action',
        message:
          'calls in a circle: com.example.fro → com.example.to (com.example.there) → com.example.fro; such a call ends in service.error.loop_detected',
      },
    ])
  })

  it('ends a circle of procedures', async () => {
    const { error, kwargs } = await caller.call('com.example.ping')
    expect(error).to.equal('service.error.loop_detected')
    expect(kwargs).to.include({ message: 'the call has gone through 9 procedures of documents' })
  })

  it('ends a request that its forward brings back', async () => {
    const count = { 'x-forward': 'yes' }
    const action = { type: 'forward', host: gateway.url, headers: count, path: '/again' }
    const response = { on_result: {}, on_error: {} }
    const versions = { '1': { base_path: '/', paths: { '/again': { get: { action, response } } } } }
    const more = { id: 'com.example.again', host: '_', versions }
    await gateway.mustLoad(documentOf({}, more))
    const answer = await fetch(`${gateway.url}/again`)
    expect(answer.status).to.equal(508)
    expect(await answer.json()).to.include({ code: 'service.error.loop_detected' })
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
