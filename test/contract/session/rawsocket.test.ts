/** Sessions over RawSocket, and what routers do there. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import type { Payload } from '#component/wamp/session.ts'
import type { SessionOptions } from '#component/wamp/session-options.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { requestSession } from '#component/wamp/wampy-session.ts'
import {
  frameOf,
  openRawSocketRouter,
  type RawSocketRouter,
  type RawSocketRules,
} from '#test/support/peers/rawsocket-router.ts'
import { openEmbeddedRouter, type TestRouter } from '#test/support/peers/router.ts'
import { untilHolds } from '#test/support/running/until.ts'
import { Authority } from '#test/support/tls/authority.ts'
import { basics, failureOf, freshUri, nothing } from './support.ts'

describe('a session over RawSocket', () => {
  let router: TestRouter
  let front: RawSocketRouter
  let folder: string
  const opened: SupervisedSession[] = []

  const start = async (rules: RawSocketRules = {}) => {
    front = await openRawSocketRouter(router.openLink, rules)
  }
  const session = (options: Partial<SessionOptions> = {}) => {
    const made = requestSession({ ...basics, url: front.url, ...options })
    opened.push(made)
    return made
  }
  const joined = async (options: Partial<SessionOptions> = {}) => {
    const made = session(options)
    expect(await made.joined(10_000)).to.equal(true)
    return made
  }
  const echo = async (each: SupervisedSession) => {
    const uri = freshUri()
    await each.register(uri, (payload: Payload) => payload)
    return uri
  }

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'gateway raw-'))
    router = await openEmbeddedRouter()
  })
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((each) => each.leave()))
    await front.stop()
    await router.stop()
    rmSync(folder, { recursive: true })
  })

  for (const [serializer, second] of [
    ['json', 0xf1],
    ['msgpack', 0xf2],
    ['cbor', 0xf3],
  ] as const) {
    it(`asks for ${serializer}, and speaks it through a Unix socket`, async () => {
      await start({ path: join(folder, 'a socket') })
      const each = await joined({ serializer })
      expect(front.handshakes).to.deep.equal([second])
      const args = [7, 'ü', null, { a: [1.5] }]
      const { result } = each.call(await echo(each), { args, kwargs: {} }, {}, 5000)
      expect((await result).args).to.deep.equal(args)
    })
  }

  for (const [title, answer, reason] of [
    ['refuses the serializer', Buffer.from([0x7f, 0x10, 0, 0]), 'does not speak the serializer'],
    ['has too many connections', Buffer.from([0x7f, 0x40, 0, 0]), 'as many RawSocket connections'],
    ['is an HTTP server', Buffer.from('HTTP/1.1 400 x\r\n\r\n'), 'does not speak RawSocket'],
    ['ends the connection', Buffer.alloc(0), 'before its RawSocket handshake'],
    ['ends it within the answer', Buffer.from([0x7f]), 'before its RawSocket handshake'],
  ] as const) {
    it(`does not join a router that ${title}, and says so`, async () => {
      await start({ answer: () => answer })
      const each = session()
      expect(await each.joined(10_000, (why) => why !== '')).to.equal(false)
      expect(each.lastReason).to.contain(reason)
      expect(each.record.lastError?.error_uri).to.equal('wamp.error.net_failure')
    })
  }

  it('refuses a message that is longer than the router takes, and goes on', async () => {
    await start({ answer: (second) => Buffer.from([0x7f, 0x10 | (second & 15), 0, 0]) })
    const each = await joined()
    const uri = await echo(each)
    const call = (length: number) =>
      each.call(uri, { args: ['x'.repeat(length)], kwargs: {} }, {}, 5000).result
    const error = await failureOf(call(1024))
    expect([error.error_uri, error.wasSent]).to.deep.equal([
      'wamp.error.payload_size_exceeded',
      false,
    ])
    expect((await call(800)).args[0]).to.have.length(800)
  })

  it('carries a message of 12 MB both ways', async () => {
    await start()
    // the router is in this process, which may be busy for long
    const each = await joined({ linkCheckMs: 60_000 })
    const text = 'x'.repeat(12_000_000)
    const { result } = each.call(await echo(each), { args: [text], kwargs: {} }, {}, 110_000)
    expect((await result).args[0] === text).to.equal(true)
  })

  it('answers each PING with its payload, and asks for none', async () => {
    await start()
    const each = await joined()
    const payloads = ['', 'a', 'x'.repeat(70_000)]
    for (const payload of payloads) front.write(frameOf(1, Buffer.from(payload)))
    front.write(frameOf(2, Buffer.from('unasked')))
    const pongs = () => front.frames.filter(([type]) => type === 2)
    await untilHolds(() => pongs().length === payloads.length)
    expect(pongs().map(([, payload]) => String(payload))).to.deep.equal(payloads)
    await each.call(await echo(each), nothing, {}, 5000).result
    expect(front.frames.some(([type]) => type === 1)).to.equal(false)
  })

  it('ends by a frame that RawSocket does not have, and joins again', async () => {
    await start()
    const each = await joined()
    front.write(frameOf(5, Buffer.alloc(0)))
    await untilHolds(() => each.lastReason.includes('a frame of a kind'))
    expect(await each.joined(10_000)).to.equal(true)
  })

  /** The clock of the machine, but for checks of the link, which the test starts. */
  const checkedByHand = () => {
    const linkCheckMs = 4321
    const checks: (() => void)[] = []
    const after = (ms: number, callback: () => void) => {
      if (ms !== linkCheckMs) return systemClock.after(ms, callback)
      checks.push(callback)
      return () => undefined
    }
    return {
      options: { linkCheckMs, clock: { ...systemClock, after } },
      check: () => checks.shift()?.(),
    }
  }
  const askedForLife = () =>
    front.frames.filter(([, payload]) => String(payload).startsWith('[34,')).length

  it('asks for life by a request that each router answers, and stays', async () => {
    await start()
    const { options, check } = checkedByHand()
    const each = await joined(options)
    const uri = await echo(each)
    for (const asked of [1, 2, 3, 4, 5]) {
      check()
      await each.call(uri, nothing, {}, 5000).result
      expect(askedForLife()).to.equal(asked)
    }
    expect([each.isOpen, each.record.reconnects, each.lastReason]).to.deep.equal([true, 0, ''])
  })

  it('is lost with a router that is silent', async () => {
    const rules = { isDeaf: false }
    await start(rules)
    const { options, check } = checkedByHand()
    const each = await joined(options)
    rules.isDeaf = true
    check()
    await untilHolds(() => askedForLife() === 1)
    expect(each.isOpen).to.equal(true)
    check()
    expect([each.isOpen, each.lastReason]).to.deep.equal([false, 'the link is silent'])
  })

  it('does not join over TLS a router whose certificate nobody has signed', async () => {
    await start({ tls: new Authority('Root').issue({ name: 'a', dns: ['localhost'] }) })
    const each = session({ url: front.url.replace('127.0.0.1', 'localhost') })
    expect(await each.joined(10_000, (why) => why !== '')).to.equal(false)
    expect(each.lastReason).to.match(/certificate/)
    expect(front.handshakes).to.deep.equal([])
  })
})
