/** What a client of HTTP/2 may use up of a gateway: clients that send frames as no library does, and a clock that is moved by hand. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect, TLSSocket } from 'node:tls'
import { queryObjects } from 'node:v8'
import { expect } from 'chai'
import { Quota } from '#component/limits/quota.ts'
import { http2Bounds } from '#http/limits/http2-session.ts'
import { readTls, type TlsSetup } from '#http/tls/tls-setup.ts'
import { writeCertificate } from '#test/support/certificate.ts'
import {
  block,
  flags,
  frame,
  get,
  openHttp2,
  type RawHttp2,
  frameTypes as types,
  word,
} from '#test/support/http2-frames.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'
import { type Fixture, open, options } from './fixture.ts'

/** Codes of RFC 9113 §7. */
const codes = { none: 0, refused: 7, cancel: 8 } as const

const whole = flags.endHeaders | flags.endStream
const post = (path: string, ...more: readonly (readonly [string, string])[]) =>
  block([
    [':method', 'POST'],
    [':scheme', 'https'],
    [':authority', 'localhost'],
    [':path', path],
    ['content-type', 'application/json'],
    ...more,
  ])

/** The odd ids of streams, from the first. */
const ids = (count: number, first = 1) => Array.from({ length: count }, (_, at) => first + 2 * at)

/** Waits until what is polled holds. */
async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

const attacker = join(import.meta.dirname, '../../attack/attacker.ts')

describe('the bounds of HTTP/2', () => {
  let folder: string
  let tls: TlsSetup
  let clock: ManualClock
  let fixture: Fixture
  const at = () => ({ host: '127.0.0.1', port: fixture.port })

  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gateway-http2-'))
    tls = readTls({ certificates: [writeCertificate(folder)] })
  })
  after(() => rmSync(folder, { recursive: true }))

  beforeEach(async () => {
    clock = new ManualClock()
    fixture = await open({ clock, tls })
  })
  afterEach(async () => {
    const stopped = fixture.stop()
    let isStopped = false
    void stopped.then(() => {
      isStopped = true
    })
    while (!isStopped) await clock.advance(1000)
  })

  /** A response of another client comes while one misbehaves. */
  async function servesOthers(): Promise<void> {
    const raw = await openHttp2(at())
    raw.write(frame(types.headers, whole, 1, get('/v1/x')))
    const { payload } = await raw.until(({ type }) => type === types.data)
    expect(payload.toString()).to.equal('{"ok":true}')
    raw.socket.destroy()
  }

  const reset = (id: number) => frame(types.reset, 0, id, word(codes.cancel))
  const asks = (id: number, path = '/v1/x') => frame(types.headers, whole, id, get(path))

  it('begin no request that is reset in the same read, and end the connection after 200 of them', async () => {
    const raw = await openHttp2(at())
    raw.write(...ids(5000).flatMap((id) => [asks(id), reset(id)]))
    await raw.closed()
    expect(fixture.routed.length).to.equal(0)
    await servesOthers()
  })

  it('end a connection of a network whose clients have reset too many on all of theirs', async () => {
    const { burst } = http2Bounds.resetsOfNetwork
    const each = http2Bounds.resets.burst / 2
    const clients = await Promise.all(Array.from({ length: burst / each }, () => openHttp2(at())))
    const resetOn = async (raw: RawHttp2, count: number) => {
      raw.write(...ids(count).flatMap((id) => [asks(id, '/v1/slow'), reset(id)]))
      raw.write(asks(2 * count + 1))
      await Promise.race([raw.closed(), raw.until(({ type }) => type === types.data)])
    }
    for (const raw of clients) await resetOn(raw, each)
    expect(clients.map(({ goaway }) => goaway)).to.deep.equal(clients.map(() => undefined))
    const further = await openHttp2(at())
    // the request that it has not reset is answered: others may have reset the many
    further.write(asks(1, '/v1/slow'), frame(types.headers, flags.endHeaders, 3, post('/v1/x')))
    further.write(reset(1))
    await further.until(({ type }) => type === types.goaway)
    further.write(frame(types.data, flags.endStream, 3, Buffer.from('{"sent":"late"}')))
    await further.closed()
    expect(further.goaway).to.equal(codes.none)
    const answer = further.frames.find(({ type, stream }) => type === types.data && stream === 3)
    expect(answer?.payload.toString()).to.equal('{"sent":"late"}')
    for (const { socket } of clients) socket.destroy()
    await servesOthers()
  })

  it('count no reset for requests whose clients close their connections', async () => {
    const { burst } = http2Bounds.resetsOfNetwork
    const each = http2Bounds.begunInTurn.connection
    for (let count = 0; count < burst; count += each) {
      const raw = await openHttp2(at())
      raw.write(...ids(each).map((id) => asks(id, '/v1/slow')))
      await until(() => fixture.routed.length >= count + each)
      raw.socket.destroy()
    }
    const raw = await openHttp2(at())
    raw.write(asks(1, '/v1/slow'), reset(1), asks(3))
    await raw.until(({ type, stream }) => type === types.data && stream === 3)
    expect(raw.goaway).to.equal(undefined)
    raw.socket.destroy()
  })

  it('let a client reset 150 requests at once', async () => {
    const raw = await openHttp2(at())
    for (const part of [ids(75), ids(75, 151)]) {
      raw.write(...part.flatMap((id) => [asks(id, '/v1/slow')]))
      raw.write(...part.map(reset))
    }
    raw.write(asks(301))
    await raw.until(({ type, stream }) => type === types.data && stream === 301)
    expect(raw.goaway).to.equal(undefined)
    raw.socket.destroy()
  })

  for (const [what, fault] of [
    [
      'a window that overflows',
      (id: number) => frame(types.windowUpdate, 0, id, word(2 ** 31 - 1)),
    ],
    ['a window that grows by nothing', (id: number) => frame(types.windowUpdate, 0, id, word(0))],
    ['DATA behind its end', (id: number) => frame(types.data, 0, id, Buffer.from('a'))],
    ['HEADERS behind its end', (id: number) => asks(id)],
    ['PRIORITY of five bytes less one', (id: number) => frame(types.priority, 0, id, word(0))],
  ] as const) {
    // where nghttp2 resets the stream, its client has made this side do so
    it(`end the connection of a client that makes this side reset its streams by ${what}`, async () => {
      const raw = await openHttp2(at())
      for (const id of ids(400)) raw.write(asks(id, '/v1/slow'), fault(id))
      await raw.closed()
      expect(fixture.routed.length).to.be.at.most(http2Bounds.resets.burst)
      await servesOthers()
    })
  }

  const settings = frame(types.settings, 0, 0, Buffer.alloc(0))
  const ping = frame(types.ping, 0, 0, Buffer.alloc(8))
  const emptyData = frame(types.data, 0, 1, Buffer.alloc(0))
  const continuation = frame(
    types.continuation,
    0,
    1,
    block(Array.from({ length: 50 }, (_, number) => [`x-${number}`, 'a'.repeat(100)])),
  )
  for (const [what, begin, one, count] of [
    ['SETTINGS', [], settings, 20_000],
    ['PING', [], ping, 20_000],
    ['empty DATA', [frame(types.headers, flags.endHeaders, 1, post('/v1/x'))], emptyData, 20_000],
    ['CONTINUATION', [frame(types.headers, flags.endStream, 1, get('/v1/x'))], continuation, 1_000],
    ['HEADERS of no stream', [], frame(types.headers, whole, 0, get('/v1/x')), 1_000],
    ['frames that are too large', [], frame(types.data, 0, 1, Buffer.alloc(20_000)), 10],
  ] as const) {
    it(`end the connection at a flood of ${what}`, async () => {
      const raw = await openHttp2(at())
      raw.socket.pause()
      raw.write(...begin, ...Array.from({ length: count }, () => one))
      raw.socket.resume()
      await raw.closed()
      await servesOthers()
    })
  }

  it('refuse a stream beyond those at once, and serve the others', async () => {
    const raw = await openHttp2(at())
    raw.write(...ids(130).map((id) => asks(id, '/v1/slow')))
    await until(() => raw.resets.length === 2)
    expect(raw.resets).to.deep.equal([codes.refused, codes.refused])
    await until(() => fixture.routed.length === 128)
    raw.write(reset(1))
    raw.write(asks(1001))
    await raw.until(({ type, stream }) => type === types.data && stream === 1001)
    raw.socket.destroy()
  })

  it('end the connection of a client that has acknowledged them and begins more', async () => {
    const raw = await openHttp2(at())
    await raw.until(({ type }) => type === types.settings)
    raw.write(frame(types.settings, flags.ack, 0, Buffer.alloc(0)))
    raw.write(...ids(130).map((id) => asks(id, '/v1/slow')))
    await raw.closed()
    expect(fixture.routed.length).to.be.at.most(128)
  })

  it('end the connection at a flood of PRIORITY', async () => {
    const raw = await openHttp2(at())
    const priority = Buffer.concat([word(0), Buffer.from([9])])
    raw.write(...ids(100_000).map((id) => frame(types.priority, 0, id, priority)))
    await raw.closed()
    await servesOthers()
  })

  it(`begin ${http2Bounds.begunInTurn.connection} requests of a connection in a turn`, async () => {
    const raw = await openHttp2(at())
    const begun: number[] = []
    let isOver = false
    const look = () => {
      begun.push(fixture.routed.length)
      if (!isOver) setImmediate(look)
    }
    look()
    raw.write(...ids(100).map((id) => asks(id, '/v1/slow')))
    await until(() => fixture.routed.length === 100)
    isOver = true
    const steps = begun.slice(1).map((count, before) => count - (begun[before] ?? 0))
    expect(Math.max(...steps)).to.equal(http2Bounds.begunInTurn.connection)
    raw.socket.destroy()
  })

  it('close a connection that begins with nothing', async () => {
    const raw = await openHttp2(at(), { begins: false })
    await clock.advance(options.limits.headers_timeout + 1000)
    await clock.advance(http2Bounds.farewellMs + 1000)
    await raw.closed()
  })

  for (const [what, begin] of [
    ['no request', []],
    ['a header block that does not end', [frame(types.headers, 0, 1, get('/v1/x'))]],
  ] as const) {
    it(`close a connection with ${what} after its idle time`, async () => {
      const raw = await openHttp2(at())
      await raw.until(({ type }) => type === types.settings)
      raw.write(...begin)
      await clock.advance(options.limits.http2_idle_timeout - 2000)
      expect(raw.socket.destroyed).to.equal(false)
      await clock.advance(5000)
      await raw.closed()
      expect(raw.goaway).to.equal(codes.none)
    })
  }

  it('keep a connection that has a request, however long', async () => {
    const raw = await openHttp2(at())
    raw.write(asks(1, '/v1/slow'))
    await until(() => fixture.routed.length === 1)
    await clock.advance(options.limits.http2_idle_timeout * 2)
    raw.write(asks(3))
    await raw.until(({ type, stream }) => type === types.data && stream === 3)
    raw.socket.destroy()
  })

  it('reset a stream of which the client takes nothing, and keep its connection', async () => {
    // no window for any stream
    const raw = await openHttp2(at(), { settings: Buffer.concat([Buffer.from([0, 4]), word(0)]) })
    raw.write(asks(1))
    await raw.until(({ type }) => type === types.headers)
    await clock.advance(http2Bounds.stuckMs - 2000)
    expect(raw.resets).to.deep.equal([])
    await clock.advance(5000)
    const { stream } = await raw.until(({ type }) => type === types.reset)
    expect([stream, raw.resets]).to.deep.equal([1, [codes.cancel]])
    await servesOthers()
    raw.write(frame(types.settings, 0, 0, Buffer.concat([Buffer.from([0, 4]), word(65_535)])))
    raw.write(asks(3))
    await raw.until(({ type, stream: id }) => type === types.data && id === 3)
    raw.socket.destroy()
  })

  it('reset a request that does not end in request_timeout', async () => {
    const raw = await openHttp2(at())
    raw.write(frame(types.headers, flags.endHeaders, 1, post('/v1/slow')))
    await until(() => fixture.routed.length === 1)
    await clock.advance(options.limits.request_timeout + 1000)
    await raw.until(({ type, stream }) => type === types.reset && stream === 1)
    raw.socket.destroy()
  })

  it('give a client no window for a body that nobody reads', async () => {
    const raw = await openHttp2(at())
    await raw.until(({ type }) => type === types.settings)
    raw.write(frame(types.settings, flags.ack, 0, Buffer.alloc(0)))
    raw.write(frame(types.headers, flags.endHeaders, 1, post('/v1/slow')))
    const part = Buffer.alloc(16_000)
    raw.write(...Array.from({ length: 16 }, () => frame(types.data, 0, 1, part)))
    await until(() => fixture.routed.length === 1)
    raw.write(ping)
    await raw.until(({ type, flags: flag }) => type === types.ping && flag === flags.ack)
    const updated = raw.frames.filter(
      ({ type, stream }) => type === types.windowUpdate && stream === 1,
    )
    expect(updated).to.deep.equal([])
    raw.socket.destroy()
  })

  /** The windows for streams that a connection was told, in turn. */
  const windows = (raw: RawHttp2) =>
    raw.frames.flatMap(({ type, flags: flag, payload }) => {
      if (type !== types.settings || flag === flags.ack) return []
      const settings = ids(payload.length / 6, 0).map((half) => payload.subarray(3 * half))
      return settings.filter((one) => one.readUInt16BE(0) === 4).map((one) => one.readUInt32BE(2))
    })
  const begins = (id: number, ...more: readonly (readonly [string, string])[]) =>
    frame(types.headers, flags.endHeaders, id, post('/v1/slow', ...more))
  const acknowledged = frame(types.settings, flags.ack, 0, Buffer.alloc(0))
  const { streamWindow: narrow, wideWindow: wide } = http2Bounds

  it('widen the window for a large body that is alone, until another large one comes', async () => {
    const raw = await openHttp2(at())
    const told = async (count: number) => {
      await until(() => windows(raw).length === count)
      raw.write(acknowledged)
    }
    const begun = async (frames: Uint8Array) => {
      const before = fixture.routed.length
      raw.write(frames)
      await until(() => fixture.routed.length > before)
    }
    await told(1)
    // a small one needs no more
    await begun(begins(1, ['content-length', String(narrow)]))
    raw.write(reset(1))
    await begun(begins(3))
    await told(2)
    await begun(begins(5, ['content-length', '2']))
    await begun(begins(7))
    await told(3)
    await begun(begins(9))
    for (const id of [3, 5, 7, 9]) raw.write(reset(id))
    await begun(begins(11, ['content-length', String(narrow + 1)]))
    await told(4)
    expect(windows(raw)).to.deep.equal([narrow, wide, narrow, wide])
    raw.socket.destroy()
  })

  for (const [what, acknowledges, each] of [
    ['the wide window until the client has acknowledged the narrow one', false, wide],
    ['the narrow window once the client has acknowledged it', true, narrow],
  ] as const) {
    it(`count ${what}`, async () => {
      await fixture.stop()
      // 4 MiB of a network: it may be wide, and three more of the wide windows are held
      const room = 4 * wide
      fixture = await open({ clock, tls, budget: new Quota(Math.ceil((room * 4 * 8) / 7) + 8) })
      const raw = await openHttp2(at())
      await until(() => windows(raw).length === 1)
      raw.write(acknowledged, begins(1))
      await until(() => windows(raw).length === 2)
      raw.write(acknowledged, begins(3))
      await until(() => windows(raw).length === 3)
      if (acknowledges) raw.write(acknowledged)
      const more = (room - 2 * wide) / each
      for (const id of ids(more, 5)) raw.write(begins(id))
      await until(() => fixture.routed.length === 2 + more)
      raw.write(begins(1001))
      const { stream, payload } = await raw.until(({ type }) => type === types.data)
      expect(stream).to.equal(1001)
      expect(payload.toString()).to.include('service.error.unavailable')
      raw.socket.destroy()
    })
  }

  it('answer 408 to a body that comes too slowly', async () => {
    const raw = await openHttp2(at())
    raw.write(frame(types.headers, flags.endHeaders, 1, post('/v1/x')))
    await until(() => fixture.routed.length === 1)
    await clock.advance(2000)
    const { payload } = await raw.until(({ type }) => type === types.data)
    expect(payload.toString()).to.include('service.error.request_timeout')
    const { stream } = await raw.until(({ type }) => type === types.reset)
    expect([stream, raw.resets]).to.deep.equal([1, [codes.none]])
    raw.socket.destroy()
  })

  it('answer 503 to a body where too many bytes wait', async () => {
    await fixture.stop()
    fixture = await open({ clock, tls, budget: new Quota(4_000_000) })
    const raw = await openHttp2(at())
    raw.write(...ids(5).map((id) => frame(types.headers, flags.endHeaders, id, post('/v1/slow'))))
    const { payload } = await raw.until(({ type }) => type === types.data)
    expect(payload.toString()).to.include('service.error.unavailable')
    // without a body none is needed
    raw.write(asks(101))
    await raw.until(({ type, stream }) => type === types.data && stream === 101)
    // what is reset is given back
    raw.write(...ids(5).map(reset))
    raw.write(frame(types.headers, flags.endHeaders, 103, post('/v1/x')))
    raw.write(frame(types.data, flags.endStream, 103, Buffer.from('[1]')))
    const echoed = await raw.until(({ type, stream }) => type === types.data && stream === 103)
    expect(echoed.payload.toString()).to.equal('[1]')
    raw.socket.destroy()
  })

  it('tell a client at a drain which of its requests are answered, and answer them', async () => {
    const raw = await openHttp2(at())
    raw.write(asks(1, '/v1/slow'))
    await until(() => fixture.routed.length === 1)
    fixture.listeners.begin()
    const away = await raw.until(({ type }) => type === types.goaway)
    expect([away.payload.readUInt32BE(0), raw.goaway]).to.deep.equal([1, codes.none])
    const stopped = fixture.stop()
    // the request that is in hand has drain_timeout
    await clock.advance(options.gateway.drain_timeout + 1000)
    const answer = await raw.until(({ type, stream }) => type === types.data && stream === 1)
    expect(answer.payload.toString()).to.include('service.error.timeout')
    await raw.closed()
    for (let left = 10; left > 0; left--) await clock.advance(1000)
    await stopped
  })

  it('end a connection that comes to a drain after what it asks first', async () => {
    fixture.listeners.begin()
    const raw = await openHttp2(at())
    await raw.until(({ type }) => type === types.settings)
    expect(raw.goaway).to.equal(undefined)
    raw.write(asks(1), asks(3))
    await raw.closed()
    const answered = raw.frames.filter(({ type }) => type === types.data)
    expect(answered.map(({ stream }) => stream)).to.deep.equal([1, 3])
    const away = raw.frames.find(({ type }) => type === types.goaway)
    expect([away?.payload.readUInt32BE(0), raw.goaway]).to.deep.equal([3, codes.none])
  })

  // what the clients of this process do is in time with its server: then node:http2 keeps none
  it('leave nothing behind of connections whose clients, of another process, have acknowledged no SETTINGS', async () => {
    // what they have left is freed by a full collection, on a busy machine late
    await fixture.stop()
    const sockets = () => queryObjects(TLSSocket, { format: 'count' })
    const before = sockets()
    // one of a trusted proxy, whose faults count for nobody
    const gateway = { ...options.gateway, trusted_proxies: ['127.0.0.1'] }
    fixture = await open({ clock, tls, options: { ...options, gateway } })
    const paths = { static: '/v1/x' }
    const child = spawn(
      process.execPath,
      [attacker, 'http2-continuation', JSON.stringify({ ...at(), paths })],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    )
    const ended = once(child, 'exit')
    await new Promise((resolve) => setTimeout(resolve, 2_000))
    child.kill('SIGTERM')
    await ended
    await until(() => sockets() - before <= 20)
  })

  it('close a connection of a network of which too many have ended by faults', async () => {
    const fault = async () => {
      const raw = await openHttp2(at())
      raw.write(asks(0))
      await raw.closed()
      return raw.frames.length
    }
    // one that has ended may not have been counted when the next one comes
    let count = 1
    while ((await fault()) > 0) count += 1
    expect(count).to.be.within(http2Bounds.faults.burst, http2Bounds.faults.burst + 5)
    await clock.advance(1000 / http2Bounds.faults.perSecond)
    await servesOthers()
  })

  it('end the oldest connection that has asked nothing where too many of a network do', async () => {
    await fixture.stop()
    const limits = { ...options.limits, max_connections: 1_000 }
    fixture = await open({ clock, tls, options: { ...options, limits } })
    const first = await openHttp2(at())
    const asked = await openHttp2(at())
    asked.write(asks(1))
    await asked.until(({ type }) => type === types.data)
    const all = [first, asked]
    while (all.length < http2Bounds.silent + 1) all.push(await openHttp2(at()))
    expect(first.socket.destroyed).to.equal(false)
    all.push(await openHttp2(at()))
    await first.closed()
    asked.write(asks(3))
    await asked.until(({ type, stream }) => type === types.data && stream === 3)
    for (const { socket } of all) socket.destroy()
  })

  it('are those of connections as well: connections_per_address', async () => {
    await fixture.stop()
    const limits = { ...options.limits, connections_per_address: 3 }
    fixture = await open({ clock, tls, options: { ...options, limits } })
    const all = await Promise.all([1, 2, 3].map(() => openHttp2(at())))
    const more = connect({ ...at(), ALPNProtocols: ['h2'], rejectUnauthorized: false })
    const [error] = await once(more, 'error')
    expect(error).to.have.property('code', 'ECONNRESET')
    for (const { socket } of all) socket.destroy()
  })
})
