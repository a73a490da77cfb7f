/** Compiles an ApiSpec: every expression that can be folded is folded and checked, and every issue is found. */
import { Pool } from '#component/action/pool.ts'
import type { Clock } from '#component/clock.ts'
import type { Issue } from '#component/errors.ts'
import { compile, type Node } from '#component/expression/compile.ts'
import type { SpecEntry } from '#component/expression/scope.ts'
import { anonymous } from '#component/identity.ts'
import { pointer } from '#component/json.ts'
import { type Method, methods } from '#component/request.ts'
import type { ApiSpec, JsonMap, Path, Version } from '#component/spec/model.ts'
import { parsePathPattern } from '#component/spec/path-pattern.ts'
import { runAtOnce, type Steps } from '#component/spec/steps.ts'
import type { Api, CompiledOperation, Rules } from './api.ts'
import { compileOperation, type PathPlan } from './compile-operation.ts'
import { type Findings, judge } from './fold-check.ts'
import { type Headers, layerOf, layOver } from './header-layers.ts'
import { lifetimeHeaders } from './lifetime.ts'
import { PathTree } from './path-tree.ts'
import type { RouteEntry } from './routing-table.ts'
import { type Found, first, inDefaults, isInheritedKey, type Lookup, readRules } from './rules.ts'
import { type Level, levelBelow, type MergedMap, sweep, topLevel } from './scope.ts'
import { statusCodeTables } from './status-code-tables.ts'

/** What compiling needs to know of the component. */
export interface CompilePorts {
  readonly clock: Clock
  /** Milliseconds: configuration `wamp.call_timeout`, the timeout of paths that say nothing else. */
  readonly callTimeout: number
}

/** What compiling a specification came to. */
export interface Compilation {
  /** undefined when there are issues. */
  readonly api: Api | undefined
  readonly issues: Issue[]
  readonly warnings: Issue[]
}

/** Compiles a specification, also one in which validation has found issues: it then finds those that are left. */
export const compileSpec = (spec: ApiSpec, ports: CompilePorts): Compilation =>
  runAtOnce(compilation(spec, ports))

/** {@link compileSpec} in steps, about one for each path. */
export function* compilation(spec: ApiSpec, ports: CompilePorts): Steps<Compilation> {
  const compiler = new SpecCompiler(spec, ports)
  yield* compiler.compile()
  const issues = distinct(compiler.findings.issues)
  const { id, realm_uri } = spec
  const api = issues.length > 0 ? undefined : { id, realm_uri, entries: compiler.entries }
  return { api, issues, warnings: distinct(compiler.findings.warnings) }
}

/** Each issue once: what many paths inherit is found by each of them. */
function distinct(issues: readonly Issue[]): Issue[] {
  const seen = new Set<string>()
  return issues.filter(({ path, message }) => {
    const key = `${path}\n${message}`
    return !seen.has(key) && seen.add(key)
  })
}

/** Where a path of an active version is written, and what it is matched by. */
interface Place {
  readonly pattern: string
  readonly path: string
}

class SpecCompiler {
  readonly entries: RouteEntry<CompiledOperation>[] = []
  readonly #spec: ApiSpec
  readonly #ports: CompilePorts
  readonly findings: Findings = { issues: [], warnings: [] }
  readonly #issues = this.findings.issues
  /** Where the active versions' paths are. */
  readonly #places: Place[] = []
  /** The lowest levels of the tree. */
  readonly #levels = new Set<Level>()
  /** The rules of paths that set none of their own, by the level they inherit from. */
  readonly #inherited = new WeakMap<Level, Rules>()
  readonly #defaults = new WeakMap<Level, Lookup>()
  readonly #statusCodes = statusCodeTables(this.#issues)

  constructor(spec: ApiSpec, ports: CompilePorts) {
    this.#spec = spec
    this.#ports = ports
  }

  *compile(): Steps<void> {
    const api = levelBelow(topLevel(), this.#maps(this.#spec), '', this.#issues)
    for (const version of this.#spec.versions) {
      const level = levelBelow(api, this.#maps(version), version.path, this.#issues)
      if (version.paths.length === 0) this.#levels.add(level)
      yield* this.#compileVersion(version, level)
    }
    yield* this.#findClashes()
    yield* sweep(this.#levels, this.#issues, judgeEntry)
  }

  /** The merged maps of an API or a version, as a part of the document. */
  #maps({ variables, defaults, status_codes }: ApiSpec | Version): JsonMap {
    return { variables, defaults, status_codes }
  }

  *#compileVersion(version: Version, level: Level): Steps<void> {
    const pool = new Pool(version.pool_size, this.#ports.clock)
    const lifetime = lifetimeHeaders(version)
    const { languages } = version
    const [language] = languages
    const always: Headers = {
      ...lifetime,
      ...(languages.length === 1 && language !== undefined && { 'content-language': language }),
    }
    for (const path of version.paths) {
      const entry = this.#compilePath(path, version, level, always, pool)
      yield
      if (!version.is_active) continue
      this.#places.push({ pattern: version.base_path + path.pattern, path: path.path })
      if (entry) this.entries.push(entry)
    }
  }

  #compilePath(
    path: Path,
    version: Version,
    above: Level,
    always: Headers,
    pool: Pool,
  ): RouteEntry<CompiledOperation> | undefined {
    const { document } = path
    const { id, host, realm_uri } = this.#spec
    const level = levelBelow(above, document, path.path, this.#issues)
    this.#levels.add(level)
    const pattern = version.base_path + path.pattern
    const own = this.#ownKeys(document, path.path, level)
    const defaults = this.#defaults.get(level) ?? inDefaults(level.scope, this.findings)
    this.#defaults.set(level, defaults)
    const lookup = first(own, defaults)
    const headers = layerOf(lookup('headers')?.node)
    const plan: PathPlan = {
      document,
      at: path.path,
      level,
      path: {
        ...this.#rulesOf(document, level, lookup),
        api: id,
        realm_uri,
        pattern,
        headers: layOver(always, headers.fixed),
        layer: { ...headers, fixed: {} },
        allow: allowOf(document),
        languages: version.languages,
        anonymous: anonymous(realm_uri),
      },
      own,
      defaults,
      callTimeout: this.#ports.callTimeout,
      pool,
      statusCodes: this.#statusCodes,
      levels: this.#levels,
      findings: this.findings,
    }
    const routes: Partial<Record<Method, CompiledOperation>> = {}
    for (const method of methods) {
      if (!Object.hasOwn(document, method)) continue
      const operation = compileOperation(method, plan)
      if (operation) routes[method] = operation
    }
    const hasRoutes = Object.keys(routes).length > 0
    return hasRoutes ? { api: id, realm_uri, host, pattern, path: path.path, routes } : undefined
  }

  /** The inheritable keys of a path itself, compiled and checked once. */
  #ownKeys(document: JsonMap, at: string, level: Level): Lookup {
    const found = new Map<string, Found>()
    for (const key of Object.keys(document)) {
      if (!isInheritedKey(key)) continue
      const path = pointer(at, key)
      const raw = document[key]
      const node = compile(raw, path, level.scope, this.#issues)
      judge(key, raw, node, path, this.findings)
      found.set(key, { node, path })
    }
    return (key) => found.get(key)
  }

  #rulesOf(document: JsonMap, level: Level, lookup: Lookup): Rules {
    const read = (): Rules => readRules(lookup, level.scope, this.#spec.realm_uri, this.findings)
    if (Object.keys(document).some(isInheritedKey)) return read()
    const known = this.#inherited.get(level) ?? read()
    this.#inherited.set(level, known)
    return known
  }

  /**
   * Routes of this document that would answer the same requests, whatever their operations are worth. All of them have
   * its host, so that one tree of paths finds what any host would.
   */
  *#findClashes(): Steps<void> {
    const paths = new PathTree<Place>()
    for (const place of this.#places) {
      const parsed = parsePathPattern(place.pattern)
      if ('problem' in parsed) continue
      const others = new Set<string>()
      for (const form of parsed.forms) {
        const other = paths.at(form)
        if (other === undefined) paths.add(form, place)
        else if (other !== place) others.add(other.path)
      }
      for (const other of others) {
        const message = `the route ${place.pattern} answers the same requests as ${other}`
        this.#issues.push({ path: place.path, message })
      }
      yield
    }
  }
}

/** By the methods that are declared: thousands of paths have the same ones. */
const knownAllow = new Map<string, string>()

/** Behaviour, Requests: HEAD is implied by GET; OPTIONS is always answered. */
function allowOf(document: JsonMap): string {
  const declared = methods.filter(
    (method) => method === 'options' || Object.hasOwn(document, method),
  )
  const key = declared.join()
  const known = knownAllow.get(key)
  if (known !== undefined) return known
  const names = declared.flatMap((method) =>
    method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
  )
  const allow = [...new Set(names)].join(', ')
  knownAllow.set(key, allow)
  return allow
}

/** Checks what an entry of the merged maps came to; users of a default have done so already. */
function judgeEntry(map: MergedMap, key: string, { value, path }: SpecEntry, node: Node): Issue[] {
  const findings: Findings = { issues: [], warnings: [] }
  if (map === 'defaults' && isInheritedKey(key)) judge(key, value, node, path, findings)
  if (map !== 'status_codes') return findings.issues
  if (node.kind !== 'constant' && node.kind !== 'broken') {
    return [{ path, message: 'a status code must be known when the specification is loaded' }]
  }
  judge('status_code', value, node, path, findings)
  return findings.issues
}
