/** The bytes of RawSocket. */
import { expect } from 'chai'
import { frameHead, handshake, RawSocketReader } from '#component/wamp/channel/rawsocket-frames.ts'

const bytes = (...values: readonly number[]) => Buffer.from(values)

/** Feeds pieces to a reader. @returns the longest payload that may be sent, and the frames as `type:payload` */
function read(pieces: readonly Buffer[]) {
  const reader = new RawSocketReader('msgpack')
  const frames: string[] = []
  for (const piece of pieces) {
    reader.push(piece)
    for (let frame = reader.next(); frame; frame = reader.next()) {
      frames.push(`${frame.type}:${frame.payload}`)
    }
  }
  return { maxBytes: reader.maxBytes, frames }
}

describe('RawSocket', () => {
  it('has a handshake that names the serializer, and the longest length to come', () => {
    const all = (['json', 'msgpack', 'cbor'] as const).map((name) =>
      handshake(name).toString('hex'),
    )
    expect(all).to.deep.equal(['7ff10000', '7ff20000', '7ff30000'])
  })

  for (const [exponent, maxBytes] of [
    [0, 512],
    [1, 1024],
    [7, 65_536],
    [11, 1_048_576],
    [14, 8_388_608],
    [15, 16_777_215],
  ] as const) {
    it(`lets a router that answers ${exponent} have messages of ${maxBytes} bytes`, () => {
      const answer = bytes(0x7f, (exponent << 4) | 2, 0, 0)
      expect(read([answer])).to.deep.equal({ maxBytes, frames: [] })
    })
  }

  for (const [title, answer, message] of [
    ['no reason', bytes(0x7f, 0x00, 0, 0), 'without a reason'],
    ['the serializer', bytes(0x7f, 0x10, 0, 0), 'does not speak the serializer'],
    ['the length', bytes(0x7f, 0x20, 0, 0), 'does not accept messages of this length'],
    ['reserved bits', bytes(0x7f, 0x30, 0, 0), 'does not accept the reserved bits'],
    ['the number of connections', bytes(0x7f, 0x40, 0, 0), 'as many RawSocket connections'],
    ['an unknown code', bytes(0x7f, 0xf0, 0, 0), 'the router refuses the RawSocket handshake'],
    ['JSON in place of MessagePack', bytes(0x7f, 0xf1, 0, 0), 'another serializer'],
    ['HTTP', Buffer.from('HTTP/1.1 400 Bad Request'), 'does not speak RawSocket'],
    ['TLS', bytes(0x15, 0x03, 0x03, 0x00, 0x02), 'does not speak RawSocket'],
  ] as const) {
    it(`ends by an answer of ${title}`, () => {
      expect(() => read([answer])).to.throw(message)
    })
  }

  it('takes an answer whose reserved bytes are set', () => {
    expect(read([bytes(0x7f, 0x02, 1, 2)]).maxBytes).to.equal(512)
  })

  for (const [title, head] of [
    ['the type 3', bytes(3, 0, 0, 0)],
    ['the type 7', bytes(7, 0, 0, 0)],
    ['reserved bits', bytes(8, 0, 0, 0)],
  ] as const) {
    it(`ends by a frame of ${title}`, () => {
      expect(() => read([bytes(0x7f, 0xf2, 0, 0), head])).to.throw('a frame of a kind')
    })
  }

  const frames = ['0:abc', '1:', '2:x', '0:', `0:${'y'.repeat(70_000)}`, '1:ping']
  const stream = Buffer.concat([
    bytes(0x7f, 0xf2, 0, 0),
    ...frames.flatMap((frame) => {
      const payload = Buffer.from(frame.slice(2))
      return [frameHead(Number(frame[0]), payload.length), payload]
    }),
  ])
  for (const size of [1, 2, 3, 4, 5, 7, 1000, 65_536, stream.length]) {
    it(`is the same in pieces of ${size} bytes`, () => {
      const pieces = Array.from({ length: Math.ceil(stream.length / size) }, (_, index) =>
        stream.subarray(index * size, (index + 1) * size),
      )
      expect(read(pieces)).to.deep.equal({ maxBytes: 16_777_215, frames })
    })
  }

  it('carries a payload of 2^24 - 1 bytes', () => {
    const payload = Buffer.alloc(2 ** 24 - 1, 0x61)
    const reader = new RawSocketReader('msgpack')
    reader.push(bytes(0x7f, 0xf2, 0, 0))
    reader.push(frameHead(0, payload.length))
    for (let at = 0; at < payload.length; at += 65_536) {
      expect(reader.next()).to.equal(undefined)
      reader.push(payload.subarray(at, at + 65_536))
    }
    expect(reader.next()?.payload.equals(payload)).to.equal(true)
  })
})
