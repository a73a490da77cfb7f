/** Who joins the embedded router, what the policy allows, and what others are told of a session; autobahn and wampy as clients. */
import { createHmac, createPublicKey, pbkdf2Sync, randomBytes, verify } from 'node:crypto'
import { createRequire } from 'node:module'
import { expect } from 'chai'
import { Wampy } from 'wampy'
import { WebSocket } from 'ws'
import type { Authentication, Hello, RealmPolicy } from '#component/router/ports.ts'
import { openRouter } from '#test/unit/router/open-router.ts'
import { allRoles, RouterPeer } from './peer.ts'

const autobahn = createRequire(import.meta.url)('autobahn')
autobahn.log.warn = () => {} // it reports each close on the console
const seed = new Uint8Array(32).fill(7)
const keyPair = createRequire(import.meta.url)('tweetnacl').sign.keyPair.fromSeed(seed)

const salted = { salt: 'pepper', iterations: 100, keylen: 32 }
const derived = pbkdf2Sync('secret', salted.salt, salted.iterations, salted.keylen, 'sha256')

/** Raw Ed25519 keys in the form that node:crypto takes (RFC 8410 §4). */
const publicKey = createPublicKey({
  key: Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), keyPair.publicKey]),
  format: 'der',
  type: 'spki',
})

const challenges: Readonly<Record<string, (hello: Hello) => Authentication>> = {
  ticket: (hello) => ({
    kind: 'challenge',
    challenge: 'ticket',
    extra: {},
    check: async (signature) => (signature === 'secret' ? welcome(hello) : undefined),
  }),
  wampcra(hello) {
    const challenge = JSON.stringify({ session: hello.session, authid: hello.authid })
    const wanted = createHmac('sha256', derived.toString('base64'))
      .update(challenge)
      .digest('base64')
    return {
      kind: 'challenge',
      challenge: 'wampcra',
      extra: { challenge, ...salted },
      check: async (signature) => (signature === wanted ? welcome(hello) : undefined),
    }
  },
  cryptosign(hello) {
    const challenge = randomBytes(32)
    return {
      kind: 'challenge',
      challenge: 'cryptosign',
      extra: { challenge: challenge.toString('hex') },
      check: async (signature) =>
        verify(null, challenge, publicKey, Buffer.from(signature.slice(0, 128), 'hex'))
          ? welcome(hello)
          : undefined,
    }
  },
}

const welcome = ({ authid = 'nobody', authextra }: Hello) => ({
  kind: 'welcome' as const,
  authid,
  authroles: [authid === 'ann' ? 'staff' : 'guest', 'all'],
  authextra: { asked: authextra },
  isRevoked: () => unwelcome.has(authid),
})

/** Who has gone since the HELLO. */
const unwelcome = new Set<string>()

const policy: RealmPolicy = {
  hasRealm: (realm) => realm === 'com.example.secure',
  authmethods: () => ['ticket', 'wampcra', 'cryptosign', 'anonymous'],
  async authenticate(hello) {
    if (hello.authid === 'broken') throw new Error('the store is away')
    if (hello.authid === 'never') return new Promise<never>(() => {})
    if (hello.authid === 'banned') {
      return { kind: 'refuse', reason: 'wamp.error.authentication_denied', message: 'no' }
    }
    return challenges[hello.authmethod]?.(hello) ?? welcome(hello)
  },
  isWelcome: ({ authid }) => !unwelcome.has(authid),
  isAllowed({ authroles }, action, uri) {
    if (uri === 'com.broken') throw new Error('the store is away')
    return authroles.includes('staff') || (action === 'call' && uri.startsWith('com.open.'))
  },
}

describe('Joining the embedded router', () => {
  let router: Awaited<ReturnType<typeof openRouter>> & { realm: string }
  const errors: unknown[] = []
  before(async () => {
    const onError = (error: unknown) => errors.push(error)
    const opened = await openRouter({ policy, onError, handshakeTimeoutMs: 500 })
    router = { ...opened, realm: 'com.example.secure' }
  })
  after(() => router.close())

  const hello = async (details: object) => {
    const peer = await RouterPeer.open(router.url)
    const answer = await peer.ask(1, router.realm, { roles: allRoles, ...details })
    return { peer, answer }
  }

  it('answers a challenge once with success: WELCOME tells who one is', async () => {
    const details = { authmethods: ['unknown', 'ticket'], authid: 'ann', authextra: { a: 1 } }
    const { peer, answer } = await hello(details)
    expect(answer).to.deep.equal([4, 'ticket', {}])
    const [code, , welcomed] = await peer.ask(5, 'secret', {})
    expect(code).to.equal(2)
    expect(welcomed).to.deep.include({
      realm: 'com.example.secure',
      authid: 'ann',
      authrole: 'staff',
      authmethod: 'ticket',
      authextra: { asked: { a: 1 } },
    })
    peer.cut()
  })

  for (const [title, details, signature, reason] of [
    ['a wrong ticket', { authmethods: ['ticket'], authid: 'ann' }, 'x', 'authentication_failed'],
    ['a wrong key', { authmethods: ['wampcra'], authid: 'ann' }, 'x', 'authentication_failed'],
    ['no common method', { authmethods: ['scram'] }, '', 'no_matching_auth_method'],
    ['a banned user', { authid: 'banned' }, '', 'authentication_denied'],
    ['a policy that throws', { authid: 'broken' }, '', 'authentication_failed'],
    ['a policy that never answers', { authid: 'never' }, '', 'authentication_failed'],
  ] as const) {
    it(`fails for ${title}`, async () => {
      const { peer, answer } = await hello(details)
      const last = answer[0] === 4 ? await peer.ask(5, signature, {}) : answer
      expect([last[0], last[2]]).to.deep.equal([3, `wamp.error.${reason}`])
      await peer.closed
    })
  }

  it('reports a policy that throws', () => {
    expect(errors.map((error) => (error as Error).message)).to.include('the store is away')
  })

  const connect = (options: object) =>
    new Promise<{ session?: { close(): void }; reason?: string; details?: object }>((resolve) => {
      const connection = new autobahn.Connection({
        ...{ url: router.url, realm: router.realm, max_retries: 0, ...options },
      })
      connection.onopen = (session: object, details: object) =>
        resolve({ session: Object.assign(session, { close: () => connection.close() }), details })
      connection.onclose = (_reason: string, { reason }: { reason: string }) => {
        resolve({ reason })
        return true
      }
      connection.open()
    })

  it('works for autobahn with salted WAMP-CRA', async () => {
    const { session, details } = await connect({
      authid: 'ann',
      authmethods: ['wampcra'],
      onchallenge: (_session: object, _method: string, extra: Record<string, unknown>) =>
        autobahn.auth_cra.sign(
          autobahn.auth_cra.derive_key('secret', extra.salt, extra.iterations, 32),
          extra.challenge,
        ),
    })
    expect(details).to.include({ authid: 'ann', authmethod: 'wampcra' })
    session?.close()
  })

  it('works for autobahn with cryptosign', async () => {
    const { session, details } = await connect({
      authid: 'ann',
      authmethods: ['cryptosign'],
      onchallenge: (_session: object, _method: string, extra: object) =>
        autobahn.auth_cryptosign.sign_challenge(keyPair, extra),
    })
    expect(details).to.include({ authid: 'ann', authmethod: 'cryptosign' })
    session?.close()
  })

  it('lets a wampy client call an autobahn callee, and disclose itself', async () => {
    const { session } = await connect({
      authid: 'ann',
      authmethods: ['ticket'],
      onchallenge: () => 'secret',
    })
    const callee = session as unknown as {
      register(uri: string, endpoint: (...call: unknown[]) => unknown): Promise<unknown>
      close(): void
    }
    await callee.register('com.open.who', (args, _kwargs, details) => [args, details])
    const caller = new Wampy(router.url, {
      ...{ realm: router.realm, autoReconnect: false, maxRetries: 0 },
      ws: WebSocket as unknown as typeof globalThis.WebSocket,
    })
    await caller.connect()
    const { argsList } = await caller.call('com.open.who', [1], { disclose_me: true })
    const [args, details] = (argsList as [[number[], Record<string, unknown>]])[0]
    expect(args).to.deep.equal([1])
    expect(details).to.include({ caller_authid: 'nobody', caller_authrole: 'guest' })
    await caller.disconnect()
    callee.close()
  })

  it('asks the policy for each request', async () => {
    const { peer } = await hello({})
    for (const message of [
      [48, 1, {}, 'com.closed'],
      [64, 1, {}, 'com.open.a'],
      [32, 1, {}, 'com.open.a'],
      [16, 1, { acknowledge: true }, 'com.open.a'],
    ]) {
      const answer = await peer.ask(...message)
      expect(answer.slice(0, 5)).to.deep.equal([
        ...[8, message[0], 1, {}, 'wamp.error.not_authorized'],
      ])
    }
    expect((await peer.ask(48, 2, {}, 'com.open.x'))[4]).to.equal('wamp.error.no_such_procedure')
    expect((await peer.ask(48, 3, {}, 'com.broken'))[4]).to.equal('wamp.error.authorization_failed')
    peer.cut()
  })

  it('does not welcome a user that has gone while it proved who it is', async () => {
    const { peer, answer } = await hello({ authmethods: ['ticket'], authid: 'ann' })
    expect(answer[0]).to.equal(4)
    unwelcome.add('ann')
    const [code, , reason] = await peer.ask(5, 'secret', {})
    expect([code, reason]).to.deep.equal([3, 'wamp.error.authentication_failed'])
    await peer.closed
    unwelcome.clear()
  })

  it('ends the sessions that are over, with GOODBYE', async () => {
    const { peer: ann } = await hello({ authmethods: ['ticket'], authid: 'ann' })
    await ann.ask(5, 'secret', {})
    const { peer: bob } = await hello({ authid: 'bob' })
    await ann.subscribe('wamp.session.on_leave')
    router.router.closeSessions('com.example.other', () => true)
    unwelcome.add('bob')
    router.router.closeSessions(router.realm, ({ isRevoked }) => isRevoked?.() === true)
    unwelcome.clear()
    const [code, details, reason] = await bob.next()
    expect([code, details, reason]).to.deep.equal([
      6,
      { message: 'the user may not use the realm any longer' },
      'wamp.close.killed',
    ])
    await bob.closed
    expect((await ann.next())[4]).to.include('bob')
    ann.cut()
  })

  it('picks receivers by authid and by any of the roles', async () => {
    const { peer: ann } = await hello({ authmethods: ['ticket'], authid: 'ann' })
    await ann.ask(5, 'secret', {})
    await ann.subscribe('com.topic')
    for (const [options, isReached] of [
      [{ eligible_authid: ['ann'] }, true],
      [{ exclude_authid: ['ann'] }, false],
      [{ eligible_authrole: ['all'] }, true],
      [{ exclude_authrole: ['staff'] }, false],
      [{ eligible_authrole: ['all'], exclude_authid: ['ann'] }, false],
    ] as const) {
      ann.send(16, 1, { ...options, exclude_me: false, disclose_me: true }, 'com.topic')
      const events = await ann.drain()
      expect(events.length, JSON.stringify(options)).to.equal(isReached ? 1 : 0)
      if (isReached) expect(events[0]?.[3]).to.include({ publisher_authid: 'ann' })
    }
    ann.cut()
  })
})
