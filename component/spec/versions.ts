/** Reads the versions of a document, map or list, with the patterns of their paths. */
import { pointer } from '#component/codec/json.ts'
import { countExamples, maxExamples } from '#component/spec/examples/examples.ts'
import { mcp } from '#component/spec/tools/tool-rules.ts'
import {
  keyedForms,
  type PathPattern,
  type Problem,
  parsePathPattern,
  type Segment,
} from '#component/syntax/path-pattern.ts'
import { isMap, type JsonMap, mapOrEmpty } from '#component/syntax/values.ts'
import type { Steps } from '#component/yielding.ts'
import { cors } from './cors-rule.ts'
import { problemBase } from './errors-rule.ts'
import { scopes } from './inheritable.ts'
import { level } from './levels.ts'
import { lifetimeKeys } from './lifetime-rules.ts'
import type { Path, Version, VersionCors } from './model.ts'
import { path as pathRule } from './operation-rules.ts'
import { checkOperationIds, openapi } from './publication-rules.ts'
import { describe, type Report } from './report.ts'
import {
  boolean,
  integer,
  type JsonSchema,
  listOf,
  mapOrExpression,
  rule,
  string,
  text,
} from './rules.ts'
import { languageProblem, readDate, readDateTime } from './syntax.ts'

/** Behaviour: Limits. */
const maxPaths = 10_000
/** Our own limit, which keeps the routing table small: 10,000 paths with a few optional segments need as many. */
const maxForms = 100_000

const { is_deprecated, deprecated_at, sunset } = lifetimeKeys

/** Stands for a broken base_path: no pattern begins with it, so no path below it is routed. */
const noBasePath = '?'

const versionRule = level('a version', {
  keys: {
    version: string,
    base_path: rule({ type: 'string' }, () => {}), // read below
    paths: rule({ type: 'object', additionalProperties: pathRule.schema }, () => {}), // read below
    is_active: boolean,
    is_deprecated,
    deprecated_at,
    pool_size: integer(1, Number.MAX_SAFE_INTEGER),
    info: level('info', { keys: { title: string, description: string, sunset } }, 'a map'),
    languages: listOf(
      text('a language code such as "en"', languageProblem),
      'a list of language codes',
    ),
    openapi,
    problem_base: problemBase,
    cors,
    mcp,
    ...scopes,
  },
  required: {
    base_path: 'a path pattern such as "/v1" or "/[v1]"',
    paths: 'a map of path patterns to paths',
  },
})

/** The versions of a document, as editors see them. */
export const versionsSchema: JsonSchema = {
  anyOf: [
    { type: 'object', additionalProperties: versionRule.schema, minProperties: 1 },
    { type: 'array', items: versionRule.schema, minItems: 1 },
  ],
}

/** The label of a version in the map of `versions` (behaviour: API Specifications, first point). */
export function versionLabel(version: JsonMap): string {
  if (typeof version.version === 'string') return version.version
  let label = ''
  for (const character of typeof version.base_path === 'string' ? version.base_path : '') {
    if (!'/[]'.includes(character)) label += character
  }
  return label
}

/** Counts for limits on the whole document. */
interface Totals {
  paths: number
  forms: number
  examples: number
  readonly hostForms: number
}

/**
 * Reads `versions`; a version that is not a map is left out.
 * @param hostForms the number of forms of the API's host pattern
 */
export function* readVersions(
  versions: unknown,
  hostForms: number,
  report: Report,
): Steps<Version[]> {
  if (versions === undefined) return []
  const allowed = 'a map of labels to versions, or a list of versions'
  if (!isMap(versions) && !Array.isArray(versions)) {
    report.expected('/versions', allowed, versions)
    return []
  }
  const entries = Object.entries(versions)
  if (entries.length === 0) {
    report.issue('/versions', 'expected at least one version, got none')
    return []
  }
  const totals: Totals = { paths: 0, forms: 0, examples: 0, hostForms }
  const labels = new Map<string, string>()
  const read: Version[] = []
  for (const [key, version] of entries) {
    const path = pointer('/versions', key)
    versionRule(version, path, report)
    if (!isMap(version)) continue
    checkLifetime(version, path, report)
    const label = Array.isArray(versions) ? versionLabel(version) : key
    const other = labels.get(label)
    if (label === '__proto__') report.issue(path, 'the label __proto__ is not allowed')
    if (other !== undefined)
      report.issue(path, `the label ${describe(label)} is already used by ${other}`)
    labels.set(label, path)
    read.push(yield* readVersion(version, label, path, totals, report))
  }
  return read
}

/** RFC 9745 §4: a version does not end before it is deprecated. */
function checkLifetime(version: JsonMap, path: string, report: Report): void {
  const since = dateOf(version.deprecated_at, readDateTime)
  if (since === undefined) return
  if (version.is_deprecated === false) {
    const message = 'is_deprecated is false: remove one of the two keys'
    report.issue(pointer(path, 'deprecated_at'), message)
  }
  const end = dateOf(mapOrEmpty(version.info).sunset, readDate)
  if (end !== undefined && end < since) {
    report.warn(pointer(path, 'info', 'sunset'), 'the date is earlier than deprecated_at')
  }
}

const dateOf = (value: unknown, read: (text: string) => number | undefined): number | undefined =>
  typeof value === 'string' ? read(value) : undefined

function* readVersion(
  version: JsonMap,
  label: string,
  path: string,
  totals: Totals,
  report: Report,
): Steps<Version> {
  const base_path = readBasePath(version, path, report)
  const { pool_size, languages } = version
  const deprecated_at = dateOf(version.deprecated_at, readDateTime)
  const paths = yield* readPaths(version, base_path, pointer(path, 'paths'), totals, report)
  checkOperationIds(paths, report)
  return {
    label,
    path,
    base_path: base_path ?? noBasePath,
    is_active: version.is_active !== false,
    is_deprecated: version.is_deprecated === true || deprecated_at !== undefined,
    deprecated_at,
    pool_size: typeof pool_size === 'number' ? pool_size : 200,
    info: mapOrEmpty(version.info),
    languages: Array.isArray(languages) ? languages : ['en'],
    variables: mapOrEmpty(version.variables),
    defaults: mapOrExpression(version.defaults),
    status_codes: mapOrEmpty(version.status_codes),
    openapi: mapOrEmpty(version.openapi),
    ...(isMap(version.mcp) && { mcp: version.mcp }),
    ...(isMap(version.cors) && { cors: version.cors as unknown as VersionCors }),
    ...(typeof version.problem_base === 'string' && { problem_base: version.problem_base }),
    paths,
  }
}

/** Without a trailing slash, so that `base_path + path` is the pattern of a path; undefined when it is broken. */
function readBasePath(version: JsonMap, path: string, report: Report): string | undefined {
  if (!Object.hasOwn(version, 'base_path')) return undefined
  const at = pointer(path, 'base_path')
  const { base_path } = version
  if (typeof base_path !== 'string') {
    report.expected(at, 'a path pattern', base_path)
    return undefined
  }
  const parsed = parsePathPattern(base_path)
  const problem =
    'problem' in parsed
      ? parsed.problem
      : parsed.forms.some((form) => form.at(-1)?.kind === 'rest')
        ? '"[...]" is allowed only at the end of a path'
        : undefined
  if (problem !== undefined) {
    report.issue(at, `expected a path pattern, got ${describe(base_path)}: ${problem}`)
    return undefined
  }
  return base_path.endsWith('/') ? base_path.slice(0, -1) : base_path
}

function* readPaths(
  version: JsonMap,
  base_path: string | undefined,
  at: string,
  totals: Totals,
  report: Report,
): Steps<Path[]> {
  if (!Object.hasOwn(version, 'paths')) return []
  if (!isMap(version.paths)) {
    report.expected(at, 'a map of path patterns to paths', version.paths)
    return []
  }
  const read: Path[] = []
  for (const [key, document] of Object.entries(version.paths)) {
    yield
    totals.paths += 1
    if (totals.paths > maxPaths) {
      report.issue(at, `expected at most ${maxPaths} paths in the document, got more`)
      return read
    }
    const path = pointer(at, key)
    const pattern = key.startsWith('/') ? key : `/${key}`
    const { problem, forms } = readPattern(base_path, pattern, totals)
    if (problem !== undefined) {
      report.issue(path, `expected a path pattern, got ${describe(key)}: ${problem}`)
    } else if (pattern !== key) {
      report.warn(path, `${describe(key)} is taken as ${describe(pattern)}: a path begins with "/"`)
    }
    pathRule(document, path, report)
    totals.examples += countExamples(document)
    if (totals.examples > maxExamples) {
      report.issue(at, `expected at most ${maxExamples} examples in the document, got more`)
    }
    // a path with a broken pattern is compiled, too, to find further issues
    if (isMap(document) && totals.forms <= maxForms) {
      read.push({ pattern, path, forms, document })
    }
  }
  return read
}

/** The forms of a path's pattern under its base_path, and the problem of the pattern, alone or there. */
function readPattern(
  base_path: string | undefined,
  pattern: string,
  totals: Totals,
): { readonly problem: string | undefined; readonly forms: Path['forms'] } {
  const whole = parsePathPattern((base_path ?? noBasePath) + pattern)
  const forms = 'problem' in whole ? [] : keyedForms(whole)
  return { problem: patternProblem(base_path, pattern, whole, totals), forms }
}

function patternProblem(
  base_path: string | undefined,
  pattern: string,
  whole: PathPattern | Problem,
  totals: Totals,
): string | undefined {
  if (pattern === '/') return 'the path "/" is not allowed'
  // a pattern that is valid behind its base_path is valid alone
  if ('problem' in whole) {
    const own = parsePathPattern(pattern)
    if ('problem' in own) return own.problem
  }
  if (base_path === undefined) return undefined
  if ('problem' in whole) return `with its base_path, ${whole.problem}`
  totals.forms += whole.forms.length * totals.hostForms
  if (totals.forms > maxForms) {
    return `the optional segments and labels of the document expand to more than ${maxForms} routes`
  }
  return reservedProblem(whole)
}

/** Why a pattern is reserved for the gateway itself; undefined when it is not. */
export function reservedProblem({ forms }: PathPattern): string | undefined {
  const isReserved = ([first, second]: readonly Segment[]): boolean =>
    first?.kind === 'literal' && first.text === 'ws' && second === undefined
  return forms.some(isReserved) ? '"/ws" is reserved for WebSocket connections' : undefined
}
