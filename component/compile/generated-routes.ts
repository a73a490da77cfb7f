/** The routes that are added to a version: tokens and metadata by `oauth2`, metadata by `jwt`, logins by `oidc`, its description by `openapi`, an endpoint for language models by `mcp`. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import type {
  CompiledPath,
  CompiledVersion,
  DescribedVersion,
  Endpoint,
  InheritedValues,
  ToolSet,
} from '#component/gateway/api.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import { kindOf } from '#component/security/kinds.ts'
import { membersOf } from '#component/security/scheme.ts'
import { reservedProblem } from '#component/spec/versions.ts'
import { parsePathPattern } from '#component/syntax/path-pattern.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { type Kit, kitOf, mcpKit, openapiKit, type Row, type Target } from './generated-kits.ts'
import { lifetimeHeaders, lifetimeOf } from './lifetime.ts'

/** A security object that adds routes to a version, and where it is written. */
interface Found {
  readonly kit: Kit
  readonly security: JsonMap
  readonly at: string
  admitsHttp: boolean
  /** Whether the version itself has it: then the `schemes` of its paths do not matter. */
  readonly isDefault: boolean
  /** The values of its paths besides those of the kit. */
  readonly values?: Pick<InheritedValues, 'protection' | 'protectedAt'>
}

/** A security object that names a provider or an issuer of the realm, and its JSON Pointer. */
export interface Party {
  readonly security: JsonMap
  readonly at: string
}

function partyOf(security: JsonMap): string | undefined {
  const party = kindOf(security.type)?.party
  return party && `${party.is} ${party.nameOf(security)}`
}

/** The different security objects that add routes to one version. */
export class GeneratedRoutes {
  readonly #described: DescribedVersion
  readonly #common: Pick<CompiledPath, 'version' | 'inherited'>
  readonly #found = new Map<string, Found>()
  readonly #parties = new Map<string, Party>()

  /** @param inherited the values of a path of the version that sets none itself; the values of the generated paths are added after them */
  constructor(described: DescribedVersion, version: CompiledVersion, inherited: InheritedValues) {
    this.#described = described
    this.#common = { version: { ...version, languages: ['en'] }, inherited }
    this.#add(inherited, true)
  }

  /** Notes the security of a path or an operation. */
  add(inherited: InheritedValues): void {
    this.#add(inherited, false)
  }

  /** Notes the `openapi` of the version. @param inherited the values of its paths */
  addOpenApi(inherited: InheritedValues): void {
    const { openapi, path } = this.#described.version
    const { protection, protectedAt, admitsHttp } = inherited
    const values = { protection, protectedAt }
    const at = pointer(path, 'openapi')
    const found = { kit: openapiKit, security: openapi, at, admitsHttp, isDefault: true, values }
    this.#found.set('openapi', found)
    this.#add(inherited, false)
  }

  /** Notes the `mcp` of the version. It is served over plain http where one of its tools is. */
  addTools(tools: ToolSet): void {
    const { mcp = {}, path } = this.#described.version
    const ofTools = tools.tools.map(({ operation }) => operation.inherited)
    const admitsHttp = ofTools.some((values) => values.admitsHttp)
    const at = pointer(path, 'mcp')
    const kit = mcpKit(tools)
    this.#found.set('mcp', { kit, security: mcp, at, admitsHttp, isDefault: true })
  }

  /** The security objects that name a provider or an issuer of the realm, the first one of each. */
  get parties(): readonly Party[] {
    return [...this.#parties.values()]
  }

  #add(inherited: InheritedValues, isDefault: boolean): void {
    for (const { object } of membersOf(inherited.protection)) {
      this.#addObject(object, inherited, isDefault)
    }
  }

  #addObject(
    object: JsonMap,
    { protectedAt, admitsHttp }: InheritedValues,
    isDefault: boolean,
  ): void {
    // a broken object is kept as a closed one without a type
    const kit = kitOf(object.type)
    if (kit === undefined) return
    const party = partyOf(object)
    if (party !== undefined && !this.#parties.has(party)) {
      this.#parties.set(party, { security: object, at: protectedAt })
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
  entries(budget: { forms: number }, issues: Issue[]): RouteEntry<Endpoint>[] {
    const { version } = this.#described
    // validation has reported a broken one
    if ('problem' in parsePathPattern(version.base_path || '/')) return []
    const entries = new Map<string, RouteEntry<Endpoint>>()
    for (const found of this.#shared()) {
      for (const row of found.kit.rows) {
        for (const pattern of row.patterns(version.base_path, found.security)) {
          const problem = patternProblem(pattern, found.kit, budget)
          if (problem !== undefined) {
            const { owner = 'security' } = found.kit
            const message = `its ${owner} generates the route ${pattern}: ${problem}`
            issues.push({ path: placeOf(row.key, found), message })
            continue
          }
          const entry = this.#entryOf(row, pattern, found)
          const key = `${row.kind} ${entry.purpose} ${pattern}`
          if (!entries.has(key)) entries.set(key, entry)
        }
      }
    }
    return [...entries.values()]
  }

  /** What adds routes, each as its endpoints are told it. */
  #shared(): Found[] {
    const all = [...this.#found.values()]
    return all.map((found) => {
      const { kit, security } = found
      if (kit.shared === undefined) return found
      const ofKit = all.filter((other) => other.kit === kit).map((other) => other.security)
      return { ...found, security: kit.shared(security, ofKit) }
    })
  }

  #entryOf(row: Row, pattern: string, found: Found): RouteEntry<Endpoint> {
    const { kind, methods, allow, key } = row
    const { kit, security, admitsHttp, values } = found
    const { spec, version } = this.#described
    const { id, realm_uri, host } = spec
    const path: CompiledPath = {
      version: this.#common.version,
      inherited: { ...this.#common.inherited, ...kit.values, ...values, admitsHttp },
      pattern,
      isDeprecated: version.is_deprecated,
      headers: { ...lifetimeHeaders(lifetimeOf(version)), ...kit.headers },
      layer: { fixed: {}, computed: [], whole: undefined },
      allow,
    }
    const base = version.base_path
    const described = this.#described
    const endpoint: Endpoint = {
      ...targetOf(row),
      realm_uri,
      host,
      base,
      security,
      described,
      path,
    }
    return {
      api: id,
      realm_uri,
      host,
      pattern,
      path: placeOf(key, found),
      routes: Object.fromEntries(methods.map((method) => [method, endpoint])),
      ...(kit.purpose && {
        isShared: true,
        purpose: [kind, kit.purpose(kind, security)].join(' ').trimEnd(),
      }),
    }
  }
}

const targetOf = (row: Row): Target =>
  row.kind === 'mcp' ? { kind: row.kind, tools: row.tools } : { kind: row.kind }

/** The JSON Pointer of what generates a route. */
const placeOf = (key: string | undefined, { at }: Found): string =>
  key === undefined ? at : pointer(at, key)

function patternProblem(pattern: string, kit: Kit, budget: { forms: number }): string | undefined {
  const parsed = parsePathPattern(pattern)
  // validation has checked the paths in the object itself
  if ('problem' in parsed) return kit.hasBindings ? parsed.problem : undefined
  budget.forms -= parsed.forms.length
  if (budget.forms < 0) return 'the optional segments of the document expand to too many routes'
  return reservedProblem(parsed)
}
