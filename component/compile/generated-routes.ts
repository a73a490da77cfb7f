/** The routes that `oauth2` and `oidc` security add to a version: its tokens and metadata, or its logins. */
import type { Issue } from '#component/errors.ts'
import type {
  CompiledPath,
  CompiledVersion,
  Endpoint,
  EndpointKind,
  InheritedValues,
} from '#component/gateway/api.ts'
import type { Headers } from '#component/gateway/header-layers.ts'
import type { Method } from '#component/request.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import { providerOf } from '#component/security/oidc.ts'
import type { ApiSpec, Version } from '#component/spec/model.ts'
import { reservedProblem } from '#component/spec/versions.ts'
import { parsePathPattern } from '#component/syntax/path-pattern.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { lifetimeHeaders } from './compile-version.ts'

/** RFC 8414 §3. */
const wellKnown = '/.well-known/oauth-authorization-server'

/** One endpoint that a security object adds. */
interface Row {
  readonly kind: EndpointKind
  readonly methods: readonly Method[]
  readonly allow: string
  /** The patterns it is served at. */
  patterns(base: string, security: JsonMap): readonly string[]
}

/** The endpoints that one type of security adds. */
interface Kit {
  /** Below base_path: behaviour, OAuth2 and OIDC. */
  readonly rows: readonly Row[]
  /** Security objects with equal keys share their routes. */
  key(security: JsonMap): string
  /** Routes are shared only for equal purposes; the kind of the row is added. */
  purpose(kind: EndpointKind, security: JsonMap): string
  readonly headers: Headers
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
  ],
  key: (security) => [flowOf(security), tokenPathOf(security), revokePathOf(security)].join(' '),
  // two flows cannot be served at one place
  purpose: (kind, security) => (kind === 'oauth.token' ? flowOf(security) : ''),
  headers: { 'cache-control': 'no-store' },
}

const oidc: Kit = {
  rows: [
    { kind: 'oidc.login', ...withOptions, patterns: (base) => [`${base}/oidc/login`] },
    {
      kind: 'oidc.callback',
      ...withOptions,
      patterns: (base) => [`${base}/oidc/:provider/callback`],
    },
    { kind: 'oidc.logout', ...getAndPost, patterns: (base) => [`${base}/oidc/logout`] },
  ],
  // a login names its provider, so a version has one set of routes; its default provider is the first one named
  key: () => '',
  // documents that share the login must agree on its default
  purpose: (kind, security) => (kind === 'oidc.callback' ? '' : providerOf(security)),
  // RFC 9700 §4.16; the next page must not learn the URL of a callback
  headers: {
    'cache-control': 'no-store',
    'content-security-policy': "frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
  },
}

const kits: Readonly<Record<string, Kit>> = { oauth2, oidc }

/** A security object that adds routes to a version, and where it is written. */
interface Found {
  readonly kit: Kit
  readonly security: JsonMap
  readonly at: string
  admitsHttp: boolean
  /** Whether the version itself has it: then the `schemes` of its paths do not matter. */
  readonly isDefault: boolean
}

/** The different security objects that add routes to one version. */
export class GeneratedRoutes {
  readonly #common: Pick<CompiledPath, 'version' | 'inherited'>
  readonly #found = new Map<string, Found>()
  /** JSON Pointers by provider. */
  readonly #providers = new Map<string, string>()

  /** @param inherited the values of a path of the version that sets none itself; the values of the generated paths are added after them */
  constructor(version: CompiledVersion, inherited: InheritedValues) {
    this.#common = {
      version: { ...version, languages: ['en'] },
      inherited: { ...inherited, ...formValues },
    }
    this.#add(inherited, true)
  }

  /** Notes the security of a path or an operation. */
  add(inherited: InheritedValues): void {
    this.#add(inherited, false)
  }

  /** The providers that `oidc` objects name, each once, with the JSON Pointer of the object. */
  get logins(): readonly { readonly provider: string; readonly at: string }[] {
    return Array.from(this.#providers, ([provider, at]) => ({ provider, at }))
  }

  #add({ protection, protectedAt, admitsHttp }: InheritedValues, isDefault: boolean): void {
    const { object = {} } = protection ?? {}
    // a broken object is kept as a closed one without a type
    const kit = typeof object.type === 'string' ? kits[object.type] : undefined
    if (kit === undefined) return
    if (kit === oidc && !this.#providers.has(providerOf(object))) {
      this.#providers.set(providerOf(object), protectedAt)
    }
    const key = `${object.type} ${kit.key(object)}`
    const known = this.#found.get(key)
    if (known === undefined) {
      this.#found.set(key, { kit, security: object, at: protectedAt, admitsHttp, isDefault })
    } else if (!known.isDefault) {
      // tokens are issued over https only where one path that takes them is served over https only
      known.admitsHttp &&= admitsHttp
    }
  }

  /**
   * The routes; an invalid pattern is an issue.
   * @param budget how many forms of patterns the document may still have
   */
  entries(
    spec: ApiSpec,
    version: Version,
    budget: { forms: number },
    issues: Issue[],
  ): RouteEntry<Endpoint>[] {
    // validation has reported a broken one
    if ('problem' in parsePathPattern(version.base_path || '/')) return []
    const entries = new Map<string, RouteEntry<Endpoint>>()
    for (const found of this.#found.values()) {
      for (const row of found.kit.rows) {
        for (const pattern of row.patterns(version.base_path, found.security)) {
          const problem = patternProblem(pattern, found.kit, budget)
          if (problem !== undefined) {
            const message = `its security generates the route ${pattern}: ${problem}`
            issues.push({ path: found.at, message })
            continue
          }
          const entry = entryOf(row, pattern, found, spec, version, this.#common)
          const key = `${entry.purpose} ${pattern}`
          if (!entries.has(key)) entries.set(key, entry)
        }
      }
    }
    return [...entries.values()]
  }
}

function patternProblem(pattern: string, kit: Kit, budget: { forms: number }): string | undefined {
  const parsed = parsePathPattern(pattern)
  // validation has checked the paths in the object itself
  if ('problem' in parsed) return kit === oidc ? parsed.problem : undefined
  budget.forms -= parsed.forms.length
  if (budget.forms < 0) return 'the optional segments of the document expand to too many routes'
  return reservedProblem(parsed)
}

/** Open, takes a form and answers JSON whatever the client accepts (RFC 6749 §5). */
const formValues = {
  accepts: ['application/x-www-form-urlencoded'],
  provides: ['application/json'],
  declares: { accepts: true, provides: true },
  errorTypes: ['application/json'],
  protection: undefined,
  protectedAt: '',
}

function entryOf(
  { kind, methods, allow }: Row,
  pattern: string,
  { kit, security, at, admitsHttp }: Found,
  { id, realm_uri, host }: ApiSpec,
  version: Version,
  { version: compiled, inherited }: Pick<CompiledPath, 'version' | 'inherited'>,
): RouteEntry<Endpoint> {
  const path: CompiledPath = {
    version: compiled,
    inherited: { ...inherited, admitsHttp },
    pattern,
    headers: { ...lifetimeHeaders(version), ...kit.headers },
    layer: { fixed: {}, computed: [], whole: undefined },
    allow,
  }
  const endpoint: Endpoint = { kind, realm_uri, host, base: version.base_path, security, path }
  return {
    api: id,
    realm_uri,
    host,
    pattern,
    path: at,
    routes: Object.fromEntries(methods.map((method) => [method, endpoint])),
    isShared: true,
    purpose: [kind, kit.purpose(kind, security)].join(' ').trimEnd(),
  }
}
