/** What `oidc` is: its row, and the endpoints of logins. */
import {
  type SecurityEndpoint,
  type SecurityEndpoints,
  securityKind,
} from '#component/security/kind.ts'
import { described, oneOf, string } from '#component/spec/rules.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { ticketCookie } from '#component/token/ticket-cookie.ts'

/** The provider that a security object names, or means. */
export const providerOf = ({ provider }: JsonMap): string =>
  typeof provider === 'string' ? provider : 'default'

/** Whether a page of the gateway's own origin needs no CSRF value, since browsers tell where a request comes from. */
export const trustsFetchMetadata = ({ csrf }: JsonMap): boolean => csrf === 'fetch_metadata'

// the endpoint decides which origins may ask
const withOptions = { methods: ['get', 'options'], allow: 'GET, HEAD, OPTIONS' } as const
const getAndPost = {
  methods: ['get', 'options', 'post'],
  allow: 'GET, HEAD, OPTIONS, POST',
} as const
const post = { methods: ['post'], allow: 'OPTIONS, POST' } as const

const rows: readonly SecurityEndpoint[] = [
  { kind: 'oidc.login', ...withOptions, patterns: (base) => [`${base}/oidc/login`] },
  {
    kind: 'oidc.callback',
    ...withOptions,
    patterns: (base) => [`${base}/oidc/:provider/callback`],
  },
  { kind: 'oidc.jwks', ...withOptions, patterns: (base) => [`${base}/oidc/:provider/jwks`] },
  { kind: 'oidc.logout', ...getAndPost, patterns: (base) => [`${base}/oidc/logout`] },
  {
    kind: 'oidc.backchannel_logout',
    ...post,
    patterns: (base) => [`${base}/oidc/:provider/backchannel_logout`],
  },
]

/** Endpoints that have their provider from the path. */
const hasProviderInPath: ReadonlySet<string> = new Set([
  'oidc.callback',
  'oidc.jwks',
  'oidc.backchannel_logout',
])

const endpoints: SecurityEndpoints = {
  rows,
  // a login names its provider, so a version has one set of routes; its default provider is the first one named
  key: () => '',
  // documents that share the login must agree on its default
  purpose: (kind, security) => (hasProviderInPath.has(kind) ? '' : providerOf(security)),
  // RFC 9700 §4.16; the next page must not learn the URL of a callback
  headers: {
    'cache-control': 'no-store',
    'content-security-policy': "frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  },
  hasBindings: true,
}

/** Methods that a browser may send for a page of another origin, so that a cookie alone suffices. */
const safeMethods = new Set(['get', 'head'])

/** The ticket of a login at an identity provider. */
export const oidc = securityKind({
  type: 'oidc',
  keys: {
    provider: string,
    csrf: described(
      oneOf(['token', 'fetch_metadata']),
      'What proves that a page of this origin has sent a method that changes something with the ticket cookie: `token`, the header `X-CSRF-Token`; `fetch_metadata`, that, or what browsers tell in `Sec-Fetch-Site` or `Origin`.',
      { default: 'token' },
    ),
  },
  challenge: (realm) => `Bearer realm=${realm}`,
  describe(object, { method, realm_uri }) {
    const cookie = {
      name: 'oidc_cookie',
      scheme: { type: 'apiKey', in: 'cookie', name: ticketCookie(realm_uri) },
    }
    const bearer = { name: 'oidc_bearer', scheme: { type: 'http', scheme: 'bearer' } }
    if (safeMethods.has(method) || trustsFetchMetadata(object)) return [[cookie], [bearer]]
    const csrf = {
      name: 'oidc_csrf',
      scheme: { type: 'apiKey', in: 'header', name: 'X-CSRF-Token' },
    }
    return [[cookie, csrf], [bearer]]
  },
  imported: ({ type }) =>
    type === 'openIdConnect'
      ? {
          object: {},
          told: 'the provider is configured at the realm, not in an API Specification',
        }
      : undefined,
  cost: 1,
  exampleMethod: 'ticket',
  endpoints,
  party: { is: 'provider', nameOf: providerOf },
  hasLogin: true,
  givesToken: true,
})
