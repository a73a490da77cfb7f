/** The reconnect loop by a clock that the test moves: when it tries again, and when it stops. */
import { expect } from 'chai'
import type { Clock } from '#component/clock.ts'
import { openLog } from '#component/log.ts'
import type { Link, WampMessage } from '#component/wamp/link.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { requestSession } from '#component/wamp/wampy-session.ts'

/** One timer. */
interface Timer {
  readonly ms: number
  readonly callback: () => void
}

class TestClock implements Clock {
  time = 1_000_000
  readonly timers = new Set<Timer>()
  readonly #random: number

  constructor(random: number) {
    this.#random = random
  }

  now(): number {
    return this.time
  }

  random(): number {
    return this.#random
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { ms, callback }
    this.timers.add(timer)
    return () => this.timers.delete(timer)
  }

  /** Lets the only timer that runs go off; its milliseconds. */
  fire(): number {
    const [timer, ...others] = this.timers
    if (!timer || others.length > 0) throw new Error(`${this.timers.size} timers run`)
    this.timers.delete(timer)
    this.time += timer.ms
    timer.callback()
    return timer.ms
  }
}

class TestLink implements Link {
  onMessage: (message: WampMessage) => void = () => {}
  onClose: (code: number, reason: string) => void = () => {}
  readonly sent: WampMessage[] = []

  send(message: WampMessage): void {
    this.sent.push(message)
  }

  close(): void {}

  /** Answers HELLO, which comes after the current turn. */
  async welcome(): Promise<void> {
    await Promise.resolve()
    this.onMessage([2, 1, { roles: { broker: {}, dealer: {} } }])
  }
}

describe('the supervisor of a session', () => {
  let links: TestLink[]
  let clock: TestClock
  let session: SupervisedSession

  const open = (random: number) => {
    links = []
    clock = new TestClock(random)
    session = requestSession({
      realm_uri: 'com.example.test',
      openLink: () => {
        const link = new TestLink()
        links.push(link)
        return link
      },
      serializer: 'json',
      auth: { authmethod: 'anonymous' },
      clock,
      log: openLog('silent'),
    })
  }
  const last = (): TestLink => links.at(-1) ?? new TestLink()
  afterEach(async () => {
    const left = session.leave()
    // nobody answers GOODBYE here
    if (clock.timers.size > 0) clock.fire()
    await left
  })

  for (const [random, pauses] of [
    [0, [100, 100, 100, 100, 100, 100]],
    [1, [400, 800, 1500, 1500, 1500, 1500]],
  ] as const) {
    it(`tries again without a limit, after ${pauses.join(', ')} ms when the dice show ${random}`, () => {
      open(random)
      const seen = pauses.map(() => {
        last().onClose(1006, '')
        return clock.fire()
      })
      expect(seen).to.deep.equal(pauses)
      expect(links).to.have.length(pauses.length + 1)
    })
  }

  it('begins anew with short pauses after a session that lived', async () => {
    open(1)
    for (let round = 0; round < 5; round++) {
      last().onClose(1006, '')
      clock.fire()
    }
    await last().welcome()
    clock.time += 10_000
    last().onClose(1006, '')
    expect(clock.fire()).to.equal(200)
  })

  it('does not hurry when the router welcomes it and drops it at once', async () => {
    open(1)
    for (let round = 0; round < 5; round++) {
      await last().welcome()
      last().onClose(1006, '')
      clock.fire()
    }
    await last().welcome()
    last().onClose(1006, '')
    expect(clock.fire()).to.equal(1500)
  })

  it('gives a router that never says WELCOME 8 s', () => {
    open(0)
    expect(clock.fire()).to.equal(8000)
    expect(session.lastReason).to.equal('the router did not send WELCOME in time')
    clock.fire()
    expect(links).to.have.length(2)
  })

  it('has no timer left for a call that is answered', async () => {
    open(0)
    await last().welcome()
    expect(clock.timers.size).to.equal(0)
    const call = session.call('com.example.a', { args: [], kwargs: {} }, {}, 30_000)
    expect([...clock.timers].map(({ ms }) => ms)).to.deep.equal([30_000])
    last().onMessage([50, 1, {}])
    await call.result
    expect(clock.timers.size).to.equal(0)
  })

  it('stops for good when it leaves', async () => {
    open(0)
    last().onClose(1006, '')
    await session.leave()
    expect(clock.timers.size).to.equal(0)
    expect(links).to.have.length(1)
  })

  it('leaves by GOODBYE, and waits at most 1 s for the answer', async () => {
    open(0)
    await last().welcome()
    const left = session.leave()
    expect(last().sent.at(-1)?.[0]).to.equal(6)
    expect(clock.fire()).to.equal(1000)
    await left
    expect(session.isOpen).to.equal(false)
  })
})
