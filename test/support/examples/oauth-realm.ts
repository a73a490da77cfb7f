/** A realm and an API with `oauth2`, as OAuth2 libraries of others are tried on them. */
import { expect } from 'chai'
import type { TestGateway } from '#test/support/gateway.ts'

/** The realm. */
export const oauthRealm = 'com.example.realm'

/** A client of the realm; its secret holds characters that libraries encode in `Authorization: Basic`, or do not. */
export const oauthClient = { id: 'app', secret: 'a+b/c%41=&:~' } as const

/** A resource owner of the realm, and what the owner may be granted. */
export const oauthOwner = { username: 'ada', password: 'l0velace +%é' } as const

const realm = {
  uri: oauthRealm,
  authmethods: ['anonymous', 'wampcra', 'oauth2'],
  users: [
    { username: oauthClient.id, password: oauthClient.secret, groups: ['api_clients', 'machines'] },
    { ...oauthOwner, groups: ['resource_owners', 'staff'] },
  ],
  sources: [
    { usernames: 'all', authmethod: 'wampcra', cidr: '0.0.0.0/0' },
    { usernames: [oauthOwner.username], authmethod: 'oauth2', cidr: '0.0.0.0/0' },
  ],
}

/** Declares the realm. */
export async function loadOAuthRealm({ adminUrl }: TestGateway): Promise<void> {
  const answer = await fetch(`${adminUrl}/services/load_realm`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(realm),
  })
  expect(answer.status, await answer.clone().text()).to.be.within(200, 201)
}

/** Loads the API, in the place of the one that was there: `/me` answers who asks. */
export async function loadOAuthApi(
  gateway: TestGateway,
  base_path: string,
  flow: string,
): Promise<void> {
  const me = {
    action: { type: 'static', body: { authid: '{{security.authid}}' } },
    response: { on_result: {}, on_error: {} },
  }
  const answer = await gateway.load({
    id: 'com.example.oauth',
    name: 'OAuth2',
    host: '_',
    realm_uri: oauthRealm,
    defaults: { schemes: ['http'], security: { type: 'oauth2', flow } },
    versions: { '1.0.0': { base_path, paths: { '/me': { get: me } } } },
  })
  expect(answer.status, JSON.stringify(answer.body)).to.be.within(200, 201)
}
