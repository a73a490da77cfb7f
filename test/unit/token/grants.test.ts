/** The grants that log somebody in: password and client_credentials; what a flow serves, and what a scope may ask for. */
import { expect } from 'chai'
import { OAuthError } from '#component/errors.ts'
import type { GrantContext, TokenForm } from '#component/token/grant.ts'
import { grantTypesOf, openGrants } from '#component/token/grants.ts'
import { MemoryStore } from '#test/unit/replica/memory-store.ts'
import { openTokens, realm_uri, reasonOf, ttl } from './doubles.ts'
import { contextOf, failureOf, shop } from './shop.ts'

const password = { grant_type: 'password', username: 'ada', password: 'correct' }
const credentials = { grant_type: 'client_credentials' }

async function openShop(store = new MemoryStore()) {
  const tokens = await openTokens({ store })
  const answer = openGrants(tokens)
  const realm = shop()
  return {
    ...tokens,
    realm,
    answer: (form: TokenForm, context: Partial<GrantContext> = {}) =>
      answer(form, { ...contextOf(realm), ...context }),
    asClient: (form: TokenForm) =>
      answer(form, { ...contextOf(realm), flows: ['client_credentials'] }),
  }
}

describe('the password grant', () => {
  it('answers with an access token and a refresh token of its family', async () => {
    const { answer, accessTokens, refreshTokens } = await openShop()
    const { access_token, refresh_token = '', ...others } = await answer(password)
    expect(others).to.deep.equal({
      token_type: 'bearer',
      expires_in: ttl,
      scope: 'editors readers',
    })
    const claims = await accessTokens.verify(access_token, realm_uri)
    expect(claims).to.deep.include({ sub: 'ada', client_id: 'app', scope: 'editors readers' })
    expect(claims.auth).to.deep.equal({
      realm: realm_uri,
      roles: ['editors', 'readers'],
      client_id: 'app',
      device_id: 'all',
      authmethod: 'oauth2',
    })
    expect(refreshTokens.read(refresh_token)).to.deep.equal({
      family: claims.family,
      generation: 0,
    })
  })

  it('keeps the device that the client names', async () => {
    const { answer, families } = await openShop()
    await answer({ ...password, device_id: 'phone-1' })
    expect(families.rows[0]).to.include({ device_id: 'phone-1', client_id: 'app' })
  })

  it('says the same of an unknown user and a wrong password', async () => {
    const { answer, families } = await openShop()
    const wrong = await failureOf(answer({ ...password, password: 'wrong' }))
    const unknown = await failureOf(answer({ ...password, username: 'nobody' }))
    expect(wrong).to.include({ error: 'invalid_grant', status: 400 })
    expect(unknown.toJSON()).to.deep.equal(wrong.toJSON())
    expect(families.rows).to.deep.equal([])
  })

  it('refuses a password that was changed while it was checked', async () => {
    const { answer, realm, revocations, families } = await openShop()
    const { authenticateOwner } = contextOf(realm)
    const failed = answer(password, {
      async authenticateOwner(username, text) {
        const owner = await authenticateOwner(username, text)
        await revocations.revokeUsers([{ realm_uri, authid: username }])
        return owner
      },
    })
    expect(await failureOf(failed)).to.include({ error: 'invalid_grant' })
    expect(families.rows).to.deep.equal([])
    expect(await answer(password)).to.have.property('access_token')
  })

  it('passes on what refuses to check the password', async () => {
    const { answer } = await openShop()
    const busy = new OAuthError('temporarily_unavailable', 'too many failures')
    const failed = answer(password, { authenticateOwner: () => Promise.reject(busy) })
    expect(await failureOf(failed)).to.equal(busy)
  })

  it('gives no access token when the refresh token cannot be stored', async () => {
    const { answer, families } = await openShop()
    families.isAway = true
    const failed = await answer(password).catch((error: unknown) => error)
    expect(failed).to.have.property('uri', 'service.error.unavailable')
  })

  it('gives no refresh token when there is no key to sign with', async () => {
    const store = new MemoryStore()
    const { answer } = await openShop(store)
    store.isAway = true
    const failed = await answer(password).catch((error: unknown) => error)
    expect(failed).to.have.property('uri', 'service.error.unavailable')
  })

  for (const name of ['username', 'password']) {
    it(`needs ${name}`, async () => {
      const { answer } = await openShop()
      expect(await failureOf(answer({ ...password, [name]: undefined }))).to.include({
        error: 'invalid_request',
        message: `the parameter ${name} is missing`,
      })
    })
  }

  for (const device_id of ['a b', 'a\0', 'ä', 'x'.repeat(129)]) {
    it(`refuses the device ${JSON.stringify(device_id).slice(0, 20)}`, async () => {
      const { answer } = await openShop()
      const failure = await failureOf(answer({ ...password, device_id }))
      expect(failure).to.include({ error: 'invalid_request' })
    })
  }

  it('refuses roles that do not fit into a token', async () => {
    const { answer, realm } = await openShop()
    const roles = Array.from({ length: 400 }, (_, index) => `the-role-number-${index}`)
    realm.users.set('ada', { authid: 'ada', roles })
    expect(await failureOf(answer(password))).to.include({ error: 'invalid_scope' })
    const narrow = await answer({ ...password, scope: 'the-role-number-7' })
    expect(narrow.scope).to.equal('the-role-number-7')
  })
})

describe('the client_credentials grant', () => {
  it('answers with an access token of the client itself, and no refresh token', async () => {
    const { asClient, accessTokens, families } = await openShop()
    const answered = await asClient(credentials)
    expect(answered).to.have.all.keys('token_type', 'access_token', 'expires_in', 'scope')
    const claims = await accessTokens.verify(answered.access_token, realm_uri)
    expect(claims).to.deep.include({ sub: 'app', client_id: 'app', scope: 'api_clients' })
    expect(claims).to.not.have.any.keys('family', 'auth_time')
    expect(families.rows).to.deep.equal([])
  })

  it('ends with everything of the client', async () => {
    const { asClient, accessTokens, revocations } = await openShop()
    const { access_token } = await asClient(credentials)
    await revocations.revokeUsers([{ realm_uri, authid: 'app' }])
    expect(await reasonOf(() => accessTokens.verify(access_token, realm_uri))).to.be.a('string')
  })
})

describe('a client that has not authenticated', () => {
  for (const [form, flow] of [
    [password, 'resource_owner_password_credentials'],
    [credentials, 'client_credentials'],
  ] as const) {
    it(`gets nothing by ${form.grant_type}, and is told how`, async () => {
      const { realm, ...tokens } = await openShop()
      const { client: _, ...context } = contextOf(realm)
      const failure = await failureOf(openGrants(tokens)(form, { ...context, flows: [flow] }))
      expect(failure).to.include({ error: 'invalid_client', status: 401 })
      expect(failure.headers).to.deep.equal({ 'WWW-Authenticate': `Basic realm="${realm_uri}"` })
    })
  }
})

describe('the scope that is asked for', () => {
  const granted: readonly (readonly [asked: string | undefined, granted: string])[] = [
    [undefined, 'editors readers'],
    ['', 'editors readers'],
    ['  ', 'editors readers'],
    ['readers', 'readers'],
    ['readers editors readers', 'editors readers'],
  ]
  for (const [scope, expected] of granted) {
    it(`${JSON.stringify(scope)} grants ${expected}`, async () => {
      const { answer, accessTokens, families } = await openShop()
      const { access_token, scope: answered } = await answer({ ...password, scope })
      expect(answered).to.equal(expected)
      const { auth, scope: claimed } = await accessTokens.verify(access_token, realm_uri)
      expect([claimed, auth.roles.join(' ')]).to.deep.equal([expected, expected])
      expect(families.rows[0]?.scope.join(' ')).to.equal(expected)
    })
  }

  for (const scope of ['admins', 'readers admins', 'Readers', 'readers\teditors']) {
    it(`${JSON.stringify(scope)} is refused`, async () => {
      const { answer, families } = await openShop()
      const failure = await failureOf(answer({ ...password, scope }))
      expect(failure).to.include({ error: 'invalid_scope', status: 400 })
      expect(failure.message).to.not.include(scope)
      expect(families.rows).to.deep.equal([])
    })
  }
})

describe('the flow of the security object', () => {
  const served: Readonly<Record<string, readonly string[]>> = {
    resource_owner_password_credentials: ['password', 'refresh_token'],
    client_credentials: ['client_credentials'],
    authorization_code: [],
    implicit: [],
    unknown: [],
    constructor: [],
  }
  for (const [flow, expected] of Object.entries(served)) {
    it(`${flow} serves ${expected.join(' and ') || 'no grant'}`, async () => {
      expect(grantTypesOf(flow)).to.deep.equal(expected)
      const { answer } = await openShop()
      const asked = [
        'password',
        'refresh_token',
        'client_credentials',
        'authorization_code',
        'magic',
      ]
      for (const grant_type of asked.filter((type) => !expected.includes(type))) {
        const failure = await failureOf(answer({ ...password, grant_type }, { flows: [flow] }))
        expect(failure).to.include({ error: 'unsupported_grant_type', status: 400 })
      }
    })
  }

  it('is not asked when the grant is missing', async () => {
    const { answer } = await openShop()
    const failure = await failureOf(answer({ username: 'ada', password: 'correct' }))
    expect(failure).to.include({ error: 'invalid_request' })
    expect(failure.message).to.equal('the parameter grant_type is missing')
  })
})
