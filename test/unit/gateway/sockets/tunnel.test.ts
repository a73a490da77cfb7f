/** One open WebSocket between two peers: back-pressure, and Close frames between frames. */
import { Duplex } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect } from 'chai'
import { Tunnel } from '#component/gateway/sockets/tunnel.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

/** A connection whose peer reads when the test says so. */
class Line extends Duplex {
  /** What the peer has read. */
  readonly taken: Buffer[] = []
  isReading = true
  #done: (() => void) | undefined

  constructor() {
    super({ allowHalfOpen: true, readableHighWaterMark: 65_536, writableHighWaterMark: 65_536 })
  }

  override _read(): void {}

  override _write(bytes: Buffer, _coding: string, done: () => void): void {
    const take = (): void => {
      this.taken.push(bytes)
      done()
    }
    if (this.isReading) take()
    else this.#done = take
  }

  /** The peer reads on. */
  goOn(): void {
    this.isReading = true
    const done = this.#done
    this.#done = undefined
    done?.()
  }

  /** The peer sends. */
  send(text: string): void {
    this.push(Buffer.from(text, 'latin1'))
  }

  get text(): string {
    return Buffer.concat(this.taken).toString('latin1')
  }
}

const stopping = '\x88\x17\x03\xe9this node is stopping'

/** Messages of a server: `hi` and `hello`. */
const hi = '\x81\x02hi'
const hello = '\x81\x05hello'

function open(terms = { idleMs: 10_000, maxDurationMs: 0 }) {
  const clock = new ManualClock()
  const [client, upstream] = [new Line(), new Line()]
  const over: string[] = []
  const tunnel = new Tunnel(upstream, {
    clock,
    terms: () => terms,
    onBegun: () => undefined,
    onOver: (reason) => void over.push(reason),
  })
  tunnel.begin(client)
  return { clock, client, upstream, tunnel, over }
}

describe('a tunnel', () => {
  it('passes bytes both ways', async () => {
    const { client, upstream } = open()
    client.send('up')
    upstream.send(hi)
    await nextTurn()
    expect([upstream.text, client.text]).to.deep.equal(['up', hi])
  })

  for (const from of ['client', 'upstream'] as const) {
    it(`reads no more of the ${from} while the other peer does not read: one read waits at most`, async () => {
      const { client, upstream } = open()
      const [sender, reader] = from === 'client' ? [client, upstream] : [upstream, client]
      reader.isReading = false
      for (let at = 0; at < 20; at += 1) {
        sender.send(`${'\x82\x7e\xff\xfb'}${'x'.repeat(65_531)}`)
        await nextTurn()
      }
      expect(reader.writableLength).to.equal(65_535)
      expect(sender.isPaused()).to.equal(true)
      reader.goOn()
      await nextTurn()
      expect(sender.isPaused()).to.equal(false)
      await nextTurn()
      expect(reader.text.length).to.equal(20 * 65_535)
    })
  }

  const halves: readonly (readonly [what: string, first: string, rest: string])[] = [
    ['between frames', hi, ''],
    ['before the first frame', '', ''],
    ['within a head', '\x81', '\x02hi'],
    ['within a longer head', '\x81\x7e\x00', '\x02hi'],
    ['within a payload', '\x81\x05he', 'llo'],
    ['within a second frame', `${hi}\x81\x05h`, 'ello'],
  ]
  for (const [what, first, rest] of halves) {
    it(`that ends ${what} of the upstream sends Close behind the frame, and nothing after it`, async () => {
      const { client, upstream, tunnel } = open()
      if (first) upstream.send(first)
      await nextTurn()
      tunnel.end('draining')
      await nextTurn()
      expect(client.text).to.equal(rest ? first : first + stopping)
      upstream.send(rest + hello)
      await nextTurn()
      expect(client.text).to.equal(first + rest + stopping)
      expect(client.writableEnded).to.equal(true)
    })
  }

  it('has the frame come to its end for a slow client, too', async () => {
    const { client, upstream, tunnel } = open()
    client.isReading = false
    upstream.send('\x81\x05he')
    await nextTurn()
    tunnel.end('draining')
    upstream.send(`llo${hello}`)
    await nextTurn()
    client.goOn()
    await nextTurn()
    expect(client.text).to.equal(hello + stopping)
  })

  it('gives the upstream the Close frame that a client answers with', async () => {
    const { client, upstream, tunnel, over } = open()
    tunnel.end('draining')
    client.send('close')
    await nextTurn()
    expect(upstream.text).to.equal('close')
    client.push(null)
    await nextTurn()
    expect(upstream.writableEnded).to.equal(true)
    upstream.destroy()
    client.destroy()
    await nextTurn()
    expect(over).to.deep.equal(['draining'])
  })

  it('gives the upstream nothing of a client whose credentials have ended', async () => {
    const { client, upstream, tunnel } = open()
    upstream.send('\x81\x05he')
    await nextTurn()
    tunnel.end('unauthorized')
    client.send('more')
    await nextTurn()
    expect(upstream.text).to.equal('')
    upstream.send('llo')
    await nextTurn()
    expect(client.text).to.equal(`${hello}\x88\x1c\x03\xf0the credentials have ended`)
    expect(upstream.writableEnded).to.equal(true)
  })

  it('that has ended is closed by force 2 seconds later, also within a frame', async () => {
    const { clock, client, upstream, tunnel, over } = open()
    upstream.send('\x81\x05he')
    await nextTurn()
    tunnel.end('draining')
    await clock.advance(1_999)
    await nextTurn()
    expect([client.destroyed, upstream.destroyed]).to.deep.equal([false, false])
    await clock.advance(1)
    await nextTurn()
    expect([client.destroyed, upstream.destroyed]).to.deep.equal([true, true])
    expect(over).to.deep.equal(['draining'])
  })

  for (const from of ['client', 'upstream'] as const) {
    it(`is not idle while the ${from} sends`, async () => {
      const { clock, client, upstream, over } = open()
      for (let at = 0; at < 5; at += 1) {
        await clock.advance(9_000)
        ;(from === 'client' ? client : upstream).send(hi)
        await nextTurn()
      }
      expect(client.writableEnded).to.equal(false)
      await clock.advance(10_000)
      await nextTurn()
      expect(client.writableEnded).to.equal(true)
      await clock.advance(2_000)
      await nextTurn()
      expect(over).to.deep.equal(['idle'])
    })
  }

  it('lasts for max_duration at most', async () => {
    const { clock, client, upstream } = open({ idleMs: 10_000, maxDurationMs: 12_000 })
    await clock.advance(9_000)
    upstream.send(hi)
    await nextTurn()
    await clock.advance(2_999)
    expect(client.writableEnded).to.equal(false)
    await clock.advance(1)
    await nextTurn()
    expect(client.text).to.match(/the time of this connection is over$/)
  })

  for (const by of ['client', 'upstream'] as const) {
    it(`ends with the ${by}, whose last bytes reach the other peer`, async () => {
      const { client, upstream, over } = open()
      const [one, other] = by === 'client' ? [client, upstream] : [upstream, client]
      one.send(hi)
      one.push(null)
      await nextTurn()
      expect(other.text).to.equal(hi)
      expect(other.writableEnded).to.equal(true)
      other.push(null)
      await nextTurn()
      for (const each of [one, other]) each.destroy()
      await nextTurn()
      expect(over).to.deep.equal([by])
    })

    it(`leaves the other peer when the connection of the ${by} breaks`, async () => {
      const { clock, client, upstream, over } = open()
      const [one, other] = by === 'client' ? [client, upstream] : [upstream, client]
      one.destroy()
      await nextTurn()
      await clock.advance(2_000)
      await nextTurn()
      expect(other.destroyed).to.equal(true)
      expect(over).to.deep.equal([by])
    })
  }

  it('that is cancelled leaves the upstream', async () => {
    const upstream = new Line()
    const over: string[] = []
    const tunnel = new Tunnel(upstream, {
      clock: new ManualClock(),
      terms: () => ({ idleMs: 1, maxDurationMs: 0 }),
      onBegun: () => undefined,
      onOver: (reason) => void over.push(reason),
    })
    tunnel.end('draining')
    tunnel.cancel()
    expect(upstream.destroyed).to.equal(true)
    expect(over).to.deep.equal(['client'])
  })
})
