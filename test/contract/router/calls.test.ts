/** Calls and the meta API on the embedded router, where routers differ. */
import { expect } from 'chai'

import { openRouter, realm1Policy } from '#test/unit/router/open-router.ts'
import { RouterPeer, subprotocols } from './peer.ts'

describe('A call on the embedded router', () => {
  let router: Awaited<ReturnType<typeof openRouter>>
  let callee: RouterPeer & { readonly id: number }
  let caller: RouterPeer & { readonly id: number }
  beforeEach(async () => {
    router = await openRouter()
    callee = await RouterPeer.join(router)
    caller = await RouterPeer.join(router)
    await callee.register('com.slow')
  })
  afterEach(() => router.close())

  const begin = async (options: object) => {
    caller.send(48, 1, options, 'com.slow', ['x'])
    return callee.next()
  }

  it('ends after its timeout in milliseconds, and the callee is interrupted', async () => {
    const invocation = await begin({ timeout: 20 })
    expect(invocation[3]).to.deep.equal({})
    expect((await caller.next())[4]).to.equal('wamp.error.timeout')
    const interrupt = await callee.next()
    expect(interrupt).to.deep.equal([
      ...[69, invocation[1], { mode: 'killnowait', reason: 'wamp.error.timeout' }],
    ])
    callee.send(70, invocation[1], {}, ['late'])
    expect(await callee.drain()).to.deep.equal([])
    expect(await caller.drain()).to.deep.equal([])
  })

  it('is timed by a callee that asked for it by forward_timeout, and by nobody else', async () => {
    await callee.register('com.timed', { forward_timeout: true, invoke: 'roundrobin' })
    const other = await RouterPeer.join(router)
    await other.register('com.timed', { invoke: 'roundrobin' })
    caller.send(48, 1, { timeout: 20 }, 'com.timed')
    const invocation = await callee.next()
    expect(invocation[3]).to.deep.equal({ timeout: 20 })
    caller.send(48, 2, { timeout: 20 }, 'com.timed')
    expect((await other.next())[3]).to.deep.equal({})
    // the second call times out, which was made later; the first one still waits for its callee
    expect((await caller.next()).slice(0, 5)).to.deep.equal([8, 48, 2, {}, 'wamp.error.timeout'])
    callee.send(8, 68, invocation[1], {}, 'wamp.error.timeout')
    expect((await caller.next()).slice(0, 5)).to.deep.equal([8, 48, 1, {}, 'wamp.error.timeout'])
  })

  it('canceled in mode skip leaves the callee alone, and ignores its late answer', async () => {
    const invocation = await begin({})
    expect((await caller.ask(49, 1, { mode: 'skip' }))[4]).to.equal('wamp.error.canceled')
    callee.send(70, invocation[1], {}, ['late'])
    expect(await callee.drain()).to.deep.equal([])
    expect(await caller.drain()).to.deep.equal([])
  })

  it('canceled in mode kill brings the answer of the callee as it is', async () => {
    const invocation = await begin({})
    caller.send(49, 1, { mode: 'kill' })
    await callee.next()
    callee.send(70, invocation[1], {}, ['done all the same'])
    expect((await caller.next()).slice(3)).to.deep.equal([['done all the same']])
  })

  it('drops progress that nobody asked for', async () => {
    const invocation = await begin({})
    callee.send(70, invocation[1], { progress: true }, [1])
    callee.send(70, invocation[1], {}, [2])
    expect(await caller.next()).to.deep.equal([50, 1, {}, [2]])
  })

  it('tells nothing of the caller unless it discloses itself', async () => {
    expect((await begin({}))[3]).to.deep.equal({})
  })

  it('tells a callee that the policy trusts who calls, with all roles', async () => {
    const policy = { ...realm1Policy, seesCallers: () => true }
    const trusting = await openRouter({ policy })
    const [trusted, other] = [await RouterPeer.join(trusting), await RouterPeer.join(trusting)]
    await trusted.register('com.slow')
    other.send(48, 1, {}, 'com.slow')
    expect((await trusted.next())[3]).to.deep.equal({
      caller: other.id,
      caller_authid: 'anonymous',
      caller_authrole: 'anonymous',
      _caller_authroles: ['anonymous'],
    })
    await trusting.close()
  })

  for (const from of subprotocols) {
    for (const to of subprotocols) {
      it(`carries 64-bit integers and bytes from ${from} to ${to}`, async () => {
        const [server, client] = [
          await RouterPeer.join(router, to),
          await RouterPeer.join(router, from),
        ]
        await server.register('com.echo')
        const bytes = Buffer.from([0, 1, 254, 255])
        const sent = from === 'wamp.2.json' ? `\0${bytes.toString('base64')}` : bytes
        client.send(48, 1, {}, 'com.echo', [sent, 2 ** 53 - 1, -(2 ** 53 - 1), 'plain'])
        const invocation = await server.next()
        server.send(70, invocation[1], {}, invocation[4])
        const [received, ...rest] = (await client.next())[3] as unknown[]
        const back =
          typeof received === 'string'
            ? Buffer.from(received.slice(1), 'base64')
            : Buffer.from(Object.values((received as { data?: number[] }).data ?? Object(received)))
        expect(back).to.deep.equal(bytes)
        expect(rest).to.deep.equal([2 ** 53 - 1, -(2 ** 53 - 1), 'plain'])
      })
    }
  }

  describe('of the meta API', () => {
    const ask = async (uri: string, args: unknown[] = [], kwargs: object = {}) => {
      const answer = await caller.ask(48, 9, {}, uri, args, kwargs)
      return answer[0] === 50 ? (answer[3] as unknown[])[0] : answer[4]
    }

    it('counts, lists and shows sessions', async () => {
      expect(await ask('wamp.session.count')).to.equal(2)
      expect(await ask('wamp.session.count', [['nobody']])).to.equal(0)
      expect(await ask('wamp.session.list', [['anonymous']])).to.have.members([
        callee.id,
        caller.id,
      ])
      expect(await ask('wamp.session.get', [callee.id])).to.deep.equal({
        session: callee.id,
        authid: 'anonymous',
        authrole: 'anonymous',
        authmethod: 'anonymous',
        authprovider: 'realm',
        transport: { type: 'websocket', peer: '127.0.0.1' },
      })
    })

    for (const [uri, argument, result] of [
      ['wamp.session.kill', 'id', null],
      ['wamp.session.kill_by_authid', 'anonymous', ['id']],
      ['wamp.session.kill_by_authrole', 'anonymous', ['id']],
      ['wamp.session.kill_all', undefined, 1],
    ] as const) {
      it(`ends others by ${uri}`, async () => {
        const args = argument === undefined ? [] : [argument === 'id' ? callee.id : argument]
        const killed = await ask(uri, args, { reason: 'com.bye', message: 'why' })
        expect(killed).to.deep.equal(Array.isArray(result) ? [callee.id] : result)
        expect(await callee.next()).to.deep.equal([6, { message: 'why' }, 'com.bye'])
      })
    }

    for (const [uri, args, error] of [
      ['wamp.session.kill', [1], 'no_such_session'],
      ['wamp.session.kill_by_authid', [1], 'invalid_argument'],
      ['wamp.session.list', ['all'], 'invalid_argument'],
      ['wamp.registration.get', [999], 'no_such_registration'],
      ['wamp.registration.lookup', ['a', { match: 'x' }], 'option_not_allowed'],
      ['wamp.subscription.count_subscribers', ['a'], 'no_such_subscription'],
      ['wamp.no.such', [], 'no_such_procedure'],
    ] as const) {
      it(`answers ${uri} of ${JSON.stringify(args)} with ${error}`, async () => {
        expect(await ask(uri, [...args])).to.equal(`wamp.error.${error}`)
      })
    }

    it('does not end the caller itself', async () => {
      expect(await ask('wamp.session.kill', [caller.id])).to.equal('wamp.error.no_such_session')
    })

    it('lists registrations and subscriptions by match', async () => {
      const prefix = await callee.register('com.', { match: 'prefix' })
      const topic = await callee.subscribe('com..x', { match: 'wildcard' })
      const { exact, ...others } = (await ask('wamp.registration.list')) as { exact: number[] }
      expect(others).to.deep.equal({ prefix: [prefix], wildcard: [] })
      expect(exact).to.have.length(1)
      expect(await ask('wamp.registration.match', ['com.slow'])).to.equal(exact[0])
      expect(await ask('wamp.registration.match', ['com.other'])).to.equal(prefix)
      expect(await ask('wamp.registration.match', ['org.other'])).to.equal(null)
      expect(await ask('wamp.subscription.match', ['com.a.x'])).to.deep.equal([topic])
      expect(await ask('wamp.subscription.list_subscribers', [topic])).to.deep.equal([callee.id])
    })
  })
})
