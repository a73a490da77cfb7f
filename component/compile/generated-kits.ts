/** The endpoints that objects of a document add to a version: security objects of type `oauth2`, `oidc` and `jwt`, `openapi`, and `mcp`. */
import type { EndpointKind, InheritedValues, OuterKind, ToolSet } from '#component/gateway/api.ts'
import type { Headers } from '#component/gateway/header-layers.ts'
import type { Method } from '#component/request.ts'
import { type SecurityEndpoints, textOr } from '#component/security/kind.ts'
import { securityKinds } from '#component/security/kinds.ts'
import { hasMetadata, resourceMetadata } from '#component/security/resource-metadata.ts'
import type { JsonMap } from '#component/syntax/values.ts'

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
  /** The object as its endpoints are told it. @param all those of its type in the version; absent: as it is written */
  shared?(security: JsonMap, all: readonly JsonMap[]): JsonMap
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

/** By type of security. */
const kits = new Map<unknown, Kit>(
  securityKinds.flatMap(({ type, endpoints }) =>
    endpoints
      ? [[type, { ...(endpoints as SecurityEndpoints<OuterKind>), values: formValues }]]
      : [],
  ),
)

/** What a security object of a type adds; undefined: nothing. */
export const kitOf = (type: unknown): Kit | undefined => kits.get(type)

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
