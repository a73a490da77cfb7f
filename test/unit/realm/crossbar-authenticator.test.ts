/** What an external router is answered: who may join, as what, and what sessions may do. */
import { expect } from 'chai'
import { systemClock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import { CrossbarAuthenticator } from '#component/realm/crossbar-authenticator.ts'
import { Policy } from '#component/realm/policy.ts'
import { SessionTickets } from '#component/realm/session-ticket.ts'
import { TrustedProxies } from '#http/peer.ts'
import { ManualClock } from '#test/unit/action/doubles.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'
import { proofPorts, realmsWith, testBox } from './doubles.ts'

const uri = 'com.example.realm'
const key = 'ab'.repeat(32)
const document = {
  uri,
  authmethods: ['ticket', 'wampcra', 'cryptosign', 'anonymous'],
  groups: [{ name: 'staff' }, { name: 'gateway' }],
  users: [
    { username: 'kim', password: 'the password', groups: ['staff', 'gateway'] },
    { username: 'device', authorized_keys: [key] },
    { username: 'gone', password: 'the password', enabled: false },
  ],
  sources: [
    { usernames: 'all', authmethod: 'wampcra', cidr: '192.0.2.0/24' },
    { usernames: 'all', authmethod: 'wampcra', cidr: '2001:db8::/32' },
    { usernames: 'all', authmethod: 'ticket', cidr: '192.0.2.0/24' },
    { usernames: 'all', authmethod: 'cryptosign', cidr: '0.0.0.0/0' },
    { usernames: 'all', authmethod: 'anonymous', cidr: '192.0.2.0/24' },
  ],
  grants: [
    { permissions: ['wamp.call'], roles: ['staff'], uri: 'com.orders.', match: 'prefix' },
    { permissions: ['wamp.register'], roles: ['all'], uri: '', match: 'prefix' },
    { permissions: ['wamp.call'], roles: ['anonymous'], uri: 'com.hello', match: 'exact' },
  ],
}

/** Answers over the document; what was logged. */
async function open(more: object = {}, keepsPasswords = true) {
  const { realms } = await realmsWith({}, new MemoryStore(), { keepsPasswords })
  await realms.load(document)
  const tickets = new SessionTickets({ box: testBox, clock: systemClock })
  const policy = new Policy({
    realms,
    clock: systemClock,
    componentRealm: 'service.gateway',
    admitsStrangers: () => false,
    ...proofPorts(),
    tickets: {
      sessionTickets: tickets,
      verifyTicket: (_realm_uri, text) =>
        text === 'a.b.c' ? { authid: 'kim', authroles: ['staff'] } : undefined,
    },
  })
  const logged: unknown[] = []
  const log = {
    warn: (...line: unknown[]) => void logged.push(line),
    error: (...line: unknown[]) => void logged.push(line),
  }
  const proxies = new TrustedProxies(['198.51.100.1'])
  const ports = { policy, realms, proxies, clock: systemClock, log, ...more }
  const auth = new CrossbarAuthenticator(ports)
  return { auth, realms, tickets, logged }
}

/** What Crossbar.io says of a login. */
const details = (authmethod: string, more: object = {}, peer = 'tcp4:192.0.2.7:50000') => ({
  authmethod,
  authextra: null,
  session: 7,
  transport: { peer, http_headers_received: { host: 'router' } },
  ...more,
})

/** The refusal of a login. */
async function refusalOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    return await promise
  } catch (error) {
    if (error instanceof ServiceError) return error.toJSON()
    throw error
  }
}

const refused = {
  code: 'wamp.error.not_authorized',
  message: 'the login was refused',
  description: 'This is not allowed.',
}

describe('a router that asks who may join', () => {
  let set: Awaited<ReturnType<typeof open>>
  before(async () => {
    set = await open()
  })

  it('gets the role for which it asks again, never the one of the gateway', async () => {
    const ticket = 'the password'
    expect(await set.auth.authenticate(uri, 'kim', details('ticket', { ticket }))).to.deep.equal({
      authid: 'kim',
      role: 'user',
      extra: { authroles: ['staff'] },
    })
    expect(await set.auth.authenticate(uri, 'x1-y2', details('anonymous'))).to.deep.equal({
      authid: 'anonymous',
      role: 'anonymous',
      extra: { authroles: ['anonymous'] },
    })
  })

  it('gets the password for wampcra, and the key for cryptosign', async () => {
    const kim = await set.auth.authenticate(uri, 'kim', details('wampcra'))
    expect(kim.secret).to.equal('the password')
    const offer = details('cryptosign', { authextra: { pubkey: key.toUpperCase() } })
    const device = await set.auth.authenticate(uri, null, offer)
    expect(device).to.include({ authid: 'device', pubkey: key })
  })

  for (const [who, authid, peer] of [
    ['an unknown user', 'nobody', undefined],
    ['a disabled user', 'gone', undefined],
    ['a user without a password', 'device', undefined],
    ['a user from elsewhere', 'kim', 'tcp4:203.0.113.9:1'],
    ['a user over a Unix socket', 'kim', 'unix:/tmp/router.sock'],
  ] as const) {
    it(`gets a secret that nobody knows for ${who}, each time another one`, async () => {
      const ask = () => set.auth.authenticate(uri, authid, details('wampcra', {}, peer))
      const [first, second] = [await ask(), await ask()]
      expect(first).to.deep.include({ authid, role: 'user' })
      expect(first.secret).to.match(/^[0-9a-f]{64}$/)
      expect(first.secret).to.not.equal(second.secret)
    })
  }

  it('gets a key that nobody has for a key that is not of the user', async () => {
    const offer = { authextra: { pubkey: 'cd'.repeat(32) } }
    const { pubkey } = await set.auth.authenticate(uri, 'device', details('cryptosign', offer))
    expect(pubkey).to.match(/^[0-9a-f]{64}$/)
    expect(pubkey).to.not.equal(offer.authextra.pubkey)
    expect(pubkey).to.not.equal(key)
  })

  for (const [what, realm, authid, told] of [
    ['a wrong ticket', uri, 'kim', details('ticket', { ticket: 'wrong' })],
    ['no ticket', uri, 'kim', details('ticket')],
    ['an unknown user', uri, 'nobody', details('ticket', { ticket: 'x' })],
    [
      'another address',
      uri,
      'kim',
      details('ticket', { ticket: 'the password' }, 'tcp4:10.0.0.1:1'),
    ],
    ['an unknown realm', 'com.example.other', 'kim', details('ticket', { ticket: 'the password' })],
    ["the component's realm", 'service.gateway', 'gateway', details('anonymous')],
    ['anonymous from elsewhere', uri, 'x', details('anonymous', {}, 'tcp4:10.0.0.1:1')],
    ['no authid', uri, null, details('wampcra')],
    ['an unknown method', uri, 'kim', details('scram')],
    ['no details', uri, 'kim', {}],
    ['no key', uri, 'device', details('cryptosign')],
  ] as const) {
    it(`gets one and the same refusal for ${what}`, async () => {
      expect(await refusalOf(set.auth.authenticate(realm, authid, told))).to.deep.equal(refused)
    })
  }

  it('takes a ticket of the gateway from anywhere, once', async () => {
    const identity = { realm_uri: uri, authid: 'kim', authroles: ['staff'], authmethod: 'oauth2' }
    const told = details('ticket', { ticket: set.tickets.issue(identity) }, 'tcp4:10.0.0.1:1')
    const answer = await set.auth.authenticate(uri, 'kim', told)
    expect(answer.extra).to.deep.equal({ authroles: ['staff'] })
    expect(await refusalOf(set.auth.authenticate(uri, 'kim', told))).to.deep.equal(refused)
  })

  it('takes a service ticket of the user, and of nobody else', async () => {
    const told = details('ticket', { ticket: 'a.b.c' })
    expect(await set.auth.authenticate(uri, 'kim', told)).to.include({
      authid: 'kim',
      role: 'user',
    })
    expect(await refusalOf(set.auth.authenticate(uri, 'device', told))).to.deep.equal(refused)
  })

  for (const [peer, forwarded, isAdmitted] of [
    ['tcp4:198.51.100.1:9', '192.0.2.8', true],
    ['tcp4:198.51.100.1:9', '10.0.0.1', false],
    ['tcp4:198.51.100.2:9', '192.0.2.8', false],
    ['tcp4:192.0.2.8:9', '10.0.0.1', true],
    ['tcp6:2001:db8::1:9', '10.0.0.1', true],
    ['tcp6:::ffff:192.0.2.8:9', '10.0.0.1', true],
    ['tcp6:::ffff:198.51.100.1:9', '192.0.2.8', true],
    ['unknown', '192.0.2.8', false],
  ] as const) {
    it(`goes by sources for ${peer} on behalf of ${forwarded}`, async () => {
      const transport = { peer, http_headers_received: { 'x-forwarded-for': forwarded } }
      const told = details('wampcra', { transport })
      const { secret } = await set.auth.authenticate(uri, 'kim', told)
      expect(secret === 'the password').to.equal(isAdmitted)
    })
  }

  it('is answered within the deadline, though the store never says', async () => {
    const clock = new ManualClock()
    const realms = { plainPassword: () => new Promise<never>(() => undefined) }
    const { auth, logged } = await open({ clock, realms, deadlineMs: 5_000 })
    const answer = refusalOf(auth.authenticate(uri, 'kim', details('wampcra')))
    await clock.advance(5_000)
    expect(await answer).to.have.property('code', 'service.error.unavailable')
    expect(logged).to.have.length(1)
  })

  it('is told that a login cannot be checked when something fails, and that is logged', async () => {
    const realms = { plainPassword: () => Promise.reject(new Error('a secret story')) }
    const { auth, logged } = await open({ realms })
    const answer = await refusalOf(auth.authenticate(uri, 'kim', details('wampcra')))
    expect(answer).to.have.property('code', 'service.error.unavailable')
    expect(JSON.stringify(answer)).not.to.include('a secret story')
    expect(logged).to.have.length(1)
  })

  it('gets no secret of a password that was not kept; the log says so once', async () => {
    const { auth, logged } = await open({}, false)
    for (let n = 0; n < 3; n++) {
      const { secret } = await auth.authenticate(uri, 'kim', details('wampcra'))
      expect(secret).to.match(/^[0-9a-f]{64}$/)
    }
    expect(JSON.stringify(logged)).to.include('cannot log in by wampcra').and.include('kim')
    expect(logged).to.have.length(1)
  })
})

describe('a router that asks what a session may do', () => {
  let set: Awaited<ReturnType<typeof open>>
  before(async () => {
    set = await open()
  })

  const kim = {
    authid: 'kim',
    authmethod: 'ticket',
    authprovider: 'dynamic',
    authextra: { authroles: ['staff'], x_cb_pid: 1 },
  }
  const anonymous = {
    authid: 'anonymous',
    authmethod: 'anonymous',
    authprovider: 'dynamic',
    authextra: { authroles: ['anonymous'] },
  }
  const forged = { authroles: ['staff', 'gateway'] }

  for (const [what, session, target, action, options, allow] of [
    ['what its group is granted', kim, 'com.orders.list', 'call', {}, true],
    ['what it is not granted', kim, 'com.wages', 'call', {}, false],
    ['another action', kim, 'com.orders.list', 'subscribe', {}, false],
    ['no action of WAMP', kim, 'com.orders.list', 'own', {}, false],
    ['what all are granted', kim, 'com.mine', 'register', {}, true],
    ['a prefix that is granted', kim, 'com.mine.', 'register', { match: 'prefix' }, true],
    ["the gateway's own URIs", kim, 'service.authorize', 'register', {}, false],
    ['a pattern over them', kim, '', 'register', { match: 'prefix' }, false],
    ['the wildcard over them', kim, '.authorize', 'register', { match: 'wildcard' }, false],
    ['what anonymous is granted', anonymous, 'com.hello', 'call', {}, true],
    ['what anonymous is not granted', anonymous, 'com.orders.list', 'call', {}, false],
    ['with forward_for', kim, 'com.orders.list', 'call', { forward_for: [] }, false],
    ['by force', kim, 'com.mine', 'register', { force_reregister: true }, false],
    ['of a static login', { ...kim, authprovider: 'static' }, 'com.orders.list', 'call', {}, false],
    ['without roles', { ...kim, authextra: null }, 'com.orders.list', 'call', {}, false],
    ['as the gateway', { ...anonymous, authextra: forged }, 'com.wages', 'call', {}, false],
    ['of nobody', { ...kim, authid: 'nobody' }, 'com.orders.list', 'call', {}, false],
    ['of nothing', {}, 'com.hello', 'call', {}, false],
  ] as const) {
    it(`${allow ? 'allows' : 'refuses'} ${what}: ${action} ${target}`, () => {
      const answer = set.auth.authorize(uri, session, target, action, options)
      expect(answer).to.deep.equal({ allow, disclose: allow, cache: false })
    })
  }

  it('goes by the document as it is: users, groups, grants, and whether it takes sessions', async () => {
    const { auth, realms } = await open()
    const mayKim = () => auth.authorize(uri, kim, 'com.orders.list', 'call', {}).allow
    const [first, ...others] = document.users
    const changes = [
      { users: others },
      { users: [{ ...first, enabled: false }, ...others] },
      { users: [{ ...first, groups: [] }, ...others] },
      { grants: [] },
      { allow_connections: false },
    ]
    for (const change of changes) {
      expect(mayKim()).to.equal(true)
      await realms.load({ ...document, ...change })
      expect(mayKim(), JSON.stringify(change)).to.equal(false)
      await realms.load(document)
    }
  })

  it('knows nothing of other realms', () => {
    const { allow } = set.auth.authorize('com.other', kim, 'com.orders.list', 'call', {})
    expect(allow).to.equal(false)
  })
})
