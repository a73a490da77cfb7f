/** openid-client against the OAuth2 endpoints, as against any authorization server: only plain HTTP is allowed to it. */
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import {
  allowInsecureRequests,
  type ClientAuth,
  ClientError,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  clientCredentialsGrant,
  discovery,
  fetchProtectedResource,
  genericGrantRequest,
  None,
  ResponseBodyError,
  refreshTokenGrant,
  tokenIntrospection,
  tokenRevocation,
  WWWAuthenticateChallengeError,
} from 'openid-client'
import {
  loadOAuthApi,
  loadOAuthRealm,
  oauthClient,
  oauthOwner,
  oauthRealm,
} from '#test/support/examples/oauth-realm.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'

const passwords = 'resource_owner_password_credentials'

/** A reverse proxy that knows the gateway below /api. */
async function startProxy() {
  let target = ''
  const server = createServer((incoming, answer) => {
    const { method, headers, url = '' } = incoming
    const path = url.replace(/^(\/\.well-known\/[^/]+)?\/api\//, '$1/')
    const outgoing = request(target + path, { method, headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 0, answered.headers)
      answered.pipe(answer)
    })
    incoming.pipe(outgoing)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api`,
    pointTo(url: string) {
      target = url
    },
    stop() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** What a promise is rejected with. */
async function refusal<E extends Error>(
  of: Promise<unknown>,
  kind: abstract new (...args: never[]) => E,
): Promise<E> {
  const error = await of.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!(error instanceof kind)) throw new Error('it was not refused so', { cause: error })
  return error
}

/** Code and status of an error answer. */
const told = async (of: Promise<unknown>) => {
  const { error, status } = await refusal(of, ResponseBodyError)
  return [status, error]
}

describe('openid-client', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway()
    await loadOAuthRealm(gateway)
  })
  after(() => gateway.stop())

  /** Discovery at the place that RFC 8414 derives from the issuer. */
  const discover = (issuer: string, authentication: ClientAuth): Promise<Configuration> =>
    discovery(new URL(gateway.url + issuer), oauthClient.id, undefined, authentication, {
      algorithm: 'oauth2',
      execute: [allowInsecureRequests],
    })

  const me = (config: Configuration, token: string, base: string) =>
    fetchProtectedResource(config, token, new URL(`${gateway.url}${base}/me`), 'GET')

  const isActive = async (config: Configuration, token: string) =>
    (await tokenIntrospection(config, token)).active

  const methods = [
    ['client_secret_basic', ClientSecretBasic],
    ['client_secret_post', ClientSecretPost],
  ] as const

  for (const [base_path, issuer] of [
    ['/v1.0', '/v1.0'],
    ['/[v1.0]', '/v1.0'],
    ['/shops/:shop/[v1.0]', '/shops/north%20star/v1.0'],
    ['/', '/'],
  ] as const) {
    describe(`with the issuer of base_path ${base_path}`, () => {
      before(() => loadOAuthApi(gateway, base_path, passwords))

      for (const [method, authentication] of methods) {
        it(`logs in, looks, renews and revokes by ${method}`, async () => {
          const config = await discover(issuer, authentication(oauthClient.secret))
          const { issuer: named } = config.serverMetadata()
          const base = issuer.replace(/\/$/, '')
          expect(named).to.equal(gateway.url + base)
          expect(config.serverMetadata().token_endpoint_auth_methods_supported).to.include(method)

          const first = await genericGrantRequest(config, 'password', oauthOwner)
          expect(first).to.include({ token_type: 'bearer', scope: 'resource_owners staff' })
          expect(first.expiresIn()).to.be.within(1, 900)
          const answer = await me(config, first.access_token, base)
          expect([answer.status, await answer.json()]).to.deep.equal([200, { authid: 'ada' }])
          const seen = await tokenIntrospection(config, first.access_token)
          expect(seen).to.include({
            active: true,
            iss: named,
            aud: oauthRealm,
            sub: oauthOwner.username,
            client_id: oauthClient.id,
            scope: 'resource_owners staff',
          })

          const parameters = { scope: 'staff' }
          const next = await refreshTokenGrant(config, String(first.refresh_token), parameters)
          expect(next.scope).to.equal('staff')
          expect(next.refresh_token).to.be.a('string').that.is.not.equal(first.refresh_token)

          await tokenRevocation(config, first.access_token, { token_type_hint: 'refresh_token' })
          expect(await isActive(config, first.access_token)).to.equal(false)
          expect(await isActive(config, next.access_token), 'the other token').to.equal(true)
          const { cause, status } = await refusal(
            me(config, first.access_token, base),
            WWWAuthenticateChallengeError,
          )
          expect({ status, ...cause[0]?.parameters }).to.include({
            status: 401,
            realm: oauthRealm,
            error: 'invalid_token',
          })

          await tokenRevocation(config, String(next.refresh_token))
          expect(await isActive(config, next.access_token), 'its family has ended').to.equal(false)
          const again = refreshTokenGrant(config, String(next.refresh_token))
          expect(await told(again)).to.deep.equal([400, 'invalid_grant'])
          await tokenRevocation(config, 'what nobody knows')
        })
      }
    })
  }

  describe('with client_credentials', () => {
    before(() => loadOAuthApi(gateway, '/v1.0', 'client_credentials'))

    for (const [method, authentication] of methods) {
      it(`has tokens of the client itself by ${method}`, async () => {
        const config = await discover('/v1.0', authentication(oauthClient.secret))
        expect(config.serverMetadata().grant_types_supported).to.deep.equal(['client_credentials'])
        const tokens = await clientCredentialsGrant(config, { scope: 'machines' })
        expect(tokens).to.include({ token_type: 'bearer', scope: 'machines' })
        expect(tokens).to.not.have.property('refresh_token')
        const answer = await me(config, tokens.access_token, '/v1.0')
        expect(await answer.json()).to.deep.equal({ authid: oauthClient.id })
        await tokenRevocation(config, tokens.access_token)
        expect(await isActive(config, tokens.access_token)).to.equal(false)
      })
    }

    it('understands why a scope or a grant is refused', async () => {
      const config = await discover('/v1.0', ClientSecretBasic(oauthClient.secret))
      const scope = clientCredentialsGrant(config, { scope: 'staff' })
      expect(await told(scope)).to.deep.equal([400, 'invalid_scope'])
      const grant = genericGrantRequest(config, 'password', oauthOwner)
      expect(await told(grant)).to.deep.equal([400, 'unsupported_grant_type'])
    })
  })

  describe('when it is refused', () => {
    before(() => loadOAuthApi(gateway, '/v1.0', passwords))

    for (const [method, authentication] of methods) {
      it(`understands the challenge to a client with a wrong secret by ${method}`, async () => {
        const config = await discover('/v1.0', authentication('wrong'))
        const asked = genericGrantRequest(config, 'password', oauthOwner)
        const { cause, response } = await refusal(asked, WWWAuthenticateChallengeError)
        expect(cause[0]).to.deep.equal({
          scheme: 'basic',
          parameters: { realm: oauthRealm, charset: 'UTF-8' },
        })
        const { error } = (await response.json()) as { error?: string }
        expect([response.status, error]).to.deep.equal([401, 'invalid_client'])
      })
    }

    it('understands that a password is wrong', async () => {
      const config = await discover('/v1.0', ClientSecretBasic(oauthClient.secret))
      const asked = genericGrantRequest(config, 'password', { ...oauthOwner, password: 'wrong' })
      expect(await told(asked)).to.deep.equal([400, 'invalid_grant'])
    })

    it('renews with the refresh token of a client that shows no secret', async () => {
      const known = await discover('/v1.0', ClientSecretPost(oauthClient.secret))
      const { refresh_token } = await genericGrantRequest(known, 'password', oauthOwner)
      const config = await discover('/v1.0', None())
      const { access_token } = await refreshTokenGrant(config, String(refresh_token))
      expect(await isActive(known, access_token)).to.equal(true)
    })

    it('finds no issuer where there is none', async () => {
      const { cause } = await refusal(discover('/v2.0', None()), ClientError)
      expect(cause).to.be.instanceOf(Response).with.property('status', 404)
    })
  })
})

describe('openid-client, behind a proxy with a prefix', () => {
  it('finds the issuer of public_base_url, and logs in', async () => {
    const proxy = await startProxy()
    const gateway = await startGateway({ 'gateway.public_base_url': `${proxy.url}/` })
    try {
      proxy.pointTo(gateway.url)
      await loadOAuthRealm(gateway)
      await loadOAuthApi(gateway, '/[v1.0]', passwords)
      const issuer = `${proxy.url}/v1.0`
      const config = await discovery(
        new URL(issuer),
        oauthClient.id,
        undefined,
        ClientSecretBasic(oauthClient.secret),
        { algorithm: 'oauth2', execute: [allowInsecureRequests] },
      )
      const { access_token } = await genericGrantRequest(config, 'password', oauthOwner)
      expect(await tokenIntrospection(config, access_token)).to.include({ iss: issuer })
    } finally {
      await gateway.stop()
      proxy.stop()
    }
  })
})
