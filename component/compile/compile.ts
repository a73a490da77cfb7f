/** Compiles an ApiSpec: every expression that can be folded is folded and checked, and every issue is found. */
import { pointer } from '#component/codec/json.ts'
import {
  compileDelivery,
  type DeliverySettings,
  endpointProblem,
} from '#component/compile/deliveries/compile-delivery.ts'
import { ProcedureCompiler } from '#component/compile/procedures/compile-procedure.ts'
import { checkPathSchemas } from '#component/compile/schemas/compile-checks.ts'
import { DocumentSchemas, type SchemaPorts } from '#component/compile/schemas/document-schemas.ts'
import type { OfVersion } from '#component/compile/security/compile-alternatives.ts'
import { notingSecurity } from '#component/compile/security/compile-security.ts'
import type { SchemeOfSender } from '#component/compile/security/webhook-warnings.ts'
import { VersionTools } from '#component/compile/tools/version-tools.ts'
import type { Issue } from '#component/errors.ts'
import { compile, type Node } from '#component/expression/compile.ts'
import type { Probe } from '#component/expression/probe/probe.ts'
import type { Scope, SpecEntry } from '#component/expression/scope.ts'
import type {
  ActionPlan,
  Api,
  CompiledOperation,
  CompiledVersion,
  DescribedVersion,
  InheritedValues,
  PathReading,
  Route,
} from '#component/gateway/api.ts'
import { empty, type Headers, layerOf, layOver } from '#component/gateway/header-layers.ts'
import { type Method, methods } from '#component/request.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import type { ApiSpec, Path, Version } from '#component/spec/model.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { runAtOnce, type Steps } from '#component/yielding.ts'
import { compileOperation, type PathPlan } from './compile-operation.ts'
import { allowOf, compileVersion, versionHeaders } from './compile-version.ts'
import type { TakesUserToken } from './credential-warnings.ts'
import { checkFolded, distinct, type Findings } from './fold-check.ts'
import { GeneratedRoutes } from './generated-routes.ts'
import {
  type Found,
  first,
  inDefaults,
  isInheritedKey,
  type Lookup,
  openApiLookup,
  readInheritedValues,
  readPathReading,
} from './inherited-values.ts'
import { Interner } from './interner.ts'
import { type Lifetime, lifetimeBelow, lifetimeOf } from './lifetime.ts'
import type { HasUpstream } from './named-upstreams.ts'
import { ownClashes } from './own-clashes.ts'
import { checkParts } from './part-checks.ts'
import {
  checkEntries,
  freshLevel,
  type Level,
  levelBelow,
  type MergedMap,
  statusCodesOf,
  topLevel,
} from './scope.ts'
import type { RootProblem } from './served-roots.ts'

/** The settings and checks of the component that compiling uses. */
export interface CompilePorts {
  /** Whether the files of the docs page are installed; absent: this is not checked. */
  readonly hasDocsPage?: boolean
  /** Milliseconds: configuration `wamp.call_timeout`, the timeout of paths that set none. */
  readonly callTimeout: number
  /** Key to the value of a policy that holds where a document sets none. Absent: there are none. */
  readonly policies?: Readonly<Record<string, unknown>>
  /**
   * Why nobody can pass now under a security object that names a provider or an issuer of the realm; undefined when users can.
   * Absent: this is not checked.
   * @param host the host pattern of the document
   */
  readonly partyProblem?: (realm_uri: string, security: JsonMap, host: string) => string | undefined
  /** How senders of webhooks sign. Absent: it is not checked whether there are such senders. */
  readonly schemeOfSender?: SchemeOfSender
  /** Whether a realm has an upstream of a name. Absent: it is not checked. */
  readonly hasUpstream?: HasUpstream
  /** What realms say of the places that deliveries go to. Absent: it is not checked. */
  readonly deliverySettings?: DeliverySettings
  /** Absent: the names of roots are not checked. */
  readonly rootProblem?: RootProblem
  /** Whether an upstream of a realm needs a token of the user; absent: none is known. */
  readonly takesUserToken?: TakesUserToken
  /**
   * Told of every expression. The specification is then a part of one that compiles, so what only the whole can show is not
   * checked: unused entries, and clashes of routes.
   */
  readonly probe?: Probe
  /** What the schemas of all documents share; absent: nothing. */
  readonly schemas?: SchemaPorts
}

/** The result of compiling a specification. */
export interface Compilation {
  /** undefined when there are issues. */
  readonly api: Api | undefined
  /** The declared paths of active versions, whether or not their operations compile. */
  readonly places: readonly RouteEntry<never>[]
  readonly issues: Issue[]
  readonly warnings: Issue[]
}

/** Compiles a specification. One in which validation has found issues is compiled, too, to find the remaining ones. */
export const compileSpec = (spec: ApiSpec, ports: CompilePorts): Compilation =>
  runAtOnce(compilation(spec, ports))

/** {@link compileSpec} in steps, about two for each path. */
export function* compilation(spec: ApiSpec, ports: CompilePorts): Steps<Compilation> {
  const compiler = new SpecCompiler(spec, ports)
  yield* compiler.compile()
  const issues = distinct(compiler.findings.issues)
  const { places, findings } = compiler
  const api = issues.length > 0 ? undefined : compiler.api
  return { api, places, issues, warnings: distinct(findings.warnings) }
}

/** At most this many forms of generated patterns in one document; our own limit, which keeps the routing table small. */
const maxGeneratedForms = 10_000

class SpecCompiler {
  readonly entries: RouteEntry<Route>[] = []
  readonly versions: DescribedVersion[] = []
  readonly #spec: ApiSpec
  readonly #ports: CompilePorts
  /** The version that is compiled now. */
  #version: OfVersion = { api: '', label: '' }
  readonly findings: Findings = { issues: [], warnings: [] }
  readonly places: RouteEntry<never>[] = []
  readonly #issues = this.findings.issues
  /** The routes that the security of active versions generates. */
  readonly #generated: RouteEntry<Route>[] = []
  readonly #budget = { forms: maxGeneratedForms }
  /** The lowest levels of the tree. */
  readonly #levels = new Set<Level>()
  readonly #interner = new Interner()
  readonly #schemas: DocumentSchemas

  constructor(spec: ApiSpec, ports: CompilePorts) {
    this.#spec = spec
    this.#ports = ports
    this.#schemas = new DocumentSchemas(spec.schemas, ports.schemas)
  }

  get api(): Api {
    const { id, realm_uri } = this.#spec
    const features = [...this.#schemas.features].sort()
    return { id, realm_uri, features, entries: this.entries, versions: this.versions }
  }

  *compile(): Steps<void> {
    const api = levelBelow(topLevel(this.#ports.probe), this.#maps(this.#spec), '', this.#issues)
    for (const version of this.#spec.versions) {
      const level = levelBelow(api, this.#maps(version), version.path, this.#issues)
      if (version.paths.length === 0) this.#levels.add(level)
      yield* this.#compileVersion(version, level)
    }
    yield* this.#compileProcedures(api)
    yield* this.#compileDeliveries(api)
    this.#checkHanded()
    if (this.#ports.probe) return
    this.#issues.push(...(yield* ownClashes(this.#generated, this.places)))
    yield* checkParts(this.places, this.findings)
    yield* checkEntries(this.#levels, this.#issues, checkEntry)
    yield* this.#schemas.judge(this.findings)
  }

  /** The merged maps of an API or a version, as a part of the document. */
  #maps({ variables, defaults, status_codes }: ApiSpec | Version): JsonMap {
    return { variables, defaults, status_codes }
  }

  *#compileProcedures(level: Level): Steps<void> {
    const { procedures } = this.#spec
    if (procedures.length === 0) return
    this.#schemas.features.add('procedures')
    const { hasUpstream, takesUserToken } = this.#ports
    const compiler = new ProcedureCompiler({
      ...{ spec: this.#spec, level, levels: this.#levels, hasUpstream, takesUserToken },
      versionOf: ({ pool_size }) =>
        compileVersion(this.#spec, { label: '', base_path: '', languages: [], pool_size }),
      readValues: (lookup, scope, action) => this.#readValues(lookup, scope, this.findings, action),
      statusCodes: (below) => statusCodesOf(below, this.#interner, this.#issues),
      ...{ schemas: this.#schemas, findings: this.findings, interner: this.#interner },
      realm_uri: this.#spec.realm_uri,
    })
    for (const procedure of procedures) {
      yield
      const entry = compiler.compile(procedure)
      if (!procedure.is_active) continue
      this.places.push({ ...entry, routes: {} })
      if (Object.keys(entry.routes).length > 0) this.entries.push(entry)
    }
  }

  *#compileDeliveries(level: Level): Steps<void> {
    const { deliveries } = this.#spec
    if (deliveries.length === 0) return
    this.#schemas.features.add('deliveries')
    const ports = {
      ...{ spec: this.#spec, level, levels: this.#levels, findings: this.findings },
      settings: this.#ports.deliverySettings,
    }
    for (const delivery of deliveries) {
      yield
      const entry = compileDelivery(delivery, ports)
      if (entry === undefined) continue
      this.places.push({ ...entry, routes: {} })
      this.entries.push(entry)
    }
  }

  /** Actions hand events to deliveries of the document only. */
  #checkHanded(): void {
    const names = this.#spec.deliveries.map(({ name }) => name)
    for (const route of this.entries.flatMap(({ routes }) => Object.values(routes))) {
      if (route.kind !== undefined) continue
      for (const [plan, at] of handing(route)) {
        const field = plan.kind.handsTo ?? ''
        const name = plan.fixed[field]
        if (typeof name !== 'string') continue
        const message = names.includes(name)
          ? plan.kind.isOfUser && endpointProblem(this.entries, name)
          : `the document has no delivery ${JSON.stringify(name)}`
        if (message) this.#issues.push({ path: pointer(at, field), message })
        if (!plan.kind.isOfUser || route.procedure || route.inherited.protection) continue
        const open = `${plan.kind.type} acts for the user of the request: the operation needs security`
        this.#issues.push({ path: at, message: open })
      }
    }
  }

  *#compileVersion(version: Version, level: Level): Steps<void> {
    const { id: api, realm_uri, host } = this.#spec
    const shared = compileVersion(this.#spec, version)
    this.#version = shared
    if (version.cors) this.#schemas.features.add('cors')
    const lifetime = lifetimeOf(version)
    const always: Headers = versionHeaders(version, lifetime)
    const headersOf = (own: Lifetime): Headers =>
      own === lifetime ? always : versionHeaders(version, own)
    const ofVersion = { lifetime, headersOf }
    const entries: RouteEntry<Route>[] = []
    const described: DescribedVersion = { spec: this.#spec, version, entries }
    const generated = new GeneratedRoutes(described, shared, this.#versionValues(level))
    this.#addOpenApi(version, level, generated)
    const tools = new VersionTools(this.#spec, version, this.#schemas, this.findings)
    for (const path of version.paths) {
      yield
      const pattern = version.base_path + path.pattern
      const place = {
        ...{ api, realm_uri, host, pattern, forms: path.forms, path: path.path },
        routes: {},
      }
      const { routes, reading } = this.#compilePath(
        path,
        pattern,
        level,
        ofVersion,
        shared,
        generated,
      )
      tools.add(routes, path.forms)
      if (!version.is_active) continue
      this.places.push(place)
      const { keepsSlashes } = reading
      const kept = keepsSlashes && { keepsSlashes }
      if (Object.keys(routes).length > 0) entries.push({ ...place, ...kept, routes })
    }
    const { set } = tools
    if (set) generated.addTools(set)
    const added = generated.entries(this.#budget, this.#issues)
    if (!version.is_active) return
    this.versions.push(described)
    // no spread: there may be more than fit on the stack
    for (const entry of entries) this.entries.push(entry)
    for (const entry of added) {
      this.#generated.push(entry)
      this.entries.push(entry)
    }
    this.#warnOfParties(generated)
  }

  /** Only warns: the realm may be loaded later. */
  #warnOfParties({ parties }: GeneratedRoutes): void {
    const { realm_uri, host } = this.#spec
    for (const { security, at } of parties) {
      const message = this.#ports.partyProblem?.(realm_uri, security, host)
      if (message !== undefined) this.findings.warnings.push({ path: at, message })
    }
  }

  #addOpenApi(version: Version, level: Level, generated: GeneratedRoutes): void {
    const lookup = openApiLookup(version, level, this.findings, this.#ports.hasDocsPage)
    if (lookup) generated.addOpenApi(this.#readValues(lookup, level.scope, this.findings))
  }

  /** The values of a path without keys. Paths that inherit them report their issues, so that none is reported here. */
  #versionValues(level: Level): InheritedValues {
    const fresh = freshLevel(level)
    const findings: Findings = { issues: [], warnings: [] }
    return this.#readValues(inDefaults(fresh, findings), fresh.scope, findings)
  }

  #compilePath(
    path: Path,
    pattern: string,
    above: Level,
    ofVersion: Pick<PathPlan, 'lifetime' | 'headersOf'>,
    shared: CompiledVersion,
    generated: GeneratedRoutes,
  ): { routes: RouteEntry<CompiledOperation>['routes']; reading: PathReading } {
    const { document } = path
    const level = levelBelow(above, document, path.path, this.#issues)
    this.#levels.add(level)
    const own = this.#ownKeys(document, path.path, level)
    const readDefaults = (): Lookup => inDefaults(level, this.findings)
    const defaults = this.#interner.share('defaults', readDefaults, level)
    const lookup = first(own, defaults)
    const headers = layerOf(lookup('headers')?.node)
    const lifetime = lifetimeBelow(ofVersion.lifetime, document, path.path, this.findings)
    const headersOf = (own: Lifetime): Headers => layOver(ofVersion.headersOf(own), headers.fixed)
    const plan: PathPlan = {
      lifetime,
      headersOf,
      document,
      at: path.path,
      level,
      path: {
        version: shared,
        inherited: this.#valuesOf(document, level, lookup),
        pattern,
        isDeprecated: lifetime.isDeprecated,
        headers: headersOf(lifetime),
        layer: headers.computed.length > 0 || headers.whole ? { ...headers, fixed: {} } : empty,
        allow: allowOf(document, this.#interner),
      },
      forms: path.forms,
      reading: this.#readingOf(lookup),
      own,
      defaults,
      readValues: (lookup, scope, action) => this.#readValues(lookup, scope, this.findings, action),
      statusCodes: (below) => statusCodesOf(below, this.#interner, this.#issues),
      levels: this.#levels,
      schemas: this.#schemas,
      schemeOfSender: this.#ports.schemeOfSender,
      hasUpstream: this.#ports.hasUpstream,
      rootProblem: this.#ports.rootProblem,
      takesUserToken: this.#ports.takesUserToken,
      realm_uri: this.#spec.realm_uri,
      findings: this.findings,
      interner: this.#interner,
    }
    generated.add(plan.path.inherited)
    checkPathSchemas(plan)
    const routes: Partial<Record<Method, CompiledOperation>> = {}
    for (const method of methods) {
      if (!Object.hasOwn(document, method)) continue
      const operation = compileOperation(method, plan)
      if (!operation) continue
      generated.add(operation.inherited)
      routes[method] = operation
    }
    return { routes, reading: plan.reading }
  }

  #readingOf(lookup: Lookup): PathReading {
    const reading = readPathReading(lookup, this.#issues)
    if (reading.keepsSlashes) this.#schemas.features.add('escaped_slashes')
    if (reading.dropsFinalSlash) this.#schemas.features.add('final_slash')
    return reading
  }

  /** The inheritable keys of a path itself, compiled and checked once. */
  #ownKeys(document: JsonMap, at: string, level: Level): Lookup {
    const found = new Map<string, Found>()
    for (const key of Object.keys(document)) {
      if (!isInheritedKey(key)) continue
      const path = pointer(at, key)
      const raw = document[key]
      const node = compile(raw, path, level.scope, this.#issues)
      checkFolded(key, raw, node, path, this.findings)
      found.set(key, { node, path })
    }
    return (key) => found.get(key)
  }

  #valuesOf(document: JsonMap, level: Level, lookup: Lookup): InheritedValues {
    const read = (): InheritedValues => this.#readValues(lookup, level.scope, this.findings)
    const hasOwn = Object.keys(document).some(isInheritedKey)
    return hasOwn ? read() : this.#interner.share('inherited', read, level)
  }

  #readValues(lookup: Lookup, scope: Scope, findings: Findings, action?: Lookup): InheritedValues {
    const { id: api, realm_uri } = this.#spec
    const { callTimeout, policies = {} } = this.#ports
    const place = { scope, api, realm_uri, version: this.#version }
    const sources = { ...place, lookup, action, callTimeout, policies, findings }
    return notingSecurity(readInheritedValues(sources), this.#schemas.features)
  }
}

/** The actions of a route that hand in events, with the JSON Pointer of each; of those in branches that of the operation. */
function handing({
  at,
  action,
  steps,
}: CompiledOperation): readonly (readonly [plan: ActionPlan, at: string])[] {
  const within = ({ branches }: ActionPlan): readonly ActionPlan[] =>
    (branches?.all ?? []).flatMap(({ plans }) =>
      // an action that was refused has no plan
      plans.flatMap((one: ActionPlan | undefined) => (one ? [one, ...within(one)] : [])),
    )
  const all = steps?.map((plan, index) => [plan, pointer(at, 'action', index)] as const) ?? [
    [action, pointer(at, 'action')] as const,
  ]
  return all
    .flatMap(([plan, place]) => [
      [plan, place] as const,
      ...within(plan).map((one) => [one, pointer(at, 'action')] as const),
    ])
    .filter(([{ kind }]) => kind.handsTo !== undefined)
}

/** Checks the value of an entry of the merged maps; a default is checked where it is used, too. */
function checkEntry(map: MergedMap, key: string, { value, path }: SpecEntry, node: Node): Issue[] {
  const findings: Findings = { issues: [], warnings: [] }
  if (map === 'defaults' && isInheritedKey(key)) checkFolded(key, value, node, path, findings)
  if (map !== 'status_codes') return findings.issues
  if (node.kind !== 'constant' && node.kind !== 'broken') {
    return [{ path, message: 'a status code must be known when the specification is loaded' }]
  }
  checkFolded('status_code', value, node, path, findings)
  return findings.issues
}
