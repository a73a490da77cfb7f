/** The options of messages to the embedded router: their types, null, and features that callees announce. */
import { expect } from 'chai'
import type { UnreadableMessage } from '#component/router/realm-ports.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { openRouter } from '#test/unit/router/open-router.ts'
import { RouterPeer } from './peer.ts'

const option = 'wamp.error.option_not_allowed'

describe('The embedded router', () => {
  let router: Awaited<ReturnType<typeof openRouter>>
  let told: UnreadableMessage[]
  beforeEach(async () => {
    told = []
    router = await openRouter({ onUnreadable: (message) => told.push(message) })
  })
  afterEach(() => router.close())

  describe('answers an option of the wrong type by option_not_allowed, and does nothing else, for', () => {
    const rows: readonly (readonly [code: number, options: object])[] = [
      ...['yes', 1, [], {}].map((flag) => [48, { disclose_me: flag }] as const),
      [48, { receive_progress: 'yes' }],
      [48, { timeout: '1000' }],
      [64, { forward_timeout: 1 }],
      [64, { match: 5 }],
      [64, { invoke: ['single'] }],
      [32, { get_retained: 'x' }],
      [32, { match: true }],
      [16, { acknowledge: 1 }],
      [16, { acknowledge: 'true' }],
      ...[
        { exclude: ['x'] },
        { exclude: 5 },
        { exclude: [0] },
        { exclude: [1.5] },
        { eligible: { 1: true } },
        { eligible: ['1'] },
        { eligible_authrole: [123] },
        { eligible_authid: 'kim' },
        { exclude_authid: [null] },
        { exclude_authrole: [['staff']] },
        { exclude_me: 'yes' },
        { retain: 'x' },
        { disclose_me: 0 },
        { transaction_hash: 5 },
      ].map((options) => [16, { ...options, acknowledge: true }] as const),
    ]
    for (const [code, options] of rows) {
      it(`${code} ${JSON.stringify(options)}`, async () => {
        const [peer, other] = [await RouterPeer.join(router), await RouterPeer.join(router)]
        await other.register('q')
        await other.subscribe('t')
        const answer = await peer.ask(code, 7, options, code === 48 ? 'q' : 't')
        expect(answer.slice(0, 5)).to.deep.equal([8, code, 7, {}, option])
        expect(await other.drain()).to.deep.equal([])
        expect(await peer.drain()).to.deep.equal([])
      })
    }

    it('a publication that is not acknowledged: nobody gets it, and the router tells of it', async () => {
      const [peer, other] = [await RouterPeer.join(router), await RouterPeer.join(router)]
      await other.subscribe('t')
      peer.send(16, 1, { exclude: [String(other.id)] }, 't')
      expect(await peer.drain()).to.deep.equal([])
      expect(await other.drain()).to.deep.equal([])
      const problem = 'the option exclude is not a list of ids'
      expect(told).to.have.lengthOf(1)
      expect(told[0]).to.deep.include({ uri: 't', problem })
    })

    it('the answer of a callee: the call fails by it', async () => {
      const [callee, caller] = [await RouterPeer.join(router), await RouterPeer.join(router)]
      await callee.register('p')
      caller.send(48, 1, {}, 'p')
      callee.send(70, (await callee.next())[1], { progress: 'yes' }, ['x'])
      expect((await caller.next()).slice(0, 5)).to.deep.equal([8, 48, 1, {}, option])
    })

    for (const mode of ['slay', 5, '', ['kill'], { kill: true }]) {
      it(`CANCEL with the mode ${JSON.stringify(mode)}: its call ends by it`, async () => {
        const [callee, caller] = [await RouterPeer.join(router), await RouterPeer.join(router)]
        await callee.register('p')
        caller.send(48, 1, {}, 'p')
        const [, request] = await callee.next()
        caller.send(49, 1, { mode })
        expect((await caller.next()).slice(0, 5)).to.deep.equal([8, 48, 1, {}, option])
        expect((await callee.next()).slice(0, 2)).to.deep.equal([69, request])
        callee.send(70, request, {})
        expect(await caller.drain()).to.deep.equal([])
        caller.send(49, 99, { mode })
        expect(await caller.drain()).to.deep.equal([])
      })
    }
  })

  it('takes null for an option that is not there', async () => {
    const peer = await RouterPeer.join(router)
    const nulls = (...names: string[]) => Object.fromEntries(names.map((name) => [name, null]))
    await peer.register('p', nulls('match', 'invoke', 'forward_timeout'))
    await peer.subscribe('t', nulls('match', 'get_retained'))
    peer.send(48, 1, nulls('timeout', 'disclose_me', 'receive_progress'), 'p')
    const [code, request, , details] = await peer.next()
    expect([code, details]).to.deep.equal([68, {}])
    peer.send(70, request, nulls('progress'))
    expect((await peer.next())[0]).to.equal(50)
    const lists = nulls('exclude', 'eligible', 'exclude_authid', 'eligible_authrole')
    peer.send(16, 2, { ...nulls('acknowledge', 'retain', 'transaction_hash'), ...lists }, 't')
    expect(await peer.drain()).to.deep.equal([])
  })

  it('asks for progressive results only callees that announce features, this one or none of it', async () => {
    for (const [features, expected] of [
      [{ progressive_call_results: true }, [{ receive_progress: true }, 50, 50]],
      // as wampy announces them
      [{ call_timeout: true }, [{ receive_progress: true }, 50, 50]],
      [{ progressive_call_results: 'yes' }, [{}, 50]],
      [{ progressive_call_results: false, call_timeout: true }, [{}, 50]],
      [{}, [{}, 50]],
    ] as const) {
      const callee = await RouterPeer.join(router, undefined, { roles: { callee: { features } } })
      const caller = await RouterPeer.join(router)
      await callee.register('p')
      caller.send(48, 1, { receive_progress: true }, 'p')
      const [, request, , details] = await callee.next()
      callee.send(70, request, { progress: true }, ['piece'])
      callee.send(70, request, {}, ['all'])
      const got: unknown[] = [details]
      for (let last: unknown; last !== 'all'; ) {
        const [code, , , args] = await caller.next()
        got.push(code)
        last = (args as unknown[])[0]
      }
      expect(got).to.deep.equal(expected)
      callee.cut()
      await untilHolds(() => router.router.calleesOf('realm1', 'p') === 0)
    }
  })
})
