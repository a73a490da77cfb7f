/** Compares what an example of a procedure expects with what its caller gets, member by member. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { type JsonMap, mapOrEmpty, memberOf } from '#component/syntax/values.ts'
import { differences, shown } from './differences.ts'
import { actionProblems } from './expectations.ts'

/** What became of an example of a procedure. */
export interface FoundCall {
  readonly args: readonly unknown[]
  readonly kwargs: JsonMap
  /** Of an error. */
  readonly error_uri?: string
  /** What each action was told, in order. */
  readonly actions: readonly JsonMap[]
}

/**
 * The expectations that do not hold.
 * @param expect of valid shape
 * @param at its JSON Pointer
 */
export const unmetByCall = (expect: JsonMap, found: FoundCall, at: string): readonly Issue[] =>
  Object.entries(expect).flatMap(([name, value]) => {
    const compare = Object.hasOwn(comparisons, name) ? comparisons[name] : undefined
    return compare ? compare(value, found, pointer(at, name)) : []
  })

const comparisons: Readonly<
  Record<string, (expected: unknown, found: FoundCall, at: string) => readonly Issue[]>
> = {
  result: (expected, found, at) =>
    found.error_uri === undefined
      ? Object.entries(mapOrEmpty(expected)).flatMap(([name, value]) =>
          differences(value, memberOf(found, name), pointer(at, name)),
        )
      : [{ path: at, message: `expected a result, found ${toldError(found)}` }],
  error_uri(expected, found, at) {
    const { error_uri = null, args, kwargs } = found
    if (error_uri === expected) return []
    if (error_uri !== null)
      return [{ path: at, message: `expected ${toldUri(expected)}, found ${toldError(found)}` }]
    const message = `expected ${toldUri(expected)}, found the result ${shown({ args, kwargs })}`
    return [{ path: at, message }]
  },
  action: (expected, { actions }, at) => actionProblems(expected, actions, at),
}

const toldUri = (uri: unknown): string => (uri === null ? 'no error' : `the error ${shown(uri)}`)

const toldError = ({ error_uri, args, kwargs }: FoundCall): string =>
  `the error ${shown(error_uri)} ${shown({ args, kwargs })}`
