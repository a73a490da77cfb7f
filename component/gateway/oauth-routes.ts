/** The routes that `oauth2` security adds to a version: token, revocation, introspection, verification, keys, metadata. */
import type { Issue } from '#component/errors.ts'
import { anonymous } from '#component/identity.ts'
import type { Method } from '#component/request.ts'
import type { ApiSpec, JsonMap, Version } from '#component/spec/model.ts'
import { parsePathPattern, type Segment } from '#component/spec/path-pattern.ts'
import type { CompiledPath, Endpoint, EndpointKind, Rules } from './api.ts'
import { lifetimeHeaders } from './lifetime.ts'
import type { RouteEntry } from './routing-table.ts'

/** RFC 8414 §3. */
const wellKnown = '/.well-known/oauth-authorization-server'

/** One endpoint that a security object brings. */
interface Row {
  readonly kind: EndpointKind
  readonly method: Method
  readonly allow: string
  /** The patterns it is served at. */
  patterns(base: string, security: JsonMap): readonly string[]
}

const get = { method: 'get', allow: 'GET, HEAD, OPTIONS' } as const
const post = { method: 'post', allow: 'OPTIONS, POST' } as const

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise

// what is no text has been reported
const flowOf = ({ flow }: JsonMap): string => textOr(flow, '')
const tokenPathOf = ({ token_path }: JsonMap): string => textOr(token_path, '/oauth/token')
const revokePathOf = ({ revoke_token_path }: JsonMap): string =>
  textOr(revoke_token_path, '/oauth/revoke')

/** Below base_path: behaviour, OAuth2. The metadata are at the place that RFC 8414 §3.1 derives from the issuer, too. */
const rows: readonly Row[] = [
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
]

/** An `oauth2` security object of a version, and where it is written. */
interface Found {
  readonly security: JsonMap
  readonly at: string
  admitsHttp: boolean
  /** The version itself has it, so that what its paths say of schemes does not matter. */
  readonly isDefault: boolean
}

/** The different `oauth2` security objects of one version. */
export class OAuthSecurity {
  readonly #found = new Map<string, Found>()

  /** @param version what holds for a path of the version that says nothing itself; the paths' rules come after it */
  constructor(version: Rules) {
    this.#add(version, true)
  }

  /** Notes the security of a path or an operation. */
  add(rules: Rules): void {
    this.#add(rules, false)
  }

  #add({ protection, protectedAt, admitsHttp }: Rules, isDefault: boolean): void {
    // a broken object stands as a closed one without a type
    if (protection?.object.type !== 'oauth2') return
    const { object } = protection
    const key = [flowOf(object), tokenPathOf(object), revokePathOf(object)].join(' ')
    const known = this.#found.get(key)
    if (known === undefined) {
      this.#found.set(key, { security: object, at: protectedAt, admitsHttp, isDefault })
    } else if (!known.isDefault) {
      // where one path that asks for tokens is served over https only, they are given over https only
      known.admitsHttp &&= admitsHttp
    }
  }

  /**
   * The routes; a pattern that cannot be one is an issue.
   * @param budget how many forms of patterns the document may still have
   */
  entries(
    spec: ApiSpec,
    version: Version,
    budget: { forms: number },
    issues: Issue[],
  ): RouteEntry<Endpoint>[] {
    // a broken one has been reported
    if ('problem' in parsePathPattern(version.base_path || '/')) return []
    const entries = new Map<string, RouteEntry<Endpoint>>()
    for (const found of this.#found.values()) {
      for (const row of rows) {
        for (const pattern of row.patterns(version.base_path, found.security)) {
          const problem = patternProblem(pattern, budget)
          if (problem !== undefined) {
            const message = `its security generates the route ${pattern}: ${problem}`
            issues.push({ path: found.at, message })
            continue
          }
          const entry = entryOf(row, pattern, found, spec, version)
          const key = `${entry.purpose} ${pattern}`
          if (!entries.has(key)) entries.set(key, entry)
        }
      }
    }
    return [...entries.values()]
  }
}

function patternProblem(pattern: string, budget: { forms: number }): string | undefined {
  const parsed = parsePathPattern(pattern)
  // its parts have been judged
  if ('problem' in parsed) return undefined
  budget.forms -= parsed.forms.length
  if (budget.forms < 0) return 'the optional segments of the document make too many routes'
  return parsed.forms.some(isReserved) ? '"/ws" is reserved for WebSocket connections' : undefined
}

const isReserved = ([first, second]: readonly Segment[]): boolean =>
  first?.kind === 'literal' && first.text === 'ws' && second === undefined

/** Media types of a form, and of what is answered: JSON, whatever the client accepts (RFC 6749 §5). */
const rules: Rules = {
  accepts: ['application/x-www-form-urlencoded'],
  provides: ['application/json'],
  declares: { accepts: true, provides: true },
  errorTypes: ['application/json'],
  admitsHttp: false,
  protection: undefined,
  protectedAt: '',
}

function entryOf(
  { kind, method, allow }: Row,
  pattern: string,
  { security, at, admitsHttp }: Found,
  { id, realm_uri, host }: ApiSpec,
  version: Version,
): RouteEntry<Endpoint> {
  const path: CompiledPath = {
    ...rules,
    admitsHttp,
    api: id,
    realm_uri,
    pattern,
    headers: { ...lifetimeHeaders(version), 'cache-control': 'no-store' },
    layer: { fixed: {}, computed: [], whole: undefined },
    allow,
    languages: ['en'],
    anonymous: anonymous(realm_uri),
  }
  const endpoint: Endpoint = { kind, realm_uri, base: version.base_path, security, path }
  return {
    api: id,
    realm_uri,
    host,
    pattern,
    path: at,
    routes: { [method]: endpoint },
    isShared: true,
    // two flows cannot be served at one place
    purpose: kind === 'oauth.token' ? `${kind} ${flowOf(security)}` : kind,
  }
}
