/** The refresh_token grant: the next tokens for whoever still is who has logged in, at the same client. */
import { expect } from 'chai'
import type { GrantContext, TokenForm } from '#component/token/grant.ts'
import { openGrants } from '#component/token/grants.ts'
import { openTokens, otherRealm, realm_uri, reasonOf } from './doubles.ts'
import { contextOf, failureOf, shop } from './shop.ts'

async function loggedIn(form: TokenForm = {}) {
  const tokens = await openTokens()
  const realm = shop()
  const answer = openGrants(tokens)
  const { client, ...withoutClient } = contextOf(realm)
  const { access_token, refresh_token = '' } = await answer(
    { grant_type: 'password', username: 'ada', password: 'correct', ...form },
    { client, ...withoutClient },
  )
  return {
    ...tokens,
    users: realm.users,
    client,
    access_token,
    refresh_token,
    /** As specification.md shows it: without client authentication. */
    refresh: (more: TokenForm = {}, context: Partial<GrantContext> = {}) =>
      answer(
        { grant_type: 'refresh_token', refresh_token, ...more },
        { ...withoutClient, ...context },
      ),
  }
}

const refused = { error: 'invalid_grant', status: 400 }

describe('the refresh_token grant', () => {
  it('answers with the next tokens, without client authentication and with it', async () => {
    for (const context of [{}, { client: { authid: 'app', roles: [] } }]) {
      const { refresh, refresh_token, accessTokens, refreshTokens, now, pass } = await loggedIn()
      pass(60)
      const answered = await refresh({}, context)
      expect(answered).to.include({ token_type: 'bearer', scope: 'editors readers' })
      expect(answered.refresh_token).to.not.equal(refresh_token)
      const claims = await accessTokens.verify(answered.access_token, realm_uri)
      expect(claims).to.deep.include({ sub: 'ada', client_id: 'app', auth_time: now() - 60 })
      expect(refreshTokens.read(answered.refresh_token ?? '')).to.deep.equal({
        family: claims.family,
        generation: 1,
      })
    }
  })

  it('answers a repeat within the grace with the same refresh token', async () => {
    const { refresh } = await loggedIn()
    const [first, second] = [await refresh(), await refresh()]
    expect(second.refresh_token).to.equal(first.refresh_token)
  })

  it('ends the family and its access tokens on a repeat after the grace', async () => {
    const { refresh, pass, access_token, accessTokens } = await loggedIn()
    const next = await refresh()
    pass(11)
    expect(await failureOf(refresh())).to.include(refused)
    for (const token of [access_token, next.access_token]) {
      expect(await reasonOf(() => accessTokens.verify(token, realm_uri))).to.equal(
        'the token was revoked',
      )
    }
    expect(await failureOf(refresh({ refresh_token: next.refresh_token }))).to.include(refused)
  })

  it('gives the roles that the user has by now, of those that were granted', async () => {
    const { refresh, users } = await loggedIn()
    users.set('ada', { authid: 'ada', roles: ['admins', 'readers'] })
    expect((await refresh()).scope).to.equal('readers')
    users.set('ada', { authid: 'ada', roles: ['editors', 'readers'] })
    expect((await refresh()).scope).to.equal('editors readers')
  })

  it('gives no more than was asked for at the login', async () => {
    const { refresh } = await loggedIn({ scope: 'readers' })
    expect((await refresh()).scope).to.equal('readers')
    const failure = await failureOf(refresh({ scope: 'editors' }))
    expect(failure).to.include({ error: 'invalid_scope' })
  })

  it('narrows the access token only: the next one may have all again', async () => {
    const { refresh } = await loggedIn()
    const narrow = await refresh({ scope: 'readers' })
    expect(narrow.scope).to.equal('readers')
    const { refresh_token } = narrow
    expect((await refresh({ refresh_token })).scope).to.equal('editors readers')
  })

  it('needs the refresh token', async () => {
    const { refresh } = await loggedIn()
    const failure = await failureOf(refresh({ refresh_token: undefined }))
    expect(failure).to.include({ error: 'invalid_request' })
  })

  it('refuses an access token and a text that was never one', async () => {
    const { refresh, access_token } = await loggedIn()
    for (const refresh_token of [access_token, 'x', 'A'.repeat(70)]) {
      const failure = await failureOf(refresh({ refresh_token }))
      expect(failure).to.include({ ...refused, message: 'the refresh token is not valid' })
    }
  })

  it('passes on that the store is away', async () => {
    const { refresh, families } = await loggedIn()
    families.isAway = true
    const failed = await refresh().catch((error: unknown) => error)
    expect(failed).to.have.property('uri', 'service.error.unavailable')
  })
})

describe('a refresh token that is refused', () => {
  type LoggedIn = Awaited<ReturnType<typeof loggedIn>>
  const cases: Readonly<Record<string, (at: LoggedIn) => Promise<unknown>>> = {
    'at another client that authenticates': ({ refresh }) =>
      refresh({}, { client: { authid: 'other', roles: ['api_clients'] } }),
    'at another client that names itself': ({ refresh }) => refresh({ client_id: 'other' }),
    'in another realm': ({ refresh }) => refresh({}, { realm_uri: otherRealm }),
    'with too wide a scope': ({ refresh }) => refresh({ scope: 'admins' }),
  }
  for (const [where, use] of Object.entries(cases)) {
    it(`${where} stays what it was`, async () => {
      const at = await loggedIn()
      const expected = where.includes('scope') ? { error: 'invalid_scope' } : refused
      expect(await failureOf(use(at))).to.include(expected)
      expect(at.families.rows[0]?.generation).to.equal(0)
      expect((await at.refresh({ client_id: 'app' })).scope).to.equal('editors readers')
    })
  }

  const ends: Readonly<Record<string, (at: LoggedIn) => unknown>> = {
    'whose user is gone or disabled': ({ users }) => users.delete('ada'),
    'whose user has none of its roles': ({ users }) =>
      users.set('ada', { authid: 'ada', roles: ['admins'] }),
    'whose client is gone or disabled': ({ users }) => users.delete('app'),
    'of a user who was revoked': ({ revocations }) =>
      revocations.revokeUsers([{ realm_uri, authid: 'ada' }]),
    'that has expired': ({ pass }) => pass(86_400),
  }
  for (const [which, end] of Object.entries(ends)) {
    it(`is one ${which}`, async () => {
      const at = await loggedIn()
      await end(at)
      expect(await failureOf(at.refresh())).to.include(refused)
    })
  }
})
