/** Compares what an example expects with what was found, member by member. */
import { pointer, stringifyJson } from '#component/codec/json.ts'
import { type Difference, differencesBetween } from '#component/codec/json-diff.ts'
import type { Issue } from '#component/errors.ts'
import type { JsonMap } from '#component/syntax/values.ts'

/** What became of an example. */
export interface Found {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The decoded body; `""` for none. */
  readonly body: unknown
  /** What each action was told, in order. */
  readonly actions: readonly JsonMap[]
  /** The code of the error that the answer tells of. */
  readonly errorCode: string | undefined
}

/** The mistakes of a value against a JSON Schema; undefined when it fits. */
export type SchemaCheck = (
  schema: unknown,
  value: unknown,
  at: string,
) => readonly Issue[] | undefined

/** At most this many differences of one member are told. */
const maxTold = 10

/** Characters of a value that are shown. */
const shownLength = 200

/** A value as JSON, cut where it is long. */
export function shown(value: unknown): string {
  const text = stringifyJson(value)
  return text.length > shownLength ? `${text.slice(0, shownLength)}…` : text
}

/**
 * The expectations that do not hold.
 * @param expect of valid shape
 * @param at its JSON Pointer
 */
export function unmet(
  expect: JsonMap,
  found: Found,
  at: string,
  check: SchemaCheck,
): readonly Issue[] {
  return Object.entries(expect).flatMap(([name, value]) => {
    const compare = Object.hasOwn(comparisons, name) ? comparisons[name] : undefined
    return compare ? compare(value, found, pointer(at, name), check) : []
  })
}

type Comparison = (
  expected: unknown,
  found: Found,
  at: string,
  check: SchemaCheck,
) => readonly Issue[]

const comparisons: Readonly<Record<string, Comparison>> = {
  status: (expected, { status }, at) => differences(expected, status, at),
  headers: (expected, { headers }, at) =>
    Object.entries(expected as JsonMap).flatMap(([name, value]) =>
      headerProblems(value, headers[name.toLowerCase()], pointer(at, name)),
    ),
  body: (expected, { body }, at) => differences(expected, body, at),
  body_matches: (expected, { body }, at, check) =>
    (check(expected, body, '') ?? []).map(({ path, message }) => ({
      path: at,
      message: `${path || 'the body'}: ${message}`,
    })),
  action: (expected, { actions }, at) => actionProblems(expected, actions, at),
  error_code: (expected, { errorCode }, at) =>
    errorCode === undefined
      ? [{ path: at, message: `expected the error ${shown(expected)}, found no error` }]
      : differences(expected, errorCode, at),
}

function headerProblems(
  expected: unknown,
  found: string | readonly string[] | undefined,
  at: string,
): readonly Issue[] {
  if (expected === null) {
    return found === undefined
      ? []
      : [{ path: at, message: `expected no such header, found ${shown(found)}` }]
  }
  if (found === undefined)
    return [{ path: at, message: `expected ${shown(expected)}, found no such header` }]
  const values = typeof found === 'string' ? [found] : found
  if (Array.isArray(expected)) return differences(expected, values, at)
  return differences(String(expected), values.length === 1 ? values[0] : values, at)
}

function actionProblems(
  expected: unknown,
  actions: readonly JsonMap[],
  at: string,
): readonly Issue[] {
  if (expected === null) {
    const [first] = actions
    return first
      ? [{ path: at, message: `expected that the action is not reached, found ${shown(first)}` }]
      : []
  }
  if (actions.length === 0)
    return [{ path: at, message: 'expected an action, which was not reached' }]
  if (!Array.isArray(expected)) return membersOf(expected as JsonMap, actions.at(-1) as JsonMap, at)
  const few = actions.length - expected.length
  const count =
    few === 0
      ? []
      : [{ path: at, message: `expected ${expected.length} actions, found ${actions.length}` }]
  const compared = expected
    .slice(0, actions.length)
    .flatMap((each: JsonMap, index) =>
      membersOf(each, actions[index] as JsonMap, pointer(at, index)),
    )
  return [...count, ...compared]
}

/** Only the members that are named. */
const membersOf = (expected: JsonMap, found: JsonMap, at: string): readonly Issue[] =>
  Object.entries(expected).flatMap(([name, value]) => {
    const path = pointer(at, name)
    if (Object.hasOwn(found, name)) return differences(value, found[name], path)
    const known = Object.keys(found).join(', ')
    return [{ path, message: `expected ${shown(value)}; the action is told only ${known}` }]
  })

/** What differs between two values, each at its own place. */
function differences(expected: unknown, found: unknown, at: string): readonly Issue[] {
  const all = differencesBetween(expected, found, at)
  const told = all.slice(0, maxTold).map(tell)
  const rest = all.length - told.length
  return rest > 0 ? [...told, { path: at, message: `and ${rest} more differences` }] : told
}

function tell({ path, kind, from, to }: Difference): Issue {
  const expected = kind === 'added' ? 'nothing' : shown(from)
  const found = kind === 'removed' ? 'nothing' : shown(to)
  return { path, message: `expected ${expected}, found ${found}` }
}
