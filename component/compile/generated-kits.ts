/** The endpoints that objects of a document add to a version: security objects of type `oauth2`, `oidc` and `jwt`, `openapi`, and `mcp`. */
import type { EndpointKind, InheritedValues, OuterKind, ToolSet } from '#component/gateway/api.ts'
import type { Headers } from '#component/gateway/header-layers.ts'
import type { Method } from '#component/request.ts'
import { providerOf } from '#component/security/oidc.ts'
import { hasMetadata, resourceMetadata } from '#component/security/resource-metadata.ts'
import type { JsonMap } from '#component/syntax/values.ts'

/** RFC 8414 §3. */
const wellKnown = '/.well-known/oauth-authorization-server'

/** One endpoint that an object adds. */
export type Row = AnyRow & Target

/** The kind of an endpoint, and what only those of this kind have. */
export type Target =
  | { readonly kind: OuterKind }
  | { readonly kind: 'mcp'; readonly tools: ToolSet }

interface AnyRow {
  readonly methods: readonly Method[]
  readonly allow: string
  /** The key of the object that names its path; absent: the object as a whole. */
  readonly key?: string
  /** The patterns it is served at. */
  patterns(base: string, security: JsonMap): readonly string[]
}

/** The endpoints that one type of object adds. */
export interface Kit {
  /** The key of the object, where it is not a security object. */
  readonly owner?: 'openapi' | 'mcp'
  /** Below base_path: behaviour, OAuth2 and OIDC. */
  readonly rows: readonly Row[]
  /** Security objects with equal keys share their routes. */
  key(security: JsonMap): string
  /** Routes are shared only for equal purposes, to which the kind of the row is added. Absent: they are not shared. */
  purpose?(kind: EndpointKind, security: JsonMap): string
  readonly headers: Headers
  /** The values of its paths, laid over those of a path of the version. */
  readonly values: Partial<InheritedValues>
  /** Whether its patterns hold bindings of their own, which those of base_path may repeat. */
  readonly hasBindings?: true
}

/** Open, takes a form and answers JSON whatever the client accepts (RFC 6749 §5). */
const formValues = {
  accepts: ['application/x-www-form-urlencoded'],
  provides: ['application/json'],
  declares: { accepts: true, provides: true },
  errorTypes: ['application/json'],
  sendsProblems: false,
  protection: undefined,
  protectedAt: '',
}

const get = { methods: ['get'], allow: 'GET, HEAD, OPTIONS' } as const
const post = { methods: ['post'], allow: 'OPTIONS, POST' } as const
// the endpoint decides which origins may ask
const withOptions = { methods: ['get', 'options'], allow: 'GET, HEAD, OPTIONS' } as const
const getAndPost = {
  methods: ['get', 'options', 'post'],
  allow: 'GET, HEAD, OPTIONS, POST',
} as const

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise

// validation has reported what is not a text
const flowOf = ({ flow }: JsonMap): string => textOr(flow, '')
const tokenPathOf = ({ token_path }: JsonMap): string => textOr(token_path, '/oauth/token')
const revokePathOf = ({ revoke_token_path }: JsonMap): string =>
  textOr(revoke_token_path, '/oauth/revoke')

/** The metadata of the version as what tokens are for: RFC 9728 §3.1. */
const resourceRow: Row = {
  kind: 'oauth.resource',
  ...get,
  patterns: (base) => [resourceMetadata + base],
}

/** The metadata is also served at the path that RFC 8414 §3.1 derives from the issuer. */
const oauth2: Kit = {
  rows: [
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
  ],
  key: (security) => [flowOf(security), tokenPathOf(security), revokePathOf(security)].join(' '),
  // two flows cannot be served at one place
  purpose: (kind, security) => (kind === 'oauth.token' ? flowOf(security) : ''),
  headers: { 'cache-control': 'no-store' },
  values: formValues,
}

/** Endpoints that have their provider from the path. */
const hasProviderInPath: ReadonlySet<EndpointKind> = new Set([
  'oidc.callback',
  'oidc.jwks',
  'oidc.backchannel_logout',
])

/** Tokens of other issuers, whom the metadata name. */
const jwt: Kit = {
  rows: [resourceRow],
  key: () => '',
  purpose: () => '',
  headers: { 'cache-control': 'no-store' },
  values: formValues,
}

/** Logins. */
const oidcKit: Kit = {
  rows: [
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
  ],
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
  values: formValues,
  hasBindings: true,
}

/** By type of security. */
export const kits: Readonly<Record<string, Kit>> = { oauth2, oidc: oidcKit, jwt }

/** The description is read by programs, its errors too. */
const jsonValues = {
  provides: ['application/json'],
  declares: { accepts: false, provides: true },
  errorTypes: ['application/json', 'application/problem+json'],
  sendsProblems: false,
}

/** The files that the docs page loads, below its own path. */
const docsFiles = ['swagger-ui.css', 'swagger-ui-bundle.js', 'init.js'] as const

/** `openapi` of a version. */
export const openapiKit: Kit = {
  owner: 'openapi',
  rows: [
    {
      kind: 'openapi.document',
      ...get,
      key: 'path',
      patterns: (base, { path }) =>
        typeof path === 'string' ? ['', '.json', '.yaml'].map((end) => base + path + end) : [],
    },
    {
      kind: 'openapi.docs',
      ...get,
      key: 'docs_path',
      patterns: (base, { docs_path }) => (typeof docs_path === 'string' ? [base + docs_path] : []),
    },
    {
      kind: 'openapi.asset',
      ...get,
      key: 'docs_path',
      patterns: (base, { docs_path }) =>
        typeof docs_path === 'string' ? docsFiles.map((file) => `${base}${docs_path}/${file}`) : [],
    },
  ],
  key: () => '',
  // a copy is used again once the gateway has said that it is the current one
  headers: { 'cache-control': 'no-cache' },
  values: jsonValues,
}

const mcpPath = ({ path }: JsonMap): string => textOr(path, '')

const mcpMetadata: Row = {
  kind: 'mcp.resource',
  ...get,
  key: 'path',
  patterns: (base, mcp) => [resourceMetadata + base + mcpPath(mcp)],
}

/** `mcp` of a version: its endpoint, whose tools have a security of their own, and metadata where tools want tokens. */
export function mcpKit(tools: ToolSet): Kit {
  const endpoint: Row = {
    kind: 'mcp',
    tools,
    ...post,
    key: 'path',
    patterns: (base, mcp) => [base + mcpPath(mcp)],
  }
  const wantsTokens = tools.groups.some(({ protection }) => hasMetadata(protection))
  return {
    owner: 'mcp',
    rows: wantsTokens ? [endpoint, mcpMetadata] : [endpoint],
    key: () => '',
    headers: { 'cache-control': 'no-store' },
    values: { ...formValues, accepts: ['application/json'] },
  }
}
