/** On which realms the gateway is there itself. */
import { expect } from 'chai'
import { GatewaySessions } from '#component/realm/gateway-sessions.ts'
import { type Payload, type Session, WampError } from '#component/wamp/session.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'

/** Sessions that are made up: who is there, and how often each realm was registered on. */
function open(refuses: (uri: string) => Error | undefined = () => undefined) {
  const there = new Map<string, () => Promise<void>>()
  const registered: string[] = []
  const calls: unknown[][] = []
  const logged: unknown[] = []
  const closed = new Set<string>()
  const clock = new ManualClock()
  const tell = (...line: unknown[]) => void logged.push(line)
  const sessions = new GatewaySessions({
    open(realm_uri, onJoin) {
      there.set(realm_uri, onJoin)
      const leave = async () => void there.delete(realm_uri)
      const withdraw = async () => void calls.push([realm_uri, 'withdraw', there.has(realm_uri)])
      const call = (procedure: string, { args }: Payload) => {
        calls.push([realm_uri, procedure, args[0]])
        const refusal = refuses(procedure)
        return { result: refusal ? Promise.reject(refusal) : Promise.resolve() }
      }
      return { realm_uri, leave, withdraw, call } as unknown as Session
    },
    async register({ realm_uri }) {
      const refusal = refuses(realm_uri)
      if (refusal) throw refusal
      registered.push(realm_uri)
    },
    isWanted: (uri) => !closed.has(uri),
    componentRealm: 'service.gateway',
    clock,
    log: { info: tell, warn: tell },
  })
  return { sessions, there, registered, calls, logged, closed, clock }
}

describe("the gateway's sessions on the realms of users", () => {
  it("are on every realm where they are wanted, but the component's", () => {
    const { sessions, there, closed } = open()
    closed.add('com.prototype')
    sessions.follow(['com.a', 'com.b', 'com.prototype', 'service.gateway'])
    expect([...there.keys()]).to.deep.equal(['com.a', 'com.b'])
  })

  it('follow the realms as they come and go', () => {
    const { sessions, there, closed } = open()
    sessions.follow(['com.a', 'com.b'])
    closed.add('com.a')
    sessions.follow(['com.a', 'com.b', 'com.c'])
    expect([...there.keys()]).to.deep.equal(['com.b', 'com.c'])
    closed.delete('com.a')
    sessions.follow(['com.a'])
    expect([...there.keys()]).to.deep.equal(['com.a'])
  })

  it('end only when what the router has asked is answered', async () => {
    const { sessions, there, calls } = open()
    sessions.follow(['com.a'])
    await sessions.close()
    expect(calls).to.deep.equal([['com.a', 'withdraw', true]])
    expect([...there.keys()]).to.deep.equal([])
  })

  it('register once: what is registered comes back by itself', async () => {
    const { sessions, there, registered } = open()
    sessions.follow(['com.a'])
    await there.get('com.a')?.()
    await there.get('com.a')?.()
    expect(registered).to.deep.equal(['com.a'])
  })

  it('leave a realm whose roles are the router’s own, and try again after a change', async () => {
    const { sessions, there, logged } = open(() => new WampError('wamp.error.not_authorized'))
    sessions.follow(['com.a'])
    await there.get('com.a')?.()
    expect([...there.keys()]).to.deep.equal([])
    expect(logged).to.have.length(1)
    sessions.follow(['com.a'])
    expect([...there.keys()]).to.deep.equal(['com.a'])
  })

  it('leave a realm where the router could not register for now, and join it again later', async () => {
    let isAway = true
    const { sessions, there, registered, clock } = open(() =>
      isAway ? new WampError('wamp.error.authorization_failed') : undefined,
    )
    sessions.follow(['com.a'])
    await there.get('com.a')?.()
    expect([...there.keys()]).to.deep.equal([])
    isAway = false
    await clock.advance(5_000)
    await there.get('com.a')?.()
    expect(registered).to.deep.equal(['com.a'])
  })

  it('do not join again where a session is not wanted any more, nor after the end', async () => {
    for (const end of ['unwanted', 'closed']) {
      const { sessions, there, clock } = open(() => new WampError('wamp.error.net_failure'))
      sessions.follow(['com.a'])
      await there.get('com.a')?.()
      if (end === 'unwanted') sessions.follow([])
      else await sessions.close()
      await clock.advance(60_000)
      expect([...there.keys()], end).to.deep.equal([])
    }
  })

  it('stay when something else failed, which is not hidden', async () => {
    const { sessions, there } = open(() => new TypeError('a mistake'))
    sessions.follow(['com.a'])
    const failure = await there
      .get('com.a')?.()
      .catch((error: unknown) => error)
    expect(failure).to.be.instanceOf(TypeError)
    expect([...there.keys()]).to.deep.equal(['com.a'])
  })

  it('end those of users, where the router asks', async () => {
    const { sessions, calls } = open()
    sessions.follow(['com.a', 'com.b'])
    await sessions.end([
      { realm_uri: 'com.a', authid: 'kim' },
      { realm_uri: 'com.other', authid: 'sam' },
    ])
    expect(calls).to.deep.equal([['com.a', 'wamp.session.kill_by_authid', 'kim']])
  })

  it('end one, which may have left already', async () => {
    const { sessions, calls } = open()
    sessions.follow(['com.a'])
    await sessions.endSession('com.a', 7)
    await sessions.endSession('com.other', 8)
    expect(calls).to.deep.equal([['com.a', 'wamp.session.kill', 7]])
    const gone = open(() => new WampError('wamp.error.no_such_session'))
    gone.sessions.follow(['com.a'])
    await gone.sessions.endSession('com.a', 7)
    expect(gone.logged).to.deep.equal([])
  })

  for (const [uri, isHidden] of [
    ['wamp.error.not_authorized', true],
    ['wamp.error.net_failure', false],
  ] as const) {
    it(`${isHidden ? 'log' : 'tell'} that users could not be ended: ${uri}`, async () => {
      const { sessions, logged } = open(() => new WampError(uri))
      sessions.follow(['com.a'])
      const ended = sessions.end([{ realm_uri: 'com.a', authid: 'kim' }])
      const failure = await ended.catch((error: unknown) => error)
      expect(failure instanceof WampError).to.equal(!isHidden)
      expect(logged).to.have.length(isHidden ? 1 : 0)
    })
  }

  it('are gone for good after the end', async () => {
    const { sessions, there } = open()
    sessions.follow(['com.a', 'com.b'])
    await sessions.close()
    sessions.follow(['com.c'])
    expect([...there.keys()]).to.deep.equal([])
  })
})
