/** Compares what an example expects with what was found, member by member. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import type { SentFrame } from '#component/explain/rehearsal.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { differences, misfits, type SchemaCheck, shown } from './differences.ts'

/**
 * What differs; of each frame only the members that are named are compared.
 * @param at JSON Pointer of `frames`
 */
function frameProblems(
  expected: readonly JsonMap[],
  found: readonly SentFrame[],
  at: string,
  check: SchemaCheck,
): readonly Issue[] {
  const compared = expected
    .slice(0, found.length)
    .flatMap((each, index) =>
      problemsOf(each, found[index] as SentFrame, pointer(at, index), check),
    )
  const unfound = expected.slice(found.length).map((each, index) => ({
    path: pointer(at, found.length + index),
    message: `expected ${shown(each)}, found no more frames`,
  }))
  const [first] = found.slice(expected.length)
  const unexpected = first
    ? [
        {
          path: at,
          message: `expected ${expected.length} frames, found ${found.length}: the next one is ${shown(first)}`,
        },
      ]
    : []
  return [...compared, ...unfound, ...unexpected]
}

function problemsOf(
  expected: JsonMap,
  frame: SentFrame,
  at: string,
  check: SchemaCheck,
): readonly Issue[] {
  const found: JsonMap = { id: null, event: null, ...frame }
  return Object.entries(expected).flatMap(([name, value]) => {
    const path = pointer(at, name)
    if (name === 'data_matches') return misfits(value, frame.data, path, check, 'the data')
    return Object.hasOwn(found, name) ? differences(value, found[name], path) : []
  })
}

/** What became of an example. */
export interface Found {
  readonly status: number
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | readonly string[]>>
  /** The decoded body; `""` for none. */
  readonly body: unknown
  /** Of a stream, in order; undefined: the answer is none. */
  readonly frames: readonly SentFrame[] | undefined
  /** Whether the gateway cuts the connection of the stream. */
  readonly isCut?: boolean | undefined
  /** What each action was told, in order. */
  readonly actions: readonly JsonMap[]
  /** The code of the error that the answer tells of. */
  readonly errorCode: string | undefined
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

/** Why there is no body to compare; undefined: there is one. */
function noBody({ frames, isCut, body }: Found, at: string): readonly Issue[] | undefined {
  if (frames) {
    const message = 'expected a body, found a stream, whose frames are compared with "frames"'
    return [{ path: at, message }]
  }
  if (!isCut) return undefined
  return [{ path: at, message: `expected a whole body, found one that is cut: ${shown(body)}` }]
}

const comparisons: Readonly<Record<string, Comparison>> = {
  status: (expected, { status }, at) => differences(expected, status, at),
  headers: (expected, { headers }, at) =>
    Object.entries(expected as JsonMap).flatMap(([name, value]) =>
      headerProblems(value, headers[name.toLowerCase()], pointer(at, name)),
    ),
  body: (expected, found, at) => noBody(found, at) ?? differences(expected, found.body, at),
  body_matches: (expected, found, at, check) =>
    noBody(found, at) ?? misfits(expected, found.body, at, check, 'the body'),
  frames: (expected, { frames, status }, at, check) =>
    frames
      ? frameProblems(expected as readonly JsonMap[], frames, at, check)
      : [{ path: at, message: `expected a stream, found another response of status ${status}` }],
  action: (expected, { actions }, at) => actionProblems(expected, actions, at),
  error_code: (expected, { errorCode }, at) =>
    errorCode === undefined
      ? [{ path: at, message: `expected the error ${shown(expected)}, found no error` }]
      : differences(expected, errorCode, at),
}

/** What differs between a header field and what is expected of it; null: there is none. */
export function headerProblems(
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

/** What differs of the actions that ran; of each only the members that are named are compared. */
export function actionProblems(
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
  const byName = new Map(actions.map((action) => [action.branch, action]))
  const names = Object.keys(expected as JsonMap)
  if (!Array.isArray(expected) && names.every((name) => byName.has(name))) {
    return names.flatMap((name) => {
      const one = (expected as JsonMap)[name] as JsonMap
      return membersOf(one, byName.get(name) as JsonMap, pointer(at, name))
    })
  }
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
