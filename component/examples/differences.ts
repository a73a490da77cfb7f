/** Tells what differs between what an example expects and what was found. */
import { stringifyJson } from '#component/codec/json.ts'
import { type Difference, differencesBetween } from '#component/codec/json-diff.ts'
import type { Issue } from '#component/errors.ts'

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

/** What of a value does not fit a JSON Schema. @param what the name of the value in a sentence */
export const misfits = (
  schema: unknown,
  value: unknown,
  at: string,
  check: SchemaCheck,
  what: string,
): readonly Issue[] =>
  (check(schema, value, '') ?? []).map(({ path, message }) => ({
    path: at,
    message: `${path || what}: ${message}`,
  }))

/** What differs between two values, each at its own place. */
export function differences(expected: unknown, found: unknown, at: string): readonly Issue[] {
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
