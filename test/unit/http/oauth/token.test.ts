/** The token endpoint: what a grant is told of the request, and how its answer goes out. */
import { expect } from 'chai'
import { refusalIn } from '#component/login-refusal.ts'
import type { GrantContext } from '#component/token/grant.ts'
import { basic, oauth, realm_uri } from './fixture.ts'

const answer = { token_type: 'bearer', access_token: 'a', expires_in: 900, scope: 'staff' }

/** The context that a grant was given. */
async function contextOf(path = '/oauth/token', plan: Parameters<typeof oauth>[0] = {}) {
  const contexts: GrantContext[] = []
  const { post, tried } = oauth({
    ...plan,
    grants: async (_form, context) => {
      contexts.push(context)
      return answer as never
    },
  })
  const reply = await post(path, { form: { grant_type: 'x' }, headers: basic('app:s3cret') })
  const [context] = contexts
  if (!context) throw new Error(`the grant was not asked: ${JSON.stringify(reply.value)}`)
  return { context, tried, reply }
}

describe('the token endpoint', () => {
  it('answers with what the grant gives, for nobody to keep', async () => {
    const { reply } = await contextOf()
    expect([reply.status, reply.value]).to.deep.equal([200, answer])
    expect(reply.headers).to.include({ 'cache-control': 'no-store', pragma: 'no-cache' })
    expect(reply.body).to.have.property('type', 'application/json')
  })

  it('counts the tokens that it has issued', async () => {
    const { counts, post } = oauth({ grants: async () => answer as never })
    await post('/oauth/token', { form: { grant_type: 'x' } })
    await post('/oauth/token', { form: { grant_type: 'x' }, headers: basic('app:wrong') })
    expect(counts.all).to.deep.equal([{ authmethod: 'oauth2', result: 'ok', count: 1 }])
  })

  it('tells the grant realm, flow, issuer and client', async () => {
    const { context } = await contextOf()
    const { iss, flows, client } = context
    expect({ realm_uri: context.realm_uri, iss, flows, client }).to.deep.equal({
      realm_uri,
      iss: 'https://api.example.com/v1',
      flows: ['resource_owner_password_credentials'],
      client: { authid: 'app', roles: ['api_clients'] },
    })
  })

  it('knows resource owners by their passwords, where oauth2 is allowed to them', async () => {
    const { context, tried } = await contextOf()
    const owner = await context.authenticateOwner('ada', 'lovelace')
    expect(owner).to.deep.equal({ authid: 'ada', roles: ['resource_owners', 'staff'] })
    expect(tried.at(-1)).to.deep.equal([realm_uri, 'ada', 'lovelace', '192.0.2.1', 'oauth2'])
    const refused = (name: string, password: string) =>
      context.authenticateOwner(name, password).catch(refusalIn)
    const wrong = { realm: realm_uri, authmethod: 'oauth2', reason: 'wrong secret' }
    expect(await refused('ada', 'wrong')).to.deep.equal(wrong)
    expect(await refused('nobody', 'x')).to.deep.equal(wrong)
    const reason = 'the user is not in the group resource_owners'
    expect(await refused('app', 's3cret'), 'a client').to.deep.equal({ ...wrong, reason })
  })

  it('limits guessing the passwords of owners', async () => {
    const limits = { user_failures: 2, address_failures: 9 }
    const { context } = await contextOf('/oauth/token', { limits })
    const guess = (name: string, password: string) => context.authenticateOwner(name, password)
    for (const wrong of ['a', 'b']) {
      const refused = await guess('ada', wrong).catch((caught: unknown) => caught)
      expect(refused).to.include({ error: 'invalid_grant' })
    }
    const error = await guess('ada', 'lovelace').catch((caught: unknown) => caught)
    expect(error).to.include({ status: 429 })
    expect(refusalIn(error)).to.include({ reason: 'too many failed logins' })
  })

  it('knows who is still there', async () => {
    const { context } = await contextOf()
    expect(context.ownerNow('ada')).to.deep.equal({
      authid: 'ada',
      roles: ['resource_owners', 'staff'],
    })
    expect(context.ownerNow('gone')).to.equal(undefined)
    // an owner is no client, nor the reverse
    expect(context.clientNow('ada')).to.equal(undefined)
  })
})

describe('the issuer', () => {
  for (const [base_path, path, iss] of [
    ['/', '/oauth/token', ''],
    ['/v1/', '/v1/oauth/token', '/v1'],
    ['/[v1]', '/oauth/token', '/v1'],
    ['/[v1]', '/v1/oauth/token', '/v1'],
    ['/[a]/[b]', '/b/oauth/token', '/a/b'],
    ['/:tenant/v1', '/x%20y/v1/oauth/token', '/x%20y/v1'],
    ['/:tenant/v1', '/a:@b/v1/oauth/token', '/a:@b/v1'],
    ['/[:tenant]/[v1]', '/t/oauth/token', '/t/v1'],
    ['/[:tenant]/[v1]', '/v1/oauth/token', '/v1'],
    ['/[:a/b]/v1', '/v1/oauth/token', '/v1'],
    ['/caf%C3%A9', '/caf%c3%a9/oauth/token', '/caf%C3%A9'],
  ] as const) {
    it(`of ${base_path} asked at ${path} ends in "${iss}"`, async () => {
      const issuers: string[] = []
      const { postTo } = oauth({
        version: { base_path },
        grants: async (_form, context) => {
          issuers.push(context.iss)
          return answer as never
        },
      })
      await postTo(path, { form: { grant_type: 'x' } })
      expect(issuers).to.deep.equal([`https://api.example.com${iss}`])
    })
  }
})
