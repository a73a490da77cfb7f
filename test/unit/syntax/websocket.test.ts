/** What a gateway reads of WebSockets: handshakes, and where frames end. */
import { expect } from 'chai'
import {
  acceptOf,
  asksForWebSocket,
  closeFrame,
  FrameLengths,
  isWebSocketKey,
  protocolsProblem,
  readHandshake,
  switchProblem,
} from '#component/syntax/websocket.ts'

const key = 'dGhlIHNhbXBsZSBub25jZQ=='
const accept = 's3pPLMBiTxaQ9kYGzzhZRbK+xOo='

/** A frame of a server with a payload of so many bytes. @param form of its length: that of the shortest, unless given */
function frame(length: number, form = length < 126 ? 7 : length < 65_536 ? 16 : 64): Buffer {
  const extra = form === 7 ? 0 : form === 16 ? 2 : 8
  const head = Buffer.alloc(2 + extra)
  head[0] = 0x82
  head[1] = form === 7 ? length : form === 16 ? 126 : 127
  if (form === 16) head.writeUInt16BE(length, 2)
  if (form === 64) head.writeBigUInt64BE(BigInt(length), 2)
  return Buffer.concat([head, Buffer.alloc(length, 0x88)])
}

describe('the opening handshake', () => {
  it('is answered as RFC 6455 §1.3 says', () => expect(acceptOf(key)).to.equal(accept))

  const asked: readonly (readonly [
    upgrade: string | undefined,
    connection: string | undefined,
    isAsked: boolean,
  ])[] = [
    ['websocket', 'Upgrade', true],
    ['WebSocket', 'keep-alive, UPGRADE', true],
    ['websocket', 'keep-alive', false],
    ['websocket', undefined, false],
    ['h2c', 'Upgrade', false],
    ['websocket, h2c', 'Upgrade', false],
    [undefined, 'Upgrade', false],
  ]
  for (const [upgrade, connection, isAsked] of asked) {
    it(`is ${isAsked ? '' : 'not '}asked for by Upgrade: ${upgrade} and Connection: ${connection}`, () => {
      expect(asksForWebSocket({ upgrade, connection })).to.equal(isAsked)
    })
  }

  it('has a key of 16 bytes in base64', () => {
    expect(isWebSocketKey(key)).to.equal(true)
    for (const wrong of [
      '',
      'x',
      key.slice(1),
      `${key} `,
      `${key.slice(0, -2)}AA`,
      key.replace('=', '-'),
    ])
      expect(isWebSocketKey(wrong), wrong).to.equal(false)
  })

  it('lists subprotocols, each of them once', () => {
    const { protocols } = readHandshake({ 'sec-websocket-protocol': ' a,b , ,c' })
    expect(protocols).to.deep.equal(['a', 'b', 'c'])
    expect(protocolsProblem(protocols)).to.equal(undefined)
    expect(protocolsProblem(['a', 'b', 'a'])).to.equal('a subprotocol is offered twice')
    expect(protocolsProblem(['a b'])).to.equal('a subprotocol is no token')
  })

  const good = { upgrade: 'websocket', 'sec-websocket-accept': accept }
  const answers: readonly (readonly [
    what: string,
    headers: object,
    problem: string | undefined,
  ])[] = [
    ['the right key', {}, undefined],
    ['an offered subprotocol', { 'sec-websocket-protocol': 'b' }, undefined],
    ['offered extensions', { 'sec-websocket-extensions': 'X; p="1", y' }, undefined],
    ['offered extensions in two fields', { 'sec-websocket-extensions': ['x', 'y;a=1'] }, undefined],
    [
      'another subprotocol',
      { 'sec-websocket-protocol': 'c' },
      'chose a subprotocol that was not offered',
    ],
    [
      'a subprotocol in other letters',
      { 'sec-websocket-protocol': 'B' },
      'chose a subprotocol that was not offered',
    ],
    [
      'two subprotocols',
      { 'sec-websocket-protocol': ['a', 'b'] },
      'chose a subprotocol that was not offered',
    ],
    [
      'two in one field',
      { 'sec-websocket-protocol': 'a, b' },
      'chose a subprotocol that was not offered',
    ],
    [
      'another extension',
      { 'sec-websocket-extensions': 'x, z' },
      'chose an extension that was not offered',
    ],
    ['a wrong key', { 'sec-websocket-accept': key }, 'sent a wrong Sec-WebSocket-Accept'],
    ['no key', { 'sec-websocket-accept': undefined }, 'sent a wrong Sec-WebSocket-Accept'],
    ['another protocol', { upgrade: 'h2c' }, 'switched to another protocol'],
    ['no protocol', { upgrade: undefined }, 'switched to another protocol'],
  ]
  for (const [what, headers, problem] of answers) {
    it(`is ${problem ? 'not ' : ''}accepted by a 101 with ${what}`, () => {
      const offered = { key, protocols: ['a', 'b'], extensions: 'x; p, y' }
      expect(switchProblem({ ...good, ...headers }, offered)).to.equal(problem)
    })
  }
})

describe('the lengths of frames', () => {
  const frames: readonly (readonly [what: string, bytes: Buffer])[] = [
    ['an empty one', frame(0)],
    ['one of 125 bytes', frame(125)],
    ['one of 126 bytes', frame(126)],
    ['one of 65,535 bytes', frame(65_535)],
    ['one of 65,536 bytes', frame(65_536)],
    ['a short one with a long length', frame(3, 64)],
    ['an empty one with a length of two bytes', frame(0, 16)],
    ['one that is masked', Buffer.from([0x81, 0x82, 1, 2, 3, 4, 5, 6])],
  ]
  for (const [what, bytes] of frames) {
    it(`tell the end of ${what}, in whatever pieces it comes`, () => {
      for (const size of [1, 2, 3, 7, 65_536, 1_000_000]) {
        const lengths = new FrameLengths()
        for (let at = 0; at < bytes.length; at += size) {
          expect(at === 0 || !lengths.isBetween, `${size} ${at}`).to.equal(true)
          const piece = bytes.subarray(at, at + size)
          expect(lengths.read(piece)).to.equal(piece.length)
        }
        expect(lengths.isBetween, `${size}`).to.equal(true)
      }
    })
  }

  it('stop at the end of the first frame where that is asked for', () => {
    const lengths = new FrameLengths()
    const all = Buffer.concat([frame(200), frame(5), frame(0)])
    expect(lengths.read(all.subarray(0, 10), true)).to.equal(10)
    expect(lengths.read(all.subarray(10), true)).to.equal(194)
    expect(lengths.read(all.subarray(204), true)).to.equal(7)
    expect(lengths.isBetween).to.equal(true)
  })

  it('count beyond 4 GiB', () => {
    const lengths = new FrameLengths()
    const head = Buffer.from([0x82, 127, 0, 0, 0, 1, 0, 0, 0, 1])
    lengths.read(head)
    const part = Buffer.alloc(16 * 1024 * 1024)
    for (let at = 0; at < 256; at += 1) lengths.read(part)
    expect(lengths.isBetween).to.equal(false)
    lengths.read(part.subarray(0, 1))
    expect(lengths.isBetween).to.equal(true)
  })

  it('tell that of a Close frame', () => {
    const bytes = closeFrame(1008, 'over')
    expect([...bytes]).to.deep.equal([0x88, 6, 0x03, 0xf0, ...Buffer.from('over')])
    const lengths = new FrameLengths()
    lengths.read(bytes)
    expect(lengths.isBetween).to.equal(true)
  })
})
