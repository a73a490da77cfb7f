/** Revocations: what is refused although it has not expired, on all nodes, however it is spelt. */
import { expect } from 'chai'
import { ServiceError } from '#component/errors.ts'
import { SetClock } from '#test/unit/replica/doubles.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'
import {
  ada,
  exchange,
  iss,
  longestLifetime,
  openTokens,
  otherRealm,
  realm_uri,
  reasonOf,
  type Tokens,
  ttl,
} from './doubles.ts'
import { MemoryFamilies } from './memory-families.ts'

const revoked = 'the token was revoked'
const user = { realm_uri, authid: 'ada' }

const verdict = ({ accessTokens }: Tokens, token: string) =>
  reasonOf(() => accessTokens.verify(token, realm_uri))

/** Logs in: an access token, the refresh token it came with, and its family. */
async function login({ accessTokens, refreshTokens }: Tokens, subject = ada) {
  const refresh = await refreshTokens.issue(realm_uri, subject)
  const access = await accessTokens.issue(realm_uri, iss, subject, refresh.family)
  return { ...access, refresh: refresh.token, family: refresh.family }
}

/** The order of P-256 (SEC 2 §2.4.2). */
const order = BigInt('0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551')

/** Another valid signature of the same token: of (r, s) also (r, n - s). */
function otherSignature(token: string): string {
  const parts = token.split('.')
  const bytes = Buffer.from(parts[2] ?? '', 'base64url')
  const s = order - BigInt(`0x${bytes.toString('hex', 32)}`)
  bytes.write(s.toString(16).padStart(64, '0'), 32, 'hex')
  return [parts[0], parts[1], bytes.toString('base64url')].join('.')
}

/** The same bytes with other unused bits in the last character. */
function otherTail(token: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  return token.slice(0, -1) + alphabet[alphabet.indexOf(token.at(-1) ?? '') ^ 1]
}

describe('a revoked access token', () => {
  for (const [what, respell] of [
    ['another signature', otherSignature],
    ['another last character', otherTail],
  ] as const) {
    it(`is refused with ${what}, too`, async () => {
      const tokens = await openTokens()
      const { token, claims } = await login(tokens)
      const respelt = respell(token)
      expect(respelt).to.not.equal(token)
      expect(await verdict(tokens, respelt)).to.equal(undefined)
      await tokens.revocations.revokeToken(claims.jti, claims.exp)
      expect(await verdict(tokens, respelt)).to.equal(revoked)
      expect(await verdict(tokens, token)).to.equal(revoked)
    })
  }

  it('does not take others with it', async () => {
    const tokens = await openTokens()
    const [first, second] = [await login(tokens), await login(tokens)]
    await tokens.revocations.revokeToken(first.claims.jti, first.claims.exp)
    expect(await verdict(tokens, second.token)).to.equal(undefined)
  })

  it('is refused on other nodes once they have heard of it', async () => {
    const clock = new SetClock()
    const [a, b] = [await openTokens({ clock }), await openTokens({ clock, name: 'b' })]
    const { token, claims } = await login(a)
    await exchange(a, b)
    expect(await verdict(b, token)).to.equal(undefined)
    await a.revocations.revokeToken(claims.jti, claims.exp)
    await exchange(a, b)
    expect(await verdict(b, token)).to.equal(revoked)
  })

  it('is forgotten after its end', async () => {
    const { revocations, replica, now } = await openTokens()
    await revocations.revokeToken('x', now() + 10)
    await revocations.revokeToken('expired', now())
    const documents = replica.entries('revocation').map(({ id, document }) => [id, document])
    expect(documents).to.deep.equal([['token:x', { exp: now() + 10 }]])
  })

  it('is known to the other processes of the gateway before it is answered', async () => {
    const store = new MemoryStore()
    const other = await openTokens({ store, name: 'a' })
    const tokens = await openTokens({ store, broadcast: () => other.replica.refresh() })
    const { token, claims } = await login(tokens)
    await other.replica.refresh()
    expect(await verdict(other, token)).to.equal(undefined)
    await tokens.revocations.revokeToken(claims.jti, claims.exp)
    expect(await verdict(other, token)).to.equal(revoked)
  })

  it('is not revoked while the store is away', async () => {
    const store = new MemoryStore()
    const tokens = await openTokens({ store })
    const { token, claims } = await login(tokens)
    store.isAway = true
    const failed = await tokens.revocations.revokeToken(claims.jti, claims.exp).catch((e) => e)
    expect(failed).to.be.instanceOf(ServiceError).with.property('uri', 'service.error.unavailable')
    expect(await verdict(tokens, token)).to.equal(undefined)
  })
})

describe('a revoked family', () => {
  it('ends its refresh token and its access tokens, and no others', async () => {
    const tokens = await openTokens()
    const [first, second] = [await login(tokens), await login(tokens)]
    const later = await tokens.accessTokens.issue(realm_uri, iss, ada, first.family)
    await tokens.revocations.revokeFamily(first.family.id)
    expect(await verdict(tokens, first.token)).to.equal(revoked)
    expect(await verdict(tokens, later.token)).to.equal(revoked)
    expect(await verdict(tokens, second.token)).to.equal(undefined)
    expect(tokens.families.rows).to.deep.equal([second.family])
  })

  it('is remembered longer than its access tokens live', async () => {
    const { revocations, replica, now } = await openTokens()
    await revocations.revokeFamily('f')
    expect(replica.get('revocation', 'family:f')?.document?.exp).to.be.greaterThan(now() + ttl)
  })
})

describe('everything of a user', () => {
  it('ends at once: access tokens, tickets, refresh tokens', async () => {
    const tokens = await openTokens()
    const { token, refresh } = await login(tokens)
    const own = await tokens.accessTokens.issue(realm_uri, iss, ada)
    await tokens.revocations.revokeUsers([user])
    expect(await verdict(tokens, token)).to.equal(revoked)
    expect(await verdict(tokens, own.token)).to.equal(revoked)
    expect(await reasonOf(() => tokens.refreshTokens.rotate(refresh, realm_uri))).to.be.a('string')
    expect(tokens.families.rows).to.deep.equal([])
  })

  it('does not take other users or realms with it', async () => {
    const tokens = await openTokens()
    const bob = { ...ada, authid: 'bob' }
    const { token } = await login(tokens, bob)
    const elsewhere = await tokens.accessTokens.issue(otherRealm, iss, ada)
    await tokens.revocations.revokeUsers([user])
    expect(await verdict(tokens, token)).to.equal(undefined)
    expect(await reasonOf(() => tokens.accessTokens.verify(elsewhere.token, otherRealm))).to.equal(
      undefined,
    )
  })

  it('does not hinder the next login in the same second', async () => {
    const tokens = await openTokens()
    for (let times = 0; times < 3; times++) {
      const { token, refresh } = await login(tokens)
      expect(await verdict(tokens, token)).to.equal(undefined)
      const own = await tokens.accessTokens.issue(realm_uri, iss, ada)
      expect(await verdict(tokens, own.token)).to.equal(undefined)
      const { token: next } = await tokens.refreshTokens.rotate(refresh, realm_uri)
      await tokens.revocations.revokeUsers([user])
      expect(await verdict(tokens, token)).to.equal(revoked)
      expect(await verdict(tokens, own.token)).to.equal(revoked)
      expect(await reasonOf(() => tokens.refreshTokens.rotate(next, realm_uri))).to.be.a('string')
    }
    const { token } = await login(tokens)
    expect(await verdict(tokens, token)).to.equal(undefined)
  })

  it('may name a user twice, and nobody', async () => {
    const tokens = await openTokens()
    const { token } = await login(tokens)
    await tokens.revocations.revokeUsers([])
    expect(await verdict(tokens, token)).to.equal(undefined)
    await tokens.revocations.revokeUsers([user, { ...user }])
    expect(await verdict(tokens, token)).to.equal(revoked)
  })

  it('ends what another node goes on issuing for an old login until it hears of it', async () => {
    const clock = new SetClock()
    const [a, b] = [await openTokens({ clock }), await openTokens({ clock, name: 'b' })]
    await exchange(a, b)
    const { refresh } = await login(b)
    await a.revocations.revokeUsers([user])
    b.pass(2)
    const { family } = await b.refreshTokens.rotate(refresh, realm_uri)
    const { token } = await b.accessTokens.issue(realm_uri, iss, ada, family)
    expect(await verdict(b, token)).to.equal(undefined)
    await exchange(a, b)
    expect(await verdict(b, token)).to.equal(revoked)
    expect(b.families.rows).to.deep.equal([])
  })

  it('ends what a node has issued whose clock is ahead', async () => {
    const [a, b] = [await openTokens(), await openTokens({ name: 'b' })]
    b.pass(59)
    await exchange(a, b)
    const { token } = await login(b)
    const own = await b.accessTokens.issue(realm_uri, iss, ada)
    await a.revocations.revokeUsers([user])
    await exchange(a, b)
    expect(await verdict(b, token)).to.equal(revoked)
    expect(await verdict(b, own.token)).to.equal(revoked)
    expect(b.families.rows).to.deep.equal([])
  })

  it('is nothing of a later login, whose tokens do not come from the future', async () => {
    const tokens = await openTokens()
    await tokens.revocations.revokeUsers([user])
    for (const { token, claims } of [
      await login(tokens),
      await tokens.accessTokens.issue(realm_uri, iss, ada),
    ]) {
      expect(claims.iat).to.equal(tokens.now())
      expect(await verdict(tokens, token)).to.equal(undefined)
    }
  })

  it('is nothing of a later login, for a node that hears of it later still', async () => {
    const [clock, families] = [new SetClock(), new MemoryFamilies()]
    const setup = { clock, families }
    const [a, b] = [await openTokens(setup), await openTokens({ ...setup, name: 'b' })]
    const before = await login(a)
    await exchange(a, b)
    await a.revocations.revokeUsers([user])
    const { token, refresh, family } = await login(a)
    await exchange(a, b)
    expect(families.rows).to.deep.equal([family])
    expect(await verdict(b, before.token)).to.equal(revoked)
    expect(await verdict(b, token)).to.equal(undefined)
    const renewed = await b.refreshTokens.rotate(refresh, realm_uri)
    expect(renewed.family.generation).to.equal(1)
  })

  it('is remembered longer than anything that was issued lives', async () => {
    const { revocations, replica } = await openTokens()
    await revocations.revokeUsers([user])
    const document = replica.get('revocation', `user:${realm_uri} ada`)?.document
    const not_before = revocations.notBefore(realm_uri, 'ada')
    expect(document).to.deep.include({ ...user, not_before })
    expect(document?.exp).to.be.greaterThan(not_before + longestLifetime)
    expect(revocations.notBefore(realm_uri, 'bob')).to.equal(0)
  })
})

describe('what was revoked', () => {
  it('is told on every node: users by name, tokens as such', async () => {
    const tokens = await openTokens()
    const told: unknown[] = []
    tokens.revocations.onRevoked = (revoked) => told.push(revoked)
    const { claims } = await login(tokens)
    await tokens.revocations.revokeToken(claims.jti, claims.exp)
    await tokens.revocations.revokeUsers([user])
    expect(told).to.have.length(2)
    expect(told[0]).to.deep.equal({ users: [], hasTokens: true })
    expect(told[1]).to.have.property('hasTokens', false)
    expect(told[1]).to.have.nested.property('users[0].authid', 'ada')
  })
})

describe('what can be used once', () => {
  it('is new once on a node, and nowhere any more once the others know', async () => {
    const [a, b] = [await openTokens(), await openTokens({ name: 'b' })]
    const exp = a.now() + 300
    const both = await Promise.all([1, 2].map(() => a.revocations.useOnce('x', exp)))
    expect(both).to.deep.equal([true, false])
    await exchange(a, b)
    expect(await b.revocations.useOnce('x', exp)).to.equal(false)
    expect(await b.revocations.useOnce('y', exp)).to.equal(true)
  })

  it('revokes nothing, and ends no session', async () => {
    const { revocations, replica, pass, now } = await openTokens()
    const told: unknown[] = []
    revocations.onRevoked = (revoked) => told.push(revoked)
    await revocations.useOnce('x', now() + 300)
    const bearer = { jti: 'x', iat: now(), sub: 'ada', realm_uri }
    expect(revocations.isRevoked(bearer)).to.equal(false)
    expect(told).to.deep.equal([])
    pass(300 + 180)
    await replica.sweep()
    expect(replica.entries('revocation')).to.deep.equal([])
  })
})
