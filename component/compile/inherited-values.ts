/** Finds the value of an inheritable key: operation or action, path, defaults, table; folded and checked. */
import type { Attempts } from '#component/action/action.ts'
import { pointer } from '#component/codec/json.ts'
import type { OfVersion } from '#component/compile/security/compile-alternatives.ts'
import { allowFromOf, protectionOf } from '#component/compile/security/compile-security.ts'
import type { Issue } from '#component/errors.ts'
import { compile, type Members, type Node } from '#component/expression/compile.ts'
import { constant } from '#component/expression/nodes.ts'
import type { Scope } from '#component/expression/scope.ts'
import type {
  AttemptsPlan,
  Computed,
  InheritedValues,
  PathReading,
} from '#component/gateway/api.ts'
import type { Found as PolicyValue } from '#component/policies/kind.ts'
import { compilePolicies, policyKeys } from '#component/policies/kinds.ts'
import type { ContentLimits } from '#component/request.ts'
import { defaultValues } from '#component/spec/defaults.ts'
import type { Version } from '#component/spec/model.ts'
import { type ValidationMode, validationModes } from '#component/spec/request-rules.ts'
import { isStreamType } from '#component/syntax/event-stream.ts'
import { essenceOf, isDataType } from '#component/syntax/media-type.ts'
import { isMap } from '#component/syntax/values.ts'
import { checkFolded, type Findings } from './fold-check.ts'
import { freshLevel, type Level } from './scope.ts'

const attemptKeys = ['timeout', 'connect_timeout', 'retries', 'retry_timeout'] as const
const limitKeys = [
  'body_max_bytes',
  'body_max_keys',
  'body_read_bytes',
  'body_read_seconds',
] as const
const validationKeys = ['validate_requests', 'validate_responses'] as const

/** The keys whose value is looked for up the tree (behaviour: Priority of a value). */
const inheritedKeys = [
  ...attemptKeys,
  ...limitKeys,
  ...validationKeys,
  'trace',
  ...policyKeys,
  'accepts',
  'multipart',
  'provides',
  'schemes',
  'errors',
  'security',
  'allow_from',
  'headers',
  'escaped_slashes',
  'final_slash',
] as const
export type InheritedKey = (typeof inheritedKeys)[number]

const inherited = new Set<string>(inheritedKeys)
export const isInheritedKey = (key: string): key is InheritedKey => inherited.has(key)

/** Keys that an action may set, too; its `headers` are not inheritable. */
export const isActionKey = (key: string): boolean =>
  key === 'trace' || attemptKeys.some((name) => name === key)

/** A compiled value and where it is written. */
export interface Found {
  readonly node: Node
  readonly path: string
}

/** One level that may set keys of its own. */
export type Lookup = (key: InheritedKey) => Found | undefined

/** Looks in the merged `defaults`; each default is compiled and checked once. */
export function inDefaults({ maps, scope }: Level, findings: Findings): Lookup {
  const known = new Map<InheritedKey, Found | undefined>()
  const find: Lookup = (key) => {
    const entry = maps.defaults.get(key)
    const node = entry && scope.compileEntry('defaults', key, findings.issues)
    if (!entry || !node) return undefined
    checkFolded(key, entry.value, node, entry.path, findings)
    return { node, path: entry.path }
  }
  return (key) => {
    if (!known.has(key)) known.set(key, find(key))
    return known.get(key)
  }
}

/** The first level that sets the key. */
export const first =
  (...levels: readonly Lookup[]): Lookup =>
  (key) => {
    for (const level of levels) {
      const found = level(key)
      if (found) return found
    }
    return undefined
  }

const notKnown = (key: string): string =>
  `${key} must be known when the specification is loaded: it may not depend on the request`

/** A value that may not depend on the request; undefined when it is absent or has been reported. */
function constantOf(key: string, found: Found | undefined, issues: Issue[]): unknown {
  if (found === undefined || found.node.kind === 'broken') return undefined
  if (found.node.kind === 'constant') return found.node.value
  issues.push({ path: found.path, message: notKnown(key) })
  return undefined
}

const texts = (value: unknown, otherwise: readonly string[]): readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
    ? value
    : otherwise

const problemType = 'application/problem+json'

/** The types that a value can be encoded as. */
function valueTypes(offers: readonly string[]): readonly string[] {
  // most documents name no other, and share the list
  if (!offers.some(isStreamType)) return offers
  const types = offers.filter((type) => !isStreamType(type))
  return types.length > 0 ? types : defaultValues.provides
}

/** Those of the types in which any value can be encoded, as the body of an error must be; the default types where no type can. */
function dataTypesOf(types: readonly string[]): readonly string[] {
  const isData = (type: string) => isDataType(essenceOf(type))
  if (types.every(isData)) return types
  const data = types.filter(isData)
  return data.length > 0 ? data : defaultValues.provides
}

/** The sources of the values that hold at one place. */
export interface ValueSources {
  readonly lookup: Lookup
  /** The keys of an action; they come first. */
  readonly action?: Lookup | undefined
  readonly scope: Scope
  /** The id of the specification. */
  readonly api: string
  readonly realm_uri: string
  readonly version: OfVersion
  /** Milliseconds; holds where nothing sets `timeout`. */
  readonly callTimeout: number
  /** Key to the value of a policy that holds where nothing sets it. */
  readonly policies: Readonly<Record<string, unknown>>
  readonly findings: Findings
}

const nothing: Lookup = () => undefined

/** Reads the values that hold at one place. */
export function readInheritedValues(sources: ValueSources): InheritedValues {
  const { lookup, action = nothing, scope, callTimeout, findings } = sources
  const { issues } = findings
  const accepts = lookup('accepts')
  const provides = lookup('provides')
  const schemes = texts(constantOf('schemes', lookup('schemes'), issues), defaultValues.schemes)
  const security = lookup('security') ?? inVariables(scope, findings)
  const offers = texts(constantOf('provides', provides, issues), defaultValues.provides)
  const provided = valueTypes(offers)
  const dataTypes = dataTypesOf(provided)
  const limits = readLimits(lookup, issues)
  const protection =
    security && protectionOf(constantOf('security', security, issues), { ...sources, limits })
  const sendsProblems = constantOf('errors', lookup('errors'), issues) === 'problem'
  return {
    accepts: texts(constantOf('accepts', accepts, issues), defaultValues.accepts),
    provides: provided,
    offers,
    declares: { accepts: accepts !== undefined, provides: provides !== undefined },
    errorTypes: sendsProblems ? [problemType, ...dataTypes] : [...dataTypes, problemType],
    sendsProblems,
    admitsHttp: schemes.includes('http'),
    protection,
    allowFrom: allowFromOf(constantOf('allow_from', lookup('allow_from'), issues), protection),
    protectedAt: security?.path ?? '',
    attempts: readAttempts(first(action, lookup), callTimeout),
    traceKwargs: readTraceKwargs(first(action, lookup), issues),
    limits,
    validates: readModes(lookup, issues),
    policies: readPolicies(sources),
    ...(scope.probe && { writtenAt: placesOf(first(action, lookup)) }),
  }
}

function readPolicies({
  lookup,
  policies,
  api,
  findings,
}: ValueSources): InheritedValues['policies'] {
  const values = new Map<string, PolicyValue>()
  for (const key of policyKeys) {
    const found = lookup(key)
    const configured = policies[key]
    if (found === undefined && configured !== undefined) {
      values.set(key, { node: constant(configured), path: '' })
    }
    if (found === undefined || found.node.kind === 'broken') continue
    values.set(key, { node: found.node, path: found.path })
  }
  return values.size > 0 ? compilePolicies(values, { api, issues: findings.issues }) : undefined
}

/** How the paths of requests are read at one place. */
export function readPathReading(lookup: Lookup, issues: Issue[]): PathReading {
  const keeps = constantOf('escaped_slashes', lookup('escaped_slashes'), issues) === 'keep'
  const drops = constantOf('final_slash', lookup('final_slash'), issues) === 'drop'
  return keeps || drops ? { keepsSlashes: keeps, dropsFinalSlash: drops } : usual
}

const usual: PathReading = { keepsSlashes: false, dropsFinalSlash: false }

/** Where the values are written. */
const placesOf = (lookup: Lookup): Readonly<Record<string, string>> =>
  Object.fromEntries(
    inheritedKeys.flatMap((key) => {
      const found = lookup(key)
      return found ? [[key, found.path]] : []
    }),
  )

function readAttempts(lookup: Lookup, callTimeout: number): AttemptsPlan {
  const { connect_timeout, retries, retry_timeout } = defaultValues
  const computed: [keyof Attempts, Computed][] = []
  const fixed: Record<keyof Attempts, number> = {
    timeout: callTimeout,
    connect_timeout,
    retries,
    retry_timeout,
  }
  for (const key of attemptKeys) {
    const found = lookup(key)
    if (found === undefined || found.node.kind === 'broken') continue
    const { node, path } = found
    if (node.kind !== 'constant') computed.push([key, { node, path }])
    else if (typeof node.value === 'number') fixed[key] = node.value
  }
  return { fixed, computed }
}

/** The name under which kwargs carry the trace context of their request. */
function readTraceKwargs(lookup: Lookup, issues: Issue[]): string | undefined {
  const value = constantOf('trace', lookup('trace'), issues)
  return isMap(value) && typeof value.kwargs === 'string' ? value.kwargs : undefined
}

function readLimits(lookup: Lookup, issues: Issue[]): ContentLimits {
  const { body_max_bytes, body_max_keys, body_read_bytes, body_read_seconds } = defaultValues
  const limits: Record<(typeof limitKeys)[number], number> = {
    body_max_bytes,
    body_max_keys,
    body_read_bytes,
    body_read_seconds,
  }
  for (const key of limitKeys) {
    const value = constantOf(key, lookup(key), issues)
    if (typeof value === 'number') limits[key] = value
  }
  return { ...limits, multipart: readMultipartLimits(lookup, issues) }
}

function readMultipartLimits(lookup: Lookup, issues: Issue[]): ContentLimits['multipart'] {
  const found = lookup('multipart')
  const value = constantOf('multipart', found, issues)
  if (found === undefined || !isMap(value)) return defaultValues.multipart
  const { comment: _, ...limits } = value
  return { ...defaultValues.multipart, ...limits }
}

/** What becomes of requests and answers that do not fit their schemas. */
function readModes(lookup: Lookup, issues: Issue[]): InheritedValues['validates'] {
  const modeOf = (key: (typeof validationKeys)[number]): ValidationMode => {
    const value = constantOf(key, lookup(key), issues)
    return validationModes.find((mode) => mode === value) ?? defaultValues[key]
  }
  return { requests: modeOf('validate_requests'), responses: modeOf('validate_responses') }
}

/** Behaviour, security objects: `variables.security` is the last source. */
function inVariables(scope: Scope, findings: Findings): Found | undefined {
  const entry = scope.entry('variables', 'security')
  const node = entry && scope.compileEntry('variables', 'security', findings.issues)
  if (!entry || !node) return undefined
  // a variable has no rule of its own, so its literals are checked here
  checkFolded('security', '{{variables.security}}', node, entry.path, findings)
  return { node, path: entry.path }
}

/** The keys that a compiled map sets. */
export const lookupIn =
  (members: Members | undefined, pathOf: (key: string) => string): Lookup =>
  (key) => {
    const node = members?.get(key)
    return node && { node, path: pathOf(key) }
  }

/** The keys of the routes of `openapi`: those of the version, but a security of their own. undefined where nothing is published. */
export function openApiLookup(
  { openapi, path }: Version,
  level: Level,
  findings: Findings,
  hasDocsPage: boolean | undefined,
): Lookup | undefined {
  if (typeof openapi.path !== 'string') return undefined
  // open, unless it says otherwise: the description is not the API
  const { security = {}, docs_path } = openapi
  const at = pointer(path, 'openapi', 'security')
  const node = compile(security, at, level.scope, findings.issues)
  checkFolded('security', security, node, at, findings)
  if (docs_path !== undefined && hasDocsPage === false) {
    const message = 'swagger-ui-dist is not installed: the docs page returns 501'
    findings.warnings.push({ path: pointer(path, 'openapi', 'docs_path'), message })
  }
  const own: Lookup = (key) => (key === 'security' ? { node, path: at } : undefined)
  // paths that inherit the defaults report their issues
  const unreported: Findings = { issues: [], warnings: [] }
  return first(own, inDefaults(freshLevel(level), unreported))
}
