/** A session between two routers of a list, message by message: what is registered where, and when the later router is left. */
import { expect } from 'chai'
import { openLog } from '#component/log.ts'
import type { Link, WampMessage } from '#component/wamp/link.ts'
import { Routers } from '#component/wamp/routers/routers.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { requestSession } from '#component/wamp/wampy-session.ts'
import { ManualClock, settled } from '#test/unit/action/doubles.ts'

const nothing = { args: [], kwargs: {} }
const [served, registered] = ['com.example.served', 'com.example.registered']

/** A connection to a router, which the test answers for. */
class TestLink implements Link {
  onMessage: (message: WampMessage) => void = () => {}
  onClose: (code: number, reason: string) => void = () => {}
  readonly sent: WampMessage[] = []

  send(message: WampMessage): void {
    this.sent.push(message)
  }

  close(): void {}

  /** The messages of a code that were sent. */
  of(code: number): readonly WampMessage[] {
    return this.sent.filter(([type]) => type === code)
  }

  async say(...message: unknown[]): Promise<void> {
    this.onMessage(message)
    await settled()
  }

  welcome(): Promise<void> {
    return this.say(2, 1, { roles: { broker: {}, dealer: {} } })
  }

  /** Answers each REGISTER; the ids are the same at each router. */
  async register(): Promise<void> {
    for (const [index, [, request]] of this.of(64).entries()) {
      await this.say(65, request, 100 + index)
    }
  }

  async lose(): Promise<void> {
    this.onClose(1006, '')
    await settled()
  }
}

describe('a session that goes back to the first router', () => {
  let links: TestLink[]
  let clock: ManualClock
  let routers: Routers
  let session: SupervisedSession
  let later: TestLink
  let next: TestLink

  const newest = (): TestLink => links.at(-1) ?? new TestLink()
  const call = () => {
    const { result } = session.call('com.example.a', nothing, {}, 600_000)
    return result.then(
      () => 'answered',
      () => 'failed',
    )
  }

  beforeEach(async () => {
    links = []
    clock = new ManualClock()
    routers = new Routers(['ws://first', 'ws://later'])
    session = requestSession({
      ...{ realm_uri: 'com.example.test', routers, clock, isCallee: true, serializer: 'json' },
      openLink: () => {
        const link = new TestLink()
        links.push(link)
        return link
      },
      auth: { authmethod: 'anonymous' },
      log: openLog('silent'),
    })
    await settled()
    await newest().lose()
    await clock.advance(1500)
    later = newest()
    await later.welcome()
    void session.register(registered, () => nothing)
    session.serve({ uri: served, options: {}, handler: () => undefined })
    await later.register()
    expect(routers.isFirst).to.equal(false)
    void routers.return()
    await settled()
    next = newest()
    expect(next).to.not.equal(later)
  })
  afterEach(async () => {
    const left = session.leave()
    await clock.advance(1000)
    await left
  })

  it('calls over the later router until everything is registered at the first', async () => {
    await next.welcome()
    expect(next.of(64).map(([, , , uri]) => uri)).to.have.members([served, registered])
    void call()
    expect([later.of(48).length, next.of(48).length]).to.deep.equal([1, 0])
    await next.register()
    void call()
    expect([later.of(48).length, next.of(48).length]).to.deep.equal([1, 1])
    expect([routers.isFirst, session.isOpen, session.pending]).to.deep.equal([true, true, 2])
  })

  it('leaves the later router once its calls are answered, and unregisters there before', async () => {
    const out = call()
    await next.welcome()
    await next.register()
    expect(later.of(66).map(([, , id]) => id)).to.have.members([100, 101])
    for (const [, request] of later.of(66)) await later.say(67, request)
    expect(later.of(6)).to.deep.equal([])
    const [[, request] = []] = later.of(48)
    await later.say(50, request, {})
    expect(await out).to.equal('answered')
    await settled()
    expect(later.of(6)).to.have.length(1)
    expect(next.of(6)).to.deep.equal([])
  })

  it('is not confused by a revocation at the later router, whose ids are the same', async () => {
    await next.welcome()
    await next.register()
    const before = next.of(64).length
    await later.say(67, 0, { registration: 100 })
    await later.say(67, 0, { registration: 101 })
    expect(next.of(64)).to.have.length(before)
  })

  it('asks at once for what the first router has refused, when it has left the later one', async () => {
    await next.welcome()
    for (const [, request, , uri] of next.of(64)) {
      if (uri === registered) await next.say(65, request, 100)
      else await next.say(8, 64, request, {}, 'wamp.error.procedure_already_exists')
    }
    expect(session.isOpen).to.equal(true)
    for (const [, request] of later.of(66)) await later.say(67, request)
    await settled()
    expect(next.of(64).filter(([, , , uri]) => uri === served)).to.have.length(2)
  })

  it('stays when the first router is lost before it has answered', async () => {
    const out = call()
    await next.lose()
    expect([routers.isFirst, session.isOpen]).to.deep.equal([false, true])
    const [[, request] = []] = later.of(48)
    await later.say(50, request, {})
    expect(await out).to.equal('answered')
    await clock.advance(60_000)
    expect(newest()).to.equal(next)
  })

  it('registers again at the later router when the first is lost while it registers', async () => {
    const out = call()
    await next.welcome()
    await next.lose()
    expect([routers.isFirst, session.isOpen]).to.deep.equal([false, true])
    await clock.advance(1500)
    const again = newest()
    await again.welcome()
    await again.register()
    for (const [, request] of later.of(66)) await later.say(67, request)
    const [[, request] = []] = later.of(48)
    await later.say(50, request, {})
    expect(await out).to.equal('answered')
    await settled()
    expect([later.of(6).length, again.of(6).length]).to.deep.equal([1, 0])
  })

  it('goes on at the first router when the later one is lost meanwhile', async () => {
    await next.welcome()
    await later.lose()
    expect(session.isOpen).to.equal(true)
    await next.register()
    expect([routers.isFirst, session.isOpen]).to.deep.equal([true, true])
    void call()
    expect(next.of(48)).to.have.length(1)
  })

  it('joins as ever when both are lost', async () => {
    await later.lose()
    expect(session.isOpen).to.equal(false)
    await clock.advance(1500)
    await newest().welcome()
    expect(session.isOpen).to.equal(true)
  })

  it('asks a first router that refuses it every 30 s', async () => {
    const other = requestSession({
      ...{ realm_uri: 'com.example.other', routers, clock, serializer: 'json' },
      openLink: () => {
        const link = new TestLink()
        links.push(link)
        return link
      },
      auth: { authmethod: 'anonymous' },
      log: openLog('silent'),
    })
    await settled()
    const refused = newest()
    await refused.welcome()
    await next.welcome()
    await next.register()
    const asked = newest()
    expect(asked).to.not.equal(next)
    await asked.say(3, {}, 'wamp.error.no_such_realm')
    expect(other.isOpen).to.equal(true)
    await clock.advance(29_999)
    expect(newest()).to.equal(asked)
    await clock.advance(1)
    expect(newest()).to.not.equal(asked)
    await newest().welcome()
    expect([other.isOpen, refused.of(6).length]).to.deep.equal([true, 1])
    const left = other.leave()
    await clock.advance(1000)
    await left
  })
})
