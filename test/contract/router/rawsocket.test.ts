/** The embedded router over RawSocket (WAMP: RawSocket Transport). */
import { once } from 'node:events'
import { createServer, type Server, type Socket } from 'node:net'
import { expect } from 'chai'
import { Quota } from '#component/limits/quota.ts'
import { Router, type RouterOptions } from '#component/router/router.ts'
import { openPolicy } from '#test/support/examples/open-policy.ts'
import { until } from '#test/support/running/until.ts'
import { RawPeer, type RawSerializer, rawFrame } from './raw-peer.ts'

/** Longest message of the router; 2^16. */
const longest = 65_536

describe('the embedded router over RawSocket', () => {
  let router: Router
  let server: Server
  const peers: RawPeer[] = []
  /** The router's ends. */
  const sockets: Socket[] = []

  async function start(options: Partial<RouterOptions> = {}): Promise<void> {
    router = new Router({
      ...{ policy: openPolicy(['realm1']), maxMessageBytes: longest },
      ...options,
    })
    server = createServer((socket: Socket) => {
      sockets.push(socket)
      router.handleRawSocket(socket, '192.0.2.1')
    })
    await once(server.listen(0, '127.0.0.1'), 'listening')
  }
  const open = (): RawPeer => {
    const peer = new RawPeer({ ...(server.address() as { port: number }), host: '127.0.0.1' })
    peers.push(peer)
    return peer
  }
  const joined = async (serializer?: RawSerializer, exponent?: number): Promise<RawPeer> => {
    const peer = open()
    await peer.greet(serializer, exponent)
    expect((await peer.join('realm1'))[0]).to.equal(2)
    return peer
  }
  afterEach(async () => {
    for (const peer of peers.splice(0)) peer.socket.destroy()
    sockets.length = 0
    await router.close()
    server.close()
  })

  for (const [serializer, answer] of [
    ['json', '7f710000'],
    ['msgpack', '7f720000'],
    ['cbor', '7f730000'],
  ] as const) {
    it(`joins, calls, publishes and leaves by ${serializer}`, async () => {
      await start()
      const [callee, caller] = [open(), open()]
      for (const peer of [callee, caller]) {
        expect(await peer.greet(serializer)).to.equal(answer)
        expect((await peer.join('realm1'))[0]).to.equal(2)
      }
      expect((await callee.ask(64, 1, {}, 'com.example.add'))[0]).to.equal(65)
      expect((await callee.ask(32, 2, {}, 'com.example.topic'))[0]).to.equal(33)
      caller.send(48, 1, {}, 'com.example.add', ['ü'.repeat(10_000), 70_000])
      const invocation = await callee.next()
      expect([invocation[0], invocation[4]]).to.deep.equal([68, ['ü'.repeat(10_000), 70_000]])
      callee.send(70, invocation[1], {}, [3])
      expect((await caller.next()).slice(0, 4)).to.deep.equal([50, 1, {}, [3]])
      caller.send(16, 2, {}, 'com.example.topic', ['news'])
      expect((await callee.next()).slice(4)).to.deep.equal([['news']])
      expect(await caller.ask(6, {}, 'wamp.close.goodbye_and_out')).to.deep.equal([
        ...[6, {}, 'wamp.close.goodbye_and_out'],
      ])
      // it may come again over the same connection
      expect((await caller.join('realm1'))[0]).to.equal(2)
    })
  }

  it('is told by the session meta API', async () => {
    await start()
    const peer = await joined()
    peer.send(48, 1, {}, 'wamp.session.list')
    const [, , , [ids]] = (await peer.next()) as [number, number, object, [number[]]]
    const result = await peer.ask(48, 2, {}, 'wamp.session.get', [ids[0]])
    expect((result[3] as [{ transport: unknown }])[0].transport).to.deep.equal({
      ...{ type: 'rawsocket', peer: '192.0.2.1' },
    })
  })

  for (const [title, bytes, answer] of [
    ['HTTP', Buffer.from('GET / HTTP/1.1\r\n\r\n'), ''],
    ['TLS', Buffer.of(0x16, 3, 1, 2, 0), ''],
    ['no serializer', Buffer.of(0x7f, 0xf0, 0, 0), '7f100000'],
    ['a serializer that is not served', Buffer.of(0x7f, 0xf4, 0, 0), '7f100000'],
    ['messages that hardly hold WELCOME', Buffer.of(0x7f, 0x21, 0, 0), '7f200000'],
    ['the third byte', Buffer.of(0x7f, 0xf1, 1, 0), '7f300000'],
    ['the fourth byte', Buffer.of(0x7f, 0xf1, 0, 1), '7f300000'],
  ] as const) {
    it(`refuses a handshake (${title}) with ${answer || 'nothing'}, and closes`, async () => {
      await start()
      const peer = open()
      peer.socket.write(bytes)
      expect((await peer.read(5)).toString('hex')).to.equal(answer)
      await peer.closed
    })
  }

  it('takes a handshake that comes by bytes, and what comes with it', async () => {
    await start()
    const peer = open()
    for (const byte of [0x7f, 0xf1, 0]) {
      peer.socket.write(Buffer.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    const hello = Buffer.from(JSON.stringify([1, 'realm1', { roles: { caller: {} } }]))
    peer.socket.write(Buffer.concat([Buffer.of(0), rawFrame(0, hello)]))
    expect((await peer.read(4)).toString('hex')).to.equal('7f710000')
    expect((await peer.next())[0]).to.equal(2)
  })

  it('closes without a handshake in time, and without HELLO in time', async () => {
    await start({ handshakeTimeoutMs: 50 })
    const [silent, half, greeted] = [open(), open(), open()]
    half.socket.write(Buffer.of(0x7f))
    expect(await greeted.greet()).to.equal('7f710000')
    await Promise.all([silent.closed, half.closed, greeted.closed])
  })

  it('refuses connections beyond those that it may have with 7f400000', async () => {
    await start({ maxSessions: 2 })
    await joined()
    const second = open()
    expect((await second.read(5)).toString('hex')).to.equal('7f400000')
    await second.closed
    peers[0]?.socket.destroy()
    await until('its place is free', async () => (await open().greet()) === '7f710000')
  })

  for (const [title, frame] of [
    ['of type 3', Buffer.of(3, 0, 0, 1, 0)],
    ['of reserved bits', Buffer.of(0x80, 0, 0, 1, 0)],
    ['that is longer than agreed', Buffer.of(0, 1, 0, 1, 0)],
    ['of PING with more than 1,024 bytes', rawFrame(1, Buffer.alloc(1_025))],
  ] as const) {
    it(`ends a peer that sends a frame ${title}, and no other one`, async () => {
      await start()
      const [other, peer] = [await joined(), await joined()]
      peer.socket.write(frame)
      await peer.closed
      expect((await other.ask(32, 1, {}, 'com.example.topic'))[0]).to.equal(33)
    })
  }

  for (const [title, payload, answer] of [
    ['no message', Buffer.alloc(0), [3]],
    ['what is no list', Buffer.from('{}'), [3]],
    ['half a request', Buffer.from('[32,1,{}'), [8, 32, 1]],
  ] as const) {
    it(`responds with ${answer[0] === 3 ? 'ABORT' : 'ERROR'} to ${title}`, async () => {
      await start()
      const peer = await joined()
      peer.socket.write(rawFrame(0, payload))
      expect((await peer.next()).slice(0, answer.length === 1 ? 1 : 3)).to.deep.equal(answer)
      if (answer[0] === 3) await peer.closed
    })
  }

  it('refuses a message of more than 64 KiB before WELCOME', async () => {
    await start({ maxMessageBytes: 1_000_000 })
    const peer = open()
    await peer.greet()
    const answer = await peer.ask(1, 'realm1', { text: 'x'.repeat(70_000) })
    expect([answer[0], answer[2]]).to.deep.equal([3, 'wamp.error.payload_size_exceeded'])
  })

  it('answers PING by PONG with its payload, and lets PONG pass', async () => {
    await start()
    const peer = await joined()
    peer.socket.write(Buffer.concat([rawFrame(2, Buffer.from('old')), rawFrame(1, Buffer.of(7))]))
    expect(await peer.frame()).to.deep.equal({ type: 2, payload: Buffer.of(7) })
  })

  it('answers PINGs of one read in turns of 64, each in two writes, in their order', async () => {
    const count = 4_000
    await start()
    const peer = await joined()
    const [socket] = sockets
    if (socket === undefined) throw new TypeError('no socket')
    let writes = 0
    const { _write, _writev } = socket
    socket._write = (...args) => {
      writes++
      _write.apply(socket, args)
    }
    socket._writev = (...args) => {
      writes++
      _writev?.apply(socket, args)
    }
    const pings = Array.from({ length: count }, (_, at) => rawFrame(1, Buffer.of(at >> 8, at)))
    peer.socket.write(Buffer.concat(pings))
    for (let at = 0; at < count; at++) {
      expect(await peer.frame()).to.deep.equal({ type: 2, payload: Buffer.of(at >> 8, at) })
    }
    // the first answer of a turn is not held back
    expect(writes).to.be.within(count / 64, 2 * (count / 64 + 1))
  })

  it('ends a peer that is silent within a frame, and none that is silent between frames', async () => {
    await start({ pingIntervalMs: 10, pingTimeoutMs: 10 })
    const [idle, half, head] = [await joined(), await joined(), await joined()]
    half.socket.write(rawFrame(0, Buffer.from('[32,1,{},"com.example.topic"]')).subarray(0, 20))
    head.socket.write(Buffer.of(0, 0))
    await Promise.all([half.closed, head.closed])
    expect((await idle.ask(32, 1, {}, 'com.example.topic'))[0]).to.equal(33)
  })

  for (const [serializer, bytes] of [
    ['json', 5_000],
    ['msgpack', 70_000],
    ['cbor', 70_000],
  ] as const) {
    it(`fails a call whose result of ${bytes} bytes the caller does not take, leaves out such a subscriber, and holds nothing for them: ${serializer}`, async () => {
      const budget = new Quota(64 * 1_048_576)
      await start({ budget, maxMessageBytes: 1_000_000 })
      const [callee, caller] = [await joined(serializer), await joined(serializer, 3)]
      await callee.ask(64, 1, {}, 'com.example.long')
      await caller.ask(32, 1, {}, 'com.example.topic')
      caller.send(48, 2, {}, 'com.example.long')
      const [, request] = await callee.next()
      callee.send(70, request, {}, ['x'.repeat(bytes)])
      expect((await caller.next()).slice(0, 3)).to.deep.equal([8, 48, 2])
      callee.send(16, 3, {}, 'com.example.topic', ['x'.repeat(bytes)])
      callee.send(16, 4, {}, 'com.example.topic', ['short'])
      expect((await caller.next())[4]).to.deep.equal(['short'])
      await until('nothing is held', () => budget.used === 0)
    })
  }

  it('reads a long message in steps, and what is behind it in order', async () => {
    await start({ maxMessageBytes: 16_777_216 })
    const [publisher, subscriber] = [await joined('msgpack'), await joined('cbor')]
    await subscriber.ask(32, 1, {}, 'com.example.topic')
    const long = Array.from({ length: 200_000 }, (_, index) => index)
    publisher.send(16, 1, {}, 'com.example.topic', [long])
    publisher.send(16, 2, {}, 'com.example.topic', ['behind'])
    expect((await subscriber.next())[4]).to.deep.equal([long])
    expect((await subscriber.next())[4]).to.deep.equal(['behind'])
  })

  it('says GOODBYE when it closes, and refuses what comes then', async () => {
    await start()
    const peer = await joined()
    const closed = router.close()
    expect(await peer.next()).to.deep.equal([
      ...[6, { message: 'the router is shutting down' }, 'wamp.close.system_shutdown'],
    ])
    const late = open()
    expect((await late.read(5)).toString('hex')).to.equal('7f400000')
    peer.send(6, {}, 'wamp.close.goodbye_and_out')
    await Promise.all([closed, peer.closed, late.closed])
  })
})
