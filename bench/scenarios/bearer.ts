/** What it costs to check a bearer token: the same answers of one gateway, on an open path and on a protected one. */
import type { Ask } from '#bench/asks.ts'
import { documentOf, type Gateway, post, realm } from '#bench/gateway.ts'
import { type Issuer, openIssuer } from '#bench/issuer.ts'
import { small } from '#bench/payloads.ts'
import type { Scenario } from '#bench/stage.ts'
import { staticPath } from './static.ts'

const password = 'a password of the bench'

/** A realm with one user, who is its own client, and an issuer of tokens of others. */
const realmDocument = ({ url }: Issuer) => ({
  uri: realm,
  authmethods: ['anonymous', 'password', 'oauth2', 'jwt'],
  users: [{ username: 'bench', password, groups: ['api_clients', 'resource_owners'] }],
  info: {
    jwt_issuers: {
      bench: { issuer: url, jwks_uri: url, audience: ['bench'], allow_unsafe_http: true },
    },
  },
})

const security = { type: 'oauth2', flow: 'resource_owner_password_credentials' }
const foreign = { type: 'jwt', issuer: 'bench', scopes: ['about:read'] }

async function protect({ admin }: Gateway, issuer: Issuer): Promise<void> {
  await post(`${admin}/services/load_realm`, realmDocument(issuer))
  const document = documentOf('com.example.protected', {
    '/secret/about': staticPath(small),
    '/foreign/about': { ...staticPath(small), security: foreign },
  })
  await post(`${admin}/api_specs`, { ...document, defaults: { security } })
}

async function tokenOf({ url }: Gateway): Promise<string> {
  const answer = await fetch(`${url}/oauth/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${btoa(`bench:${encodeURIComponent(password)}`)}` },
    body: new URLSearchParams({ grant_type: 'password', username: 'bench', password }),
  })
  const { access_token } = (await answer.json()) as { access_token?: string }
  if (access_token === undefined) throw new Error(`no access token: ${answer.status}`)
  return access_token
}

/** One token, asked with again and again: its signature was checked before. */
export const bearer: Scenario = {
  about: 'a fixed answer of 50 bytes, for requests with a bearer token',
  build: async (stage) => {
    const ours = await stage.gateway('ours', { '/about': staticPath(small) })
    const issuer = await openIssuer()
    stage.closing(issuer.close)
    await protect(ours, issuer)
    const headers = { authorization: `Bearer ${await tokenOf(ours)}` }
    const expected = { body: JSON.stringify(small) }
    const open: Ask[] = [{ path: '/about', expected }]
    stage.compare('ours, open path', ours, open)
    stage.compare('ours, bearer token', ours, [{ path: '/secret/about', headers, expected }])
    const authorization = `Bearer ${issuer.token}`
    // what remains of the cost is that of a longer head
    stage.compare('ours, open path that gets the token, too', ours, [
      { path: '/about', headers: { authorization }, expected },
    ])
    stage.compare('ours, token of another issuer', ours, [
      { path: '/foreign/about', headers: { authorization }, expected },
    ])
  },
}
