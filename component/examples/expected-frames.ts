/** Compares the frames that an example expects of a stream with those that were found. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import type { SentFrame } from '#component/explain/rehearsal.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { differences, misfits, type SchemaCheck, shown } from './differences.ts'

/**
 * What differs; of each frame only the members that are named are compared.
 * @param at JSON Pointer of `frames`
 */
export function frameProblems(
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
