/** Functions that convert a value to another type, and to JSON and back. */

import { parseJson } from '#component/codec/json.ts'
import { ExpressionError, ServiceError } from '#component/errors.ts'
import { charge, treeSize } from '#component/expression/budget.ts'
import type { Site } from '#component/expression/site.ts'
import { jsonOf, textOf } from '#component/expression/text.ts'
import { floatOf, integerOf } from './decimal.ts'
import { type FunctionTable, ofAnything, ofScalar, ofText } from './function.ts'

/** The booleans by their texts; undefined for anything else. */
export function booleanOf(value: unknown): boolean | undefined {
  const text = String(value)
  if (text === 'true' || text === '1') return true
  return text === 'false' || text === '0' ? false : undefined
}

/** What {@link booleanOf} takes, in words. */
export const wantedBoolean = 'true, false, 1, 0 or the text of one of these'

/** The value of a JSON text within the limits of bodies; undefined if the text is no JSON. */
function valueOfJson(text: string, site: Site): unknown {
  charge(text.length, site)
  try {
    const value = parseJson(text)
    charge(treeSize(value), site)
    return value
  } catch (error) {
    if (error instanceof ServiceError && !(error instanceof ExpressionError)) return undefined
    throw error
  }
}

/** By name. */
export const conversions: FunctionTable = {
  integer: {
    ...ofScalar,
    wanted: 'a number, or the text of a decimal number, of at most 64 bits',
    apply: integerOf,
  },
  float: {
    ...ofScalar,
    wanted: 'a number, or the text of a decimal number, that a float can hold',
    apply: floatOf,
  },
  boolean: { ...ofScalar, wanted: wantedBoolean, apply: booleanOf },
  string: { ...ofAnything, wanted: 'a value that JSON can hold', apply: textOf },
  to_json: {
    ...ofAnything,
    wanted: 'a value that JSON can hold',
    takesEmpty: true,
    apply: jsonOf,
  },
  from_json: {
    ...ofText,
    wanted: 'the text of JSON, within the limits of a body',
    apply: valueOfJson,
  },
}
