/** Crossbar.io asks who may join and what they may do: a realm document holds for other people's clients, too. */
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import type { Identity } from '#component/identity.ts'
import { openLog } from '#component/log.ts'
import { componentSession } from '#component/wamp/autobahn-session.ts'
import type { JoinAuth } from '#component/wamp/join-auth.ts'
import type { Session } from '#component/wamp/session.ts'
import { requestSession } from '#component/wamp/wampy-session.ts'
import { failureOf, nothing, untilTrue } from '#test/contract/session/support.ts'
import { type Guest, joinAs, type Login, LoginRefused } from './crossbar-clients.ts'
import { type Documented, newKey, password, startDocumented } from './crossbar-page.ts'

const realm = 'com.example.realm'
const basics = { serializer: 'json', clock: systemClock, log: openLog('silent') } as const
const refused = 'wamp.error.not_authorized'

describe('the users of a realm document on Crossbar.io, by docs/crossbar.md', () => {
  let set: Documented
  let backend: Session
  const guests: Guest[] = []

  const loginOf = (login: Omit<Login, 'url' | 'realm'>): Login => ({
    url: set.url,
    realm,
    ...login,
  })

  /** Joins as somebody. */
  async function join(name: keyof typeof joinAs, login: Omit<Login, 'url' | 'realm'>) {
    const guest = await joinAs[name](loginOf(login))
    guests.push(guest)
    return guest
  }

  /** The reason why somebody may not join. */
  async function refusal(name: keyof typeof joinAs, login: Login): Promise<string> {
    try {
      guests.push(await joinAs[name](login))
    } catch (error) {
      if (error instanceof LoginRefused) return error.message
      throw error
    }
    return 'joined'
  }

  before(async () => {
    set = await startDocumented()
    const auth: JoinAuth = { authmethod: 'cryptosign', authid: 'backend', key: set.key.seed }
    const session = componentSession({ ...basics, url: set.url, realm_uri: realm, auth })
    backend = session
    expect(await session.joined(20_000), session.lastReason).to.equal(true)
    for (const procedure of ['com.example.hello', 'com.example.orders.list', 'com.example.wages']) {
      // registering is allowed as soon as the gateway answers on this realm, too
      await untilTrue(async () => {
        await session.register(procedure, (_payload, { details }) => ({
          args: [`${details.caller_authid}, ${details.caller_authrole}`],
          kwargs: {},
        }))
        return true
      })
    }
  })

  afterEach(() => {
    for (const guest of guests.splice(0)) guest.leave()
  })

  after(async () => {
    await backend?.leave()
    await set?.stop()
  })

  for (const name of ['autobahn', 'wampy'] as const) {
    describe(`with ${name}`, () => {
      it('logs a user in by wampcra, who may do what its group is granted', async () => {
        const kim = await join(name, { authmethod: 'wampcra', authid: 'kim', secret: password })
        expect(await kim.call('com.example.orders.list')).to.equal('kim, user')
        expect(await kim.call('com.example.wages')).to.equal(refused)
      })

      it('logs a user in by cryptosign', async () => {
        const { key } = set
        const guest = await join(name, { authmethod: 'cryptosign', authid: 'backend', key })
        expect(await guest.call('com.example.hello')).to.equal(refused)
      })

      it('lets in who says nothing, for what anonymous is granted', async () => {
        const guest = await join(name, { authmethod: 'anonymous' })
        expect(await guest.call('com.example.hello')).to.equal('anonymous, anonymous')
        expect(await guest.call('com.example.orders.list')).to.equal(refused)
      })

      it('refuses wrong proofs, unknown users and forbidden sources alike', async () => {
        const kim = { authid: 'kim', secret: password } as const
        for (const login of [
          { authmethod: 'wampcra', authid: 'kim', secret: 'wrong' },
          { authmethod: 'wampcra', authid: 'nobody', secret: password },
          { authmethod: 'wampcra', authid: 'backend', secret: 'x' },
          { authmethod: 'ticket', ...kim },
          { authmethod: 'ticket', authid: 'nobody', secret: 'x' },
          { authmethod: 'cryptosign', authid: 'backend', key: newKey() },
          { authmethod: 'cryptosign', authid: 'kim', key: set.key },
        ] as const) {
          expect(await refusal(name, loginOf(login)), JSON.stringify(login)).to.equal(refused)
        }
      })

      it("lets nobody into the component's realm", async () => {
        for (const login of [
          { authmethod: 'anonymous' },
          { authmethod: 'wampcra', authid: 'gateway', secret: String(set.auth.secret) },
        ] as const) {
          const there = { ...loginOf(login), realm: 'service.gateway' }
          expect(await refusal(name, there)).to.not.equal('joined')
        }
      })
    })
  }

  it('finds the user by the key alone', async () => {
    const { key, url } = set
    const guest = await joinAs.autobahn({ url, realm, authmethod: 'cryptosign', key })
    guests.push(guest)
    expect(await guest.call('com.example.hello')).to.equal(refused)
  })

  it('lets the gateway join as its user, once by each ticket', async () => {
    const identity: Identity = {
      realm_uri: realm,
      authid: 'kim',
      authmethod: 'oauth2',
      authroles: ['staff'],
      groups: ['staff'],
      meta: {},
    }
    const auth = set.tickets.authFor(identity)
    const session = requestSession({ ...basics, url: set.gatewayUrl, realm_uri: realm, auth })
    try {
      expect(await session.joined(5_000), session.lastReason).to.equal(true)
      const { args } = await session.call('com.example.orders.list', nothing, {}, 5_000).result
      expect(args).to.deep.equal(['kim, user'])
      const denied = session.call('com.example.wages', nothing, {}, 5_000).result
      expect((await failureOf(denied)).error_uri).to.equal(refused)
    } finally {
      await session.leave()
    }
    const secret = set.tickets.issue(identity)
    const login = {
      url: set.gatewayUrl,
      realm,
      authmethod: 'ticket',
      authid: 'kim',
      secret,
    } as const
    guests.push(await joinAs.wampy(login))
    expect(await refusal('wampy', login)).to.equal(refused)
  })

  it('lets the gateway itself call, and register nothing', async () => {
    const { gatewayUrl: url, auth } = set
    const session = requestSession({ ...basics, url, realm_uri: realm, auth })
    try {
      expect(await session.joined(5_000), session.lastReason).to.equal(true)
      const { args } = await session.call('com.example.wages', nothing, {}, 5_000).result
      expect(args).to.deep.equal(['gateway, gateway'])
      const registered = session.register('com.example.mine', () => nothing)
      expect((await failureOf(registered)).error_uri).to.equal(refused)
    } finally {
      await session.leave()
    }
  })

  it('gives a user a ticket on its own realm, by which it joins', async () => {
    const { sources = [] } = set.document as Record<string, object[]>
    const everywhere = { usernames: 'all', authmethod: 'ticket', cidr: '0.0.0.0/0' }
    await set.realms.load({ ...set.document, sources: [...sources, everywhere] })
    const kim = await join('wampy', { authmethod: 'wampcra', authid: 'kim', secret: password })
    const { ticket: secret } = (await kim.call('service.ticket.issue')) as { ticket: string }
    const guest = await join('autobahn', { authmethod: 'ticket', authid: 'kim', secret })
    expect(await guest.call('com.example.orders.list')).to.equal('kim, user')
    const stranger = await join('wampy', { authmethod: 'anonymous' })
    expect(await stranger.call('service.ticket.issue')).to.equal(refused)
    await set.realms.load(set.document)
  })

  it('ends the session that a ticket has opened when the ticket expires or is revoked, and no other', async () => {
    const { sources = [] } = set.document as Record<string, object[]>
    const everywhere = { usernames: 'all', authmethod: 'ticket', cidr: '0.0.0.0/0' }
    await set.realms.load({ ...set.document, sources: [...sources, everywhere] })
    const { tickets, revocations } = set.management
    const subject = {
      ...{ iss: 'https://api.example', authid: 'kim', authmethod: 'wampcra', authroles: ['staff'] },
      scope: { realm, client_id: 'all', device_id: 'all' },
    }
    const joinFor = async (lifetime: number) => {
      const { ticket: secret, claims } = await tickets.issue(realm, { ...subject, lifetime })
      const guest = await join('wampy', { authmethod: 'ticket', authid: 'kim', secret })
      return { guest, claims }
    }
    const [short, long, other] = [await joinFor(3), await joinFor(60), await joinFor(60)]
    expect(await short.guest.call('com.example.orders.list')).to.equal('kim, user')
    await short.guest.ended
    expect(await long.guest.call('com.example.orders.list')).to.equal('kim, user')
    await revocations.revokeToken(long.claims.id, long.claims.exp)
    await long.guest.ended
    expect(await other.guest.call('com.example.orders.list')).to.equal('kim, user')
    await set.realms.load(set.document)
  })

  it('answers nobody but the router, not even a gateway', async () => {
    const args = [realm, 'kim', { authmethod: 'wampcra', transport: { peer: 'tcp4:127.0.0.1:1' } }]
    const asked = set.own.call('service.authenticate', { args, kwargs: {} }, {}, 5_000).result
    expect((await failureOf(asked)).error_uri).to.equal(refused)
  })

  it('goes by the document as it is: users who are disabled end, others may do what they may now', async () => {
    const kim = { authid: 'kim', secret: password } as const
    const [one, another, stranger] = [
      await join('wampy', { authmethod: 'wampcra', ...kim }),
      await join('autobahn', { authmethod: 'wampcra', ...kim }),
      await join('autobahn', { authmethod: 'anonymous' }),
    ]
    const { users = [], sources = [], grants = [] } = set.document as Record<string, object[]>
    await set.realms.load({ ...set.document, grants: grants.slice(0, 1) })
    for (const guest of [one, another]) {
      expect(await guest.call('com.example.orders.list')).to.equal(refused)
    }
    expect(await stranger.call('com.example.hello')).to.equal(refused)

    const everywhere = { usernames: 'all', authmethod: 'ticket', cidr: '0.0.0.0/0' }
    const sam = { username: 'sam', password, groups: ['staff'] }
    await set.realms.load({
      ...set.document,
      users: [{ ...users[0], enabled: false }, sam, ...users.slice(1)],
      sources: [...sources, everywhere],
    })
    await Promise.all([one.ended, another.ended])
    expect(await stranger.call('com.example.hello')).to.equal('anonymous, anonymous')
    expect(await refusal('wampy', loginOf({ authmethod: 'wampcra', ...kim }))).to.equal(refused)
    for (const name of ['autobahn', 'wampy'] as const) {
      const guest = await join(name, { authmethod: 'ticket', authid: 'sam', secret: password })
      expect(await guest.call('com.example.orders.list')).to.equal('sam, user')
      const wrong = loginOf({ authmethod: 'ticket', authid: 'sam', secret: 'wrong' })
      expect(await refusal(name, wrong)).to.equal(refused)
    }
    await set.realms.load(set.document)
  })

  describe('after Crossbar.io was killed and started again', () => {
    it('holds again', async () => {
      await set.crossbar.kill()
      await set.crossbar.restart()
      await untilTrue(async () => {
        const guest = await join('wampy', { authmethod: 'anonymous' })
        return (await guest.call('com.example.hello')) === 'anonymous, anonymous'
      })
    })
  })
})
