/** Trace contexts on the embedded router: from the options of calls and publications of any client to the details of those that receive them. */
import { expect } from 'chai'
import { openRouter } from '#test/unit/router/open-router.ts'
import { RouterPeer } from './peer.ts'

const _traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const context = { _traceparent, _tracestate: 'vendor=1' }

describe('A trace context on the embedded router', () => {
  let router: Awaited<ReturnType<typeof openRouter>>
  let sender: RouterPeer
  let receiver: RouterPeer
  beforeEach(async () => {
    router = await openRouter()
    sender = await RouterPeer.join(router)
    receiver = await RouterPeer.join(router)
  })
  afterEach(() => router.close())

  it('is announced in WELCOME', async () => {
    const peer = await RouterPeer.open(router.url)
    const [, , details] = await peer.ask(1, router.realm, { roles: { caller: {} } })
    expect(details).to.include({ _trace_context: true })
  })

  it('reaches the callee, with all else that its details hold', async () => {
    await receiver.register('com.test', { match: 'prefix' })
    sender.send(48, 1, { ...context, disclose_me: true }, 'com.test.x')
    const [, , , details] = await receiver.next()
    expect(details).to.include({ ...context, procedure: 'com.test.x', caller_authid: 'anonymous' })
  })

  it('reaches subscribers, by pattern and exactly, with the publisher', async () => {
    const exact = await RouterPeer.join(router)
    await exact.subscribe('com.test.x')
    await receiver.subscribe('com.test', { match: 'prefix' })
    sender.send(16, 1, { ...context, disclose_me: true }, 'com.test.x')
    const disclosed = { ...context, publisher_authid: 'anonymous' }
    expect((await receiver.next())[3]).to.include({ ...disclosed, topic: 'com.test.x' })
    expect((await exact.next())[3]).to.include(disclosed)
  })

  it('is not kept with a retained event', async () => {
    await receiver.subscribe('com.test.kept')
    sender.send(16, 1, { ...context, retain: true }, 'com.test.kept', ['e'])
    expect((await receiver.next())[3]).to.deep.equal(context)
    await sender.drain()
    const late = await RouterPeer.join(router)
    await late.subscribe('com.test.kept', { get_retained: true })
    expect((await late.next())[3]).to.deep.equal({ retained: true })
  })

  it('is left out where it is malformed, and the call goes on', async () => {
    await receiver.register('com.test')
    sender.send(48, 1, { _traceparent: 'x'.repeat(5000), _tracestate: 7 }, 'com.test', ['arg'])
    const invocation = await receiver.next()
    expect(invocation.slice(3)).to.deep.equal([{}, ['arg']])
  })

  it('does not come back with the result', async () => {
    await receiver.register('com.test')
    sender.send(48, 1, context, 'com.test')
    const invocation = await receiver.next()
    receiver.send(70, invocation[1], context, ['done'])
    expect(await sender.next()).to.deep.equal([50, 1, {}, ['done']])
  })
})
