/** What `oauth2` is: its row, and the endpoints that it adds. */
import {
  type SecurityEndpoint,
  type SecurityEndpoints,
  type SecurityKind,
  securityKind,
  textOr,
} from '#component/security/kind.ts'
import { resourceRow } from '#component/security/resource-metadata.ts'
import { scopes, scopesOf } from '#component/security/scopes.ts'
import { fixedPath } from '#component/spec/http-rules.ts'
import { describe } from '#component/spec/report.ts'
import { dynamic, oneOf, type Rule, rule } from '#component/spec/rules.ts'
import type { JsonMap } from '#component/syntax/values.ts'

/** Accepted, because real documents may have them, but no grant is served for them (behaviour: OAuth2). */
const unservedFlows: readonly unknown[] = ['implicit', 'authorization_code']
const flowName = oneOf([
  'implicit',
  'authorization_code',
  'client_credentials',
  'resource_owner_password_credentials',
])

const flow: Rule = dynamic(
  rule(flowName.schema, (value, path, report) => {
    flowName(value, path, report)
    if (unservedFlows.includes(value))
      report.warn(path, `no grant is served for the flow ${describe(value)}`)
  }),
)

/** RFC 8414 §3. */
const wellKnown = '/.well-known/oauth-authorization-server'

const get = { methods: ['get'], allow: 'GET, HEAD, OPTIONS' } as const
const post = { methods: ['post'], allow: 'OPTIONS, POST' } as const

// validation has reported what is not a text
const flowOf = ({ flow }: JsonMap): string => textOr(flow, '')
const tokenPathOf = ({ token_path }: JsonMap): string => textOr(token_path, '/oauth/token')
const revokePathOf = ({ revoke_token_path }: JsonMap): string =>
  textOr(revoke_token_path, '/oauth/revoke')

const isAt =
  (path: string) =>
  (object: JsonMap): boolean =>
    tokenPathOf(object) === path

/** The flows whose grants the endpoint of an object serves. */
export const flowsServed = ({ flows, ...object }: JsonMap): readonly string[] =>
  Array.isArray(flows) ? flows : [flowOf(object)]

/** The metadata is also served at the path that RFC 8414 §3.1 derives from the issuer. */
const rows: readonly SecurityEndpoint[] = [
  {
    kind: 'oauth.token',
    ...post,
    patterns: (base, security) => [base + tokenPathOf(security)],
  },
  {
    kind: 'oauth.revoke',
    ...post,
    patterns: (base, security) => [base + revokePathOf(security)],
  },
  { kind: 'oauth.introspect', ...post, patterns: (base) => [`${base}/oauth/introspect`] },
  { kind: 'oauth.verify', ...get, patterns: (base) => [`${base}/oauth/verify`] },
  { kind: 'oauth.jwks', ...get, patterns: (base) => [`${base}/oauth/jwks`] },
  {
    kind: 'oauth.metadata',
    ...get,
    patterns: (base) => (base === '' ? [wellKnown] : [base + wellKnown, wellKnown + base]),
  },
  resourceRow,
]

const endpoints: SecurityEndpoints = {
  rows,
  key: (security) => [flowOf(security), tokenPathOf(security), revokePathOf(security)].join(' '),
  // a token endpoint serves the grants of all flows that name it
  shared(security, all) {
    const flows = new Set(all.filter(isAt(tokenPathOf(security))).map(flowOf))
    return flows.size > 1 ? { ...security, flows: [...flows].sort() } : security
  },
  // documents that share an endpoint must agree on what it serves
  purpose: (kind, security) => (kind === 'oauth.token' ? flowsServed(security).join(' ') : ''),
  headers: { 'cache-control': 'no-store' },
}

function flowsOf(
  object: JsonMap,
  { address, scopes = {} }: Parameters<SecurityKind['describe']>[1],
): JsonMap {
  const tokenUrl = address + tokenPathOf(object)
  if (object.flow === 'client_credentials') return { clientCredentials: { tokenUrl, scopes } }
  return { password: { tokenUrl, refreshUrl: tokenUrl, scopes } }
}

/** An access token that the gateway has issued (RFC 6750 §2.1). */
export const oauth2 = securityKind({
  type: 'oauth2',
  keys: { flow, scopes, token_path: fixedPath, revoke_token_path: fixedPath },
  required: { flow: 'the OAuth2 flow that the token endpoint serves' },
  challenge: (realm) => `Bearer realm=${realm}`,
  describe: (object, place) => [
    [
      {
        name: 'oauth2',
        scheme: { type: 'oauth2', flows: flowsOf(object, place) },
        scopes: scopesOf(object),
      },
    ],
  ],
  imported: ({ type, scheme }) =>
    type === 'http' && String(scheme).toLowerCase() === 'bearer'
      ? {
          object: { flow: 'client_credentials' },
          told: 'bearer tokens are those that the gateway issues: security of type oauth2',
        }
      : undefined,
  cost: 1,
  inAuthorization: () => true,
  exampleMethod: 'ticket',
  keyFeatures: { scopes: 'oauth2.scopes' },
  identityKeys: ['granted_scopes'],
  endpoints,
  tokens: 'own',
})
