/** Access tokens that are valid, and what ends them. */
import { expect } from 'chai'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { AccessTokens } from '#component/token/access-token.ts'
import {
  ada,
  decode,
  iss,
  openTokens,
  otherRealm,
  realm_uri,
  reasonAtOnce,
  reasonOf,
  ttl,
} from './doubles.ts'

async function issued() {
  const tokens = await openTokens()
  const { token, claims } = await tokens.accessTokens.issue(realm_uri, iss, ada)
  return { ...tokens, token, claims, verify: () => tokens.accessTokens.verify(token, realm_uri) }
}

describe('an access token', () => {
  it('says whose it is, for which realm and client, and until when', async () => {
    const { token, claims, now, keys, verify } = await issued()
    const { jti, ...others } = claims
    expect(others).to.deep.equal({
      iss,
      sub: 'ada',
      aud: realm_uri,
      exp: now() + ttl,
      iat: now(),
      client_id: 'app',
      scope: 'editors readers',
      auth: {
        realm: realm_uri,
        roles: ['editors', 'readers'],
        client_id: 'app',
        device_id: 'all',
        authmethod: 'oauth2',
      },
    })
    expect(jti).to.match(/^[0-9a-f-]{36}$/)
    const { kid } = await keys.signingKey(realm_uri)
    expect(decode(token, 0)).to.deep.equal({ alg: 'ES256', typ: 'at+jwt', kid })
    expect(await verify()).to.deep.equal(claims)
  })

  it('has no scope of words that would read as others', async () => {
    const { accessTokens } = await openTokens()
    const roles = ['staff', 'spec loader', 'é', 'a"b', 'a\\b', '', 'a,b:c/d.[]~!#']
    const { claims } = await accessTokens.issue(realm_uri, iss, { ...ada, roles, words: roles })
    expect(claims.scope).to.equal('staff a,b:c/d.[]~!#')
    expect(claims.auth.roles).to.deep.equal(roles)
  })

  it('is accepted by whoever has the JWK Set', async () => {
    const { token, claims, keys, clock } = await issued()
    const set = createLocalJWKSet({ keys: [...keys.jwks(realm_uri).keys] })
    const { payload } = await jwtVerify(token, set, {
      issuer: iss,
      audience: realm_uri,
      typ: 'at+jwt',
      algorithms: ['ES256'],
      requiredClaims: ['exp', 'iat', 'jti', 'sub', 'client_id'],
      currentDate: new Date(clock.now()),
    })
    expect(payload).to.deep.equal(claims)
  })

  it('names the family that it came with, and when its bearer has logged in', async () => {
    const { accessTokens, refreshTokens, now, pass } = await openTokens()
    const { family } = await refreshTokens.issue(realm_uri, ada)
    pass(60)
    const { claims } = await accessTokens.issue(realm_uri, iss, ada, family)
    expect(claims).to.include({ family: family.id, auth_time: now() - 60, iat: now() })
  })

  it('is another one each time', async () => {
    const { accessTokens, claims } = await issued()
    const again = await accessTokens.issue(realm_uri, iss, ada)
    expect(again.claims.jti).to.not.equal(claims.jti)
  })

  it('is verified at once after the first time, with claims that nobody can change', async () => {
    const { verify } = await issued()
    expect(verify()).to.be.a('promise')
    const claims = await verify()
    expect(verify()).to.equal(claims)
    expect([claims, claims.auth, claims.auth.roles].every(Object.isFrozen)).to.equal(true)
  })

  it('is counted as verified the first time, and as remembered from then on', async () => {
    const { accessTokens, verify } = await issued()
    for (let count = 0; count < 3; count += 1) await verify()
    expect(accessTokens.lookups).to.deep.equal({ hit: 2, miss: 1 })
    expect(accessTokens.entries).to.equal(1)
    await reasonOf(() => accessTokens.verify('a.b.c', realm_uri))
    expect(accessTokens.lookups).to.deep.equal({ hit: 2, miss: 2 })
    expect(accessTokens.entries).to.equal(1)
  })

  it('is verified on another node that has the key', async () => {
    const { token, claims, replica } = await issued()
    const other = await openTokens({ name: 'b' })
    expect(await reasonOf(() => other.accessTokens.verify(token, realm_uri))).to.equal(
      'the signing key of the token is unknown',
    )
    await other.replica.merge(replica.entries('realm_key'))
    expect(await other.accessTokens.verify(token, realm_uri)).to.deep.equal(claims)
  })

  it('is not issued when its roles do not fit into what is accepted', async () => {
    const { accessTokens } = await openTokens()
    const roles = Array.from({ length: 400 }, (_, index) => `the-role-number-${index}`)
    const refusal = await reasonOf(() =>
      accessTokens.issue(realm_uri, iss, { ...ada, roles, words: roles }),
    )
    expect(refusal).to.equal('the token would be too long')
  })
})

describe('an access token that was verified before', () => {
  const remembered = async () => {
    const tokens = await issued()
    await tokens.verify()
    return tokens
  }

  it('expires', async () => {
    const { verify, pass } = await remembered()
    pass(ttl - 1)
    expect(reasonAtOnce(verify)).to.equal(undefined)
    pass(1)
    expect(reasonAtOnce(verify)).to.equal('the token has expired')
  })

  it('is refused once it was revoked', async () => {
    const { verify, revocations, claims } = await remembered()
    await revocations.revokeToken(claims.jti, claims.exp)
    expect(reasonAtOnce(verify)).to.equal('the token was revoked')
  })

  it('is refused once all of its user was revoked', async () => {
    const { verify, revocations } = await remembered()
    await revocations.revokeUsers([{ realm_uri, authid: 'ada' }])
    expect(reasonAtOnce(verify)).to.equal('the token was revoked')
  })

  it('is refused once its key is gone', async () => {
    const { verify, keys } = await remembered()
    await keys.remove(realm_uri)
    expect(reasonAtOnce(verify)).to.equal('the signing key of the token is unknown')
  })

  it('is refused in another realm', async () => {
    const { token, accessTokens } = await remembered()
    expect(reasonAtOnce(() => accessTokens.verify(token, otherRealm))).to.equal(
      'the token was issued for another realm',
    )
  })
})

describe('an access token that is revoked while it is verified for the first time', () => {
  it('is refused', async () => {
    const { token, claims, keys, revocations, clock } = await issued()
    const { kid } = await keys.signingKey(realm_uri)
    const publicKey = await keys.verifyingKey(realm_uri, kid)
    const imported = Promise.withResolvers<typeof publicKey>()
    const late = {
      signingKey: keys.signingKey.bind(keys),
      verifyingKey: () => imported.promise as Promise<CryptoKey>,
    }
    const accessTokens = new AccessTokens({ keys: late, revocations, clock, ttl })
    const verdict = reasonOf(() => accessTokens.verify(token, realm_uri))
    await revocations.revokeToken(claims.jti, claims.exp)
    imported.resolve(publicKey)
    expect(await verdict).to.equal('the token was revoked')
  })
})
