/** Peers of the embedded router as they are: what clients send that the specification does not foresee. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect } from 'chai'
import type { UnreadableMessage } from '#component/router/realm-ports.ts'
import { openRouter } from '#test/unit/router/open-router.ts'
import { RouterPeer, subprotocols } from './peer.ts'

type Opened = Awaited<ReturnType<typeof openRouter>>

const uri = 'wamp.error.invalid_payload'

/** Bytes in hexadecimal, or text. */
const frame = (data: string) => (data.startsWith('[') ? data : Buffer.from(data, 'hex'))
const hex = (text: string) => Buffer.from(text).toString('hex')

/** Lists that cannot be read, by subprotocol. */
const unreadable: readonly (readonly [what: string, subprotocol: string, list: string])[] = [
  ['equal keys', 'wamp.2.json', '[{"a":1,"a":2}]'],
  ['half a surrogate pair', 'wamp.2.json', '["\\ud800"]'],
  ['the key __proto__', 'wamp.2.json', '[{"__proto__":1}]'],
  ['an integer of too many digits', 'wamp.2.json', `[${'9'.repeat(1001)}]`],
  ['deep nesting', 'wamp.2.json', `${'['.repeat(100)}${']'.repeat(100)}`],
  ['a word that is none', 'wamp.2.json', '[nil]'],
  ['a map', 'wamp.2.json', '{"a":1}'],
  ['text', 'wamp.2.json', '"a"'],
  ['bytes', 'wamp.2.json', '"\\u0000AQI="'],
  ['text that is no UTF-8', 'wamp.2.msgpack', '91a1ff'],
  ['a code of no meaning', 'wamp.2.msgpack', '91c1'],
  ['a number and its text as keys', 'wamp.2.msgpack', '918201c0a131c0'],
  ['a map as key', 'wamp.2.msgpack', '918180c0'],
  ['an end that comes too early', 'wamp.2.msgpack', '92c0'],
  ['bytes', 'wamp.2.msgpack', 'c40101'],
  ['an extension without data', 'wamp.2.msgpack', '91c70025'],
  ['text that is no UTF-8', 'wamp.2.cbor', '8161ff'],
  ['a simple value of no meaning', 'wamp.2.cbor', '81f8ff'],
  ['a reference to shared data', 'wamp.2.cbor', '81d81d00'],
  ['a bignum of too many digits', 'wamp.2.cbor', `81c2590200${'ff'.repeat(512)}`],
  ['a reserved head', 'wamp.2.cbor', '811c'],
]

/** The frame of a message with a list as its last field. */
function withList(subprotocol: string, fields: readonly unknown[], list: string): string {
  if (subprotocol === 'wamp.2.json') return `${JSON.stringify(fields).slice(0, -1)},${list}]`
  const [small, map, text] = subprotocol === 'wamp.2.cbor' ? [0x80, 'a0', 0x60] : [0x90, '80', 0xa0]
  const byte = (value: number) => value.toString(16).padStart(2, '0')
  const written = fields.map((field) => {
    if (typeof field === 'string') return byte(text + field.length) + hex(field)
    if (typeof field !== 'number') return map
    return subprotocol === 'wamp.2.cbor' && field > 23 ? `18${byte(field)}` : byte(field)
  })
  return byte(small + fields.length + 1) + written.join('') + list
}

describe('The embedded router', () => {
  let router: Opened
  let told: UnreadableMessage[]
  beforeEach(async () => {
    told = []
    router = await openRouter({ onUnreadable: (message) => told.push(message) })
  })
  afterEach(() => router.close())

  describe('takes null for an empty list or map', () => {
    const empty = [[], {}]
    for (const subprotocol of subprotocols) {
      it(`in CALL, YIELD and ERROR (${subprotocol})`, async () => {
        const [callee, caller] = [
          await RouterPeer.join(router, subprotocol),
          await RouterPeer.join(router, subprotocol),
        ]
        await callee.register('a', null as never)
        for (const [sent, received] of [
          [[], []],
          [[null], [[]]],
          [[null, null], empty],
          [
            [null, { a: null }],
            [[], { a: null }],
          ],
          [
            [[null], null],
            [[null], {}],
          ],
        ]) {
          caller.send(48, 7, null, 'a', ...(sent ?? []))
          const [, request, , details, ...passed] = await callee.next()
          expect([details, ...passed]).to.deep.equal([{}, ...(received ?? [])])
          callee.send(70, request, null, ...(sent ?? []))
          expect(await caller.next()).to.deep.equal([50, 7, {}, ...(received ?? [])])
          caller.send(48, 8, {}, 'a')
          callee.send(8, 68, (await callee.next())[1], null, 'e', ...(sent ?? []))
          expect(await caller.next()).to.deep.equal([8, 48, 8, {}, 'e', ...(received ?? [])])
        }
      })

      it(`in PUBLISH and SUBSCRIBE, also of retained events (${subprotocol})`, async () => {
        const [publisher, subscriber] = [
          await RouterPeer.join(router, subprotocol),
          await RouterPeer.join(router, subprotocol),
        ]
        await subscriber.subscribe('a', null as never)
        publisher.send(16, 1, null, 'a', null, { b: 1 })
        expect((await subscriber.next()).slice(3)).to.deep.equal([{}, [], { b: 1 }])
        publisher.send(16, 2, { retain: true }, 'a', null, null)
        expect((await subscriber.next()).slice(3)).to.deep.equal([{}, ...empty])
        subscriber.send(32, 3, { get_retained: true }, 'a')
        expect((await subscriber.next())[0]).to.equal(33)
        expect((await subscriber.next()).slice(4)).to.deep.equal(empty)
      })

      it(`in CANCEL and GOODBYE (${subprotocol})`, async () => {
        const peer = await RouterPeer.join(router, subprotocol)
        await peer.register('a')
        peer.send(48, 1, {}, 'a')
        expect((await peer.next())[0]).to.equal(68)
        peer.send(49, 1, null)
        const answers = [await peer.next(), await peer.next()].map(([code]) => code)
        expect(answers).to.have.members([69, 8])
        expect((await peer.ask(6, null, 'wamp.close.close_realm'))[0]).to.equal(6)
      })
    }
  })

  it('closes with 1009 when a message is too long, also to a peer that sends all of it before it reads', async () => {
    const { hostname, port } = new URL(router.url)
    const socket = connect(Number(port), hostname)
    socket.write(
      'GET / HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n' +
        'Sec-WebSocket-Protocol: wamp.2.json\r\n\r\n',
    )
    await once(socket, 'data')
    const hello = Buffer.from('[1,"realm1",{"roles":{"caller":{}}}]')
    socket.write(Buffer.from([0x81, 0x80 | hello.length, 0, 0, 0, 0]))
    socket.write(hello)
    await once(socket, 'data')
    socket.pause()
    // one text frame of 17 MiB
    socket.write(Buffer.from([0x81, 0xff, 0, 0, 0, 0, 1, 0x10, 0, 0, 0, 0, 0, 0]))
    for (let part = 0; part < 17; part++) {
      await new Promise((resolve) => socket.write(Buffer.alloc(2 ** 20), resolve))
    }
    socket.resume()
    const [answer] = (await once(socket, 'data')) as [Buffer]
    expect(answer.toString('hex')).to.equal('880203f1')
    socket.destroy()
  })

  it('takes no list of authmethods, null and an empty one for anonymous', async () => {
    const details = { roles: {} }
    for (const authmethods of [undefined, null, [], ['anonymous'], ['ticket', 5, 'anonymous']]) {
      const peer = await RouterPeer.open(router.url)
      const welcome = await peer.ask(1, 'realm1', { ...details, authmethods })
      expect([welcome[0], (welcome[2] as { authmethod?: string }).authmethod]).to.deep.equal([
        2,
        'anonymous',
      ])
    }
    for (const authmethods of ['ticket', {}, [5], ['ticket'], 1]) {
      const peer = await RouterPeer.open(router.url)
      const abort = await peer.ask(1, 'realm1', { ...details, authmethods })
      expect(abort[2]).to.equal('wamp.error.no_matching_auth_method')
    }
  })

  for (const subprotocol of subprotocols) {
    it(`takes request ids up to 2^53, and no greater ones (${subprotocol})`, async () => {
      const peer = await RouterPeer.join(router, subprotocol)
      for (const id of [2 ** 53 - 1, 2 ** 53]) {
        expect((await peer.ask(48, id, {}, 'a')).slice(0, 3)).to.deep.equal([8, 48, id])
      }
      const excluding = { acknowledge: true, exclude: [2 ** 53], eligible: [1] }
      expect((await peer.ask(16, 2 ** 53, excluding, 'a'))[0]).to.equal(17)
      const abort = await peer.ask(48, 2 ** 53 + 2, {}, 'a')
      expect(abort[2]).to.equal('wamp.error.protocol_violation')
    })
  }

  describe('answers by an ERROR to that message alone, and tells of it,', () => {
    for (const [what, subprotocol, list] of unreadable) {
      it(`${what} (${subprotocol})`, async () => {
        const peer = await RouterPeer.join(router, subprotocol)
        const other = await RouterPeer.join(router)
        const send = (...fields: unknown[]) =>
          peer.webSocket.send(frame(withList(subprotocol, fields, list)))
        await peer.register('p')
        await other.register('q')
        await other.subscribe('t')

        send(48, 7, {}, 'q')
        expect((await peer.next()).slice(0, 5)).to.deep.equal([8, 48, 7, {}, uri])
        send(16, 8, {}, 't')
        expect(await peer.drain()).to.deep.equal([])
        expect(await other.drain()).to.deep.equal([])

        other.send(48, 1, {}, 'p')
        send(70, Number((await peer.next())[1]), {})
        expect((await other.next()).slice(0, 5)).to.deep.equal([8, 48, 1, {}, uri])
        other.send(48, 2, {}, 'p')
        send(8, 68, Number((await peer.next())[1]), {}, 'own.error')
        expect((await other.next()).slice(0, 5)).to.deep.equal([8, 48, 2, {}, 'own.error'])

        expect(told.map(({ uri }) => uri)).to.deep.equal(['q', 't', 'p', 'p'])
        expect(new Set(told.map(({ problem }) => typeof problem))).to.deep.equal(
          new Set(['string']),
        )
        expect(await peer.drain()).to.deep.equal([])
      })
    }

    it('options, of each request', async () => {
      const peer = await RouterPeer.join(router)
      for (const [code, id] of [
        [48, 1],
        [64, 2],
        [32, 3],
        [16, 4],
      ]) {
        peer.webSocket.send(`[${code}, ${id}, {"a":1,"a":1}, "x"]`)
      }
      for (const [code, id] of [
        [48, 1],
        [64, 2],
        [32, 3],
      ]) {
        expect((await peer.next()).slice(0, 5)).to.deep.equal([8, code, id, {}, uri])
      }
      peer.webSocket.send('[16, 5, {"acknowledge": true}, "x", ["\\ud800"]]')
      expect((await peer.next()).slice(0, 5)).to.deep.equal([8, 16, 5, {}, uri])
      expect(await peer.drain()).to.deep.equal([])
    })

    it('a piece of a result, and interrupts the callee', async () => {
      const [callee, caller] = [await RouterPeer.join(router), await RouterPeer.join(router)]
      await callee.register('p')
      caller.send(48, 1, { receive_progress: true }, 'p')
      const [, request] = await callee.next()
      callee.webSocket.send(`[70, ${request}, {"progress": true}, ["\\ud800"]]`)
      expect((await caller.next()).slice(0, 5)).to.deep.equal([8, 48, 1, {}, uri])
      expect((await callee.next()).slice(0, 2)).to.deep.equal([69, request])
      callee.send(70, request, {}, ['late'])
      expect(await caller.drain()).to.deep.equal([])
    })

    it('nothing, where the message does not tell which it is', async () => {
      for (const data of ['[48, "a", {}, "x"]', '[48, 1.5', '["a"', '[99, 1, {"a"', '[6, {"a"']) {
        const peer = await RouterPeer.join(router)
        peer.webSocket.send(data)
        expect((await peer.next())[2]).to.equal('wamp.error.protocol_violation')
      }
    })
  })
})
