/** The embedded router passes the suite of all routers, and keeps the promises on protocol and transport that are its own. */
import { once } from 'node:events'
import { request } from 'node:http'
import { expect } from 'chai'
import type { WampMessage } from '#component/wamp/link.ts'
import { openRouter, realm1Policy } from '#test/unit/router/open-router.ts'
import { allRoles, RouterPeer } from './peer.ts'
import { describeRouter } from './router.contract.ts'

describeRouter('The embedded router', () => openRouter())

type Opened = Awaited<ReturnType<typeof openRouter>>

describe('The embedded router itself', () => {
  let opened: Opened[] = []
  const open = async (...options: Parameters<typeof openRouter>): Promise<Opened> => {
    const router = await openRouter(...options)
    opened.push(router)
    return router
  }
  afterEach(async () => {
    for (const router of opened) await router.close()
    opened = []
  })

  describe('aborts a session, and that session only, with protocol_violation for', () => {
    const violations: readonly (readonly [string, string | Uint8Array])[] = [
      ['text that is no JSON', 'CALL'],
      ['an object', '{}'],
      ['an unknown code', '[99, 1]'],
      ['a code that only routers send', '[50, 1, {}]'],
      ['a second HELLO', '[1, "realm1", {"roles": {}}]'],
      ['a CALL with too few fields', '[48, 1, {}]'],
      ['a CALL with too many fields', '[48, 1, {}, "a", [], {}, 1]'],
      ['a request id of 0', '[48, 0, {}, "a"]'],
      ['a request id that is no integer', '[48, 1.5, {}, "a"]'],
      ['options that are a list', '[48, 1, [], "a"]'],
      ['a URI that is null', '[48, 1, {}, null]'],
      ['a request id that is null', '[48, null, {}, "a"]'],
      ['an ERROR to anything but an INVOCATION', '[8, 48, 1, {}, "a"]'],
      ['a binary frame', new Uint8Array([0x91, 0x01])],
    ]
    for (const [title, frame] of violations) {
      it(title, async () => {
        const router = await open()
        const [peer, other] = [await RouterPeer.join(router), await RouterPeer.join(router)]
        peer.webSocket.send(frame)
        const [code, , reason] = await peer.next()
        expect([code, reason]).to.deep.equal([3, 'wamp.error.protocol_violation'])
        expect(await peer.closed).to.equal(1002)
        expect(await other.drain()).to.deep.equal([])
      })
    }

    it('the request id of a call under way', async () => {
      const router = await open()
      const peer = await RouterPeer.join(router)
      await peer.register('a')
      peer.send(48, 1, {}, 'a')
      await peer.next()
      peer.send(48, 1, {}, 'a')
      expect((await peer.next())[2]).to.equal('wamp.error.protocol_violation')
    })

    it('anything but HELLO at first', async () => {
      const router = await open()
      const peer = await RouterPeer.open(router.url)
      const [code, , reason] = await peer.ask(48, 1, {}, 'a')
      expect([code, reason]).to.deep.equal([3, 'wamp.error.protocol_violation'])
    })
  })

  it('answers a malformed URI with an ERROR, and goes on', async () => {
    const peer = await RouterPeer.join(await open())
    for (const message of [
      [48, 1, {}, 'a b'],
      [64, 1, {}, 'a..b'],
      [32, 1, {}, 'a#'],
      [16, 1, { acknowledge: true }, ''],
    ]) {
      const answer = await peer.ask(...message)
      expect([answer[0], answer[4]]).to.deep.equal([8, 'wamp.error.invalid_uri'])
    }
  })

  it('answers an option of the wrong type with an ERROR, and goes on', async () => {
    const peer = await RouterPeer.join(await open())
    for (const message of [
      [48, 1, { timeout: 'a' }, 'a'],
      [48, 1, { timeout: -1 }, 'a'],
      [64, 1, { match: 'regex' }, 'a'],
      [64, 1, { invoke: 'toString' }, 'a'],
      [32, 1, { match: 1 }, 'a'],
      [16, 1, { acknowledge: true, exclude: 5 }, 'a'],
    ]) {
      const answer = await peer.ask(...message)
      expect([answer[0], answer[4]]).to.deep.equal([8, 'wamp.error.option_not_allowed'])
    }
  })

  it('refuses an upgrade without a subprotocol that it serves', async () => {
    const { url } = await open()
    const headers = { Connection: 'Upgrade', Upgrade: 'websocket' }
    const outgoing = request(url.replace('ws:', 'http:'), {
      headers: { ...headers, 'Sec-WebSocket-Protocol': 'wamp.2.flatbuffers' },
    }).end()
    const [response] = await once(outgoing, 'response')
    expect(response.statusCode).to.equal(400)
    outgoing.destroy()
  })

  it('closes a connection that does not join in time', async () => {
    const { url } = await open({ handshakeTimeoutMs: 20 })
    const peer = await RouterPeer.open(url)
    expect((await peer.next())[2]).to.equal('wamp.error.authentication_failed')
    expect(await peer.closed).to.equal(1000)
  })

  it('lets a peer join again after GOODBYE', async () => {
    const router = await open()
    const peer = await RouterPeer.join(router)
    expect(await peer.ask(6, {}, 'wamp.close.close_realm')).to.deep.equal([
      6,
      {},
      'wamp.close.goodbye_and_out',
    ])
    expect(router.router.sessionCount).to.equal(0)
    expect((await peer.ask(1, 'realm1', { roles: allRoles }))[0]).to.equal(2)
  })

  it('closes a connection whose message is too large', async () => {
    const peer = await RouterPeer.join(await open({ maxMessageBytes: 1_000 }))
    peer.send(48, 1, {}, 'a', ['x'.repeat(1_001)])
    expect(await peer.closed).to.equal(1009)
  })

  it('pings a silent peer, and drops it when there is no answer', async () => {
    const router = await open({ pingIntervalMs: 20, pingTimeoutMs: 20 })
    const [deaf, alive] = [await RouterPeer.join(router), await RouterPeer.join(router)]
    await alive.subscribe('wamp.session.on_leave')
    ;(deaf.webSocket as unknown as { _autoPong: boolean })._autoPong = false
    expect(await deaf.closed).to.equal(1006)
    expect(((await alive.next())[4] as number[])[0]).to.equal(deaf.id)
    expect(await alive.drain()).to.deep.equal([])
  })

  it('disconnects a peer that does not read, and serves the others', async () => {
    const router = await open({ maxBufferedBytes: 1_000_000 })
    const [slow, peer] = [await RouterPeer.join(router), await RouterPeer.join(router)]
    await slow.subscribe('a')
    await peer.subscribe('wamp.session.on_leave')
    slow.webSocket.pause()
    let isGone = false
    const gone = peer.next().then(() => {
      isGone = true
    })
    for (let request = 1; !isGone && request < 1_000; request++) {
      peer.send(16, request, {}, 'a', ['x'.repeat(100_000)])
      await new Promise((resolve) => setImmediate(resolve))
    }
    await gone
    expect(await peer.drain()).to.deep.equal([])
    slow.cut()
  })

  it('says GOODBYE with system_shutdown when it closes', async () => {
    const router = await openRouter()
    const peer = await RouterPeer.join(router)
    const closing = router.close()
    expect((await peer.next())[2]).to.equal('wamp.close.system_shutdown')
    expect(await peer.closed).to.equal(1000)
    await closing
  })

  it('cuts off those who do not answer when it closes', async () => {
    const router = await openRouter()
    const peer = await RouterPeer.join(router)
    peer.webSocket.pause()
    await router.close()
    expect(router.router.sessionCount).to.equal(0)
    peer.cut()
  })

  it('says GOODBYE with close_realm to the sessions of a realm that is closed', async () => {
    const policy = { ...realm1Policy, hasRealm: () => true }
    const router = await open({ policy })
    const [one, two] = [
      await RouterPeer.join({ ...router, realm: 'com.one' }),
      await RouterPeer.join({ ...router, realm: 'com.two' }),
    ]
    router.router.closeRealm('com.one')
    expect((await one.next())[2]).to.equal('wamp.close.close_realm')
    expect(await two.drain()).to.deep.equal([])
  })

  describe('over a link within the process', () => {
    const join = (router: Opened) => {
      const link = router.router.openLink()
      const received: WampMessage[] = []
      const waiting: ((message: WampMessage) => void)[] = []
      link.onMessage = (message) => {
        const taker = waiting.shift()
        if (taker) taker(message)
        else received.push(message)
      }
      const next = () =>
        new Promise<WampMessage>((resolve) => {
          const message = received.shift()
          if (message) resolve(message)
          else waiting.push(resolve)
        })
      link.send([1, 'realm1', { roles: allRoles }])
      return { link, next }
    }

    it('passes values as they are, never within the call of send', async () => {
      const { link, next } = join(await open())
      expect((await next())[0]).to.equal(2)
      link.send([64, 1, {}, 'a'])
      await next()
      const value = { big: 2n ** 80n }
      let isSent = false
      const invocation = next().then((message) => {
        expect(isSent).to.equal(true)
        return message
      })
      link.send([48, 1, {}, 'a', [value]])
      isSent = true
      expect(((await invocation)[4] as unknown[])[0]).to.equal(value)
    })

    it('answers what a WebSocket peer cannot be sent with an ERROR', async () => {
      const router = await open()
      const callee = await RouterPeer.join(router, 'wamp.2.msgpack')
      await callee.register('b')
      const { link, next } = join(router)
      await next()
      link.send([48, 1, {}, 'b', [2n ** 80n]])
      expect((await next()).slice(0, 5)).to.deep.equal([
        8,
        48,
        1,
        {},
        'wamp.error.invalid_argument',
      ])
      expect(await callee.drain()).to.deep.equal([])
    })

    it('ends with GOODBYE, then the close', async () => {
      const router = await openRouter()
      const { link, next } = join(router)
      await next()
      const closed = new Promise<number>((resolve) => {
        link.onClose = resolve
      })
      const closing = router.close()
      expect((await next())[2]).to.equal('wamp.close.system_shutdown')
      link.send([6, {}, 'wamp.close.goodbye_and_out'])
      expect(await closed).to.equal(1000)
      await closing
    })
  })
})
