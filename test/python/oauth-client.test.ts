/** Authlib and PyJWT against the OAuth2 endpoints, as against any authorization server. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { json, text } from 'node:stream/consumers'
import { expect } from 'chai'
import {
  loadOAuthApi,
  loadOAuthRealm,
  oauthClient,
  oauthOwner,
  oauthRealm,
} from '#test/support/examples/oauth-realm.ts'
import { startGateway, type TestGateway } from '#test/support/gateway.ts'
import { pythonProgram } from '#test/support/peers/python-environment.ts'

type Json = Readonly<Record<string, unknown>>

/** What oauth_client.py prints. */
interface Seen {
  readonly metadata: Json
  readonly token: Json
  /** What PyJWT reads in the access token. */
  readonly claims: Json
  /** How PyJWT refuses what is no valid token, by what is wrong. */
  readonly refusals: Json
  readonly me: Json
  readonly introspection: Json
  /** The token after a refresh, and who asks with it. */
  readonly renewed?: Json
  /** Of the revocation of the access token: its status, then introspection and the status of the resource. */
  readonly revoked: readonly unknown[]
  /** Of the revocation of the refresh token: its status, introspection of the access token, the error of a refresh. */
  readonly family?: readonly unknown[]
  /** The error for a wrong client secret. */
  readonly stranger: string
}

/** Runs it. @throws Error with what it says on stderr */
async function runClient(task: Json): Promise<Seen> {
  const child = spawn(pythonProgram('python'), [join(import.meta.dirname, 'oauth_client.py')])
  const ended = once(child, 'close') as Promise<[number | null]>
  const printed = Promise.all([text(child.stderr), json(child.stdout).catch(() => undefined)])
  child.stdin.end(JSON.stringify(task))
  const [[stderr, seen], [code]] = await Promise.all([printed, ended])
  if (code !== 0) throw new Error(stderr)
  return seen as Seen
}

describe('Authlib and PyJWT', () => {
  let gateway: TestGateway
  before(async () => {
    gateway = await startGateway()
    await loadOAuthRealm(gateway)
  })
  after(() => gateway.stop())

  const run = (method: string, grant: Json) =>
    runClient({
      issuer: `${gateway.url}/v1.0`,
      resource: `${gateway.url}/v1.0/me`,
      audience: oauthRealm,
      client_id: oauthClient.id,
      client_secret: oauthClient.secret,
      method,
      grant,
    })

  /** What holds for tokens of each grant. */
  function checkTokens(seen: Seen, sub: string, scope: string): void {
    const { token, claims, introspection } = seen
    expect(token).to.include({ token_type: 'bearer', scope, expires_in: 900 })
    const said = {
      iss: `${gateway.url}/v1.0`,
      aud: oauthRealm,
      sub,
      client_id: oauthClient.id,
      scope,
    }
    expect(claims).to.include(said)
    expect(introspection).to.include({ active: true, ...said, jti: claims.jti, exp: claims.exp })
    expect(seen.me).to.deep.equal({ authid: sub })
    expect(seen.refusals).to.deep.equal({
      claims: 'InvalidSignatureError',
      signature: 'InvalidSignatureError',
      none: 'InvalidAlgorithmError',
      issuer: 'InvalidIssuerError',
      audience: 'InvalidAudienceError',
    })
    expect(seen.revoked).to.deep.equal([200, { active: false }, 401])
    expect(seen.stranger).to.equal('invalid_client')
  }

  for (const method of ['client_secret_basic', 'client_secret_post'] as const) {
    it(`log in, look, verify, renew and revoke by ${method}`, async () => {
      await loadOAuthApi(gateway, '/[v1.0]', 'resource_owner_password_credentials')
      const seen = await run(method, { grant_type: 'password', ...oauthOwner })
      checkTokens(seen, oauthOwner.username, 'resource_owners staff')
      expect(seen.renewed).to.include({ token_type: 'bearer' }).and.deep.include({ me: seen.me })
      expect(seen.renewed?.access_token).to.not.equal(seen.token.access_token)
      expect(seen.family).to.deep.equal([200, { active: false }, 'invalid_grant'])
    })

    it(`have tokens of the client itself by ${method}`, async () => {
      await loadOAuthApi(gateway, '/v1.0', 'client_credentials')
      const seen = await run(method, { grant_type: 'client_credentials', scope: 'machines' })
      checkTokens(seen, oauthClient.id, 'machines')
      expect(seen.token).to.not.have.property('refresh_token')
    })
  }
})
