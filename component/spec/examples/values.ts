/** The rules of values that several members of an example share. */
import { pointer } from '#component/codec/json.ts'
import { must, object, type Rule, rule, type Shape } from '#component/spec/rules.ts'
import { isToken } from '#component/syntax/http-field.ts'
import { isMap, mapOrEmpty } from '#component/syntax/values.ts'

const scalarTypes = ['string', 'number', 'bigint', 'boolean']
/** Whether the value is a text, a number, true or false. */
export const isScalar = (value: unknown): boolean => scalarTypes.includes(typeof value)

/** A text, a number, true or false. */
export const scalar = must('a text, a number, true or false', isScalar, {
  type: ['string', 'number', 'boolean'],
})

/** A rule for values that another rule may stand for, by their type. */
export const either = (first: Rule, isFirst: (value: unknown) => boolean, other: Rule): Rule =>
  rule({ anyOf: [first.schema, other.schema] }, (value, path, report) =>
    (isFirst(value) ? first : other)(value, path, report),
  )

/** A map that has at most one key of each pair. */
export const exclusive = (
  allowed: string,
  shape: Shape,
  pairs: readonly (readonly [key: string, other: string, why: string])[],
): Rule => {
  const known = object(allowed, shape)
  return rule(known.schema, (value, path, report) => {
    known(value, path, report)
    for (const [key, other, why] of pairs) {
      const map = mapOrEmpty(value)
      const hasBoth = Object.hasOwn(map, key) && Object.hasOwn(map, other)
      if (hasBoth) report.issue(pointer(path, other), why)
    }
  })
}

/** A map of header fields: their names are tokens, in any case. */
export const fields = (value: Rule): Rule =>
  rule({ type: 'object', additionalProperties: value.schema }, (found, path, report) => {
    if (!isMap(found)) return report.expected(path, 'a map of header names to values', found)
    for (const [name, item] of Object.entries(found)) {
      const at = pointer(path, name)
      if (isToken(name)) value(item, at, report)
      else report.issue(at, 'the name of a header may hold only letters, digits, "-" and the like')
    }
  })
