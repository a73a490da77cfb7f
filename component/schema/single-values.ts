/** Which names of texts, query parameters and form fields, have one value: those that a schema judges, unless it reads all their values as a list. */
import { isMap } from '#component/syntax/values.ts'
import { appliedTo } from './coerce.ts'
import { keywords } from './keywords.ts'
import { compilePattern } from './pattern/pattern.ts'
import type { NamedSchemas } from './references.ts'

/** Whether the schemas of a keyword judge the same value. */
const isInPlace = (keyword: string): boolean => keywords.get(keyword)?.isInPlace === true

/** Whether a schema is more than words about a value. */
const judges = (schema: unknown): boolean =>
  isMap(schema) && Object.keys(schema).some((keyword) => !keywords.get(keyword)?.isAnnotation)

/** The members of a map of schemas that judge something. */
const judgingIn = (map: unknown): readonly string[] =>
  isMap(map) ? Object.keys(map).filter((name) => judges(map[name])) : []

/**
 * Whether a schema of texts by name judges the value of a name. A name that is refused, or that no schema judges, has no value that
 * could be judged.
 */
export function judgedNames(schema: unknown, named: NamedSchemas): (name: string) => boolean {
  const names = new Set<string>()
  const tests: ((name: string) => boolean)[] = []
  for (const one of appliedTo(schema, named, isInPlace)) {
    const { properties, patternProperties, additionalProperties, unevaluatedProperties } = one
    // these compare all values
    if (Object.hasOwn(one, 'enum') || Object.hasOwn(one, 'const')) tests.push(() => true)
    for (const name of judgingIn(properties)) names.add(name)
    for (const text of judgingIn(patternProperties)) {
      const pattern = compilePattern(text)
      tests.push((name) => pattern.test(name))
    }
    if (judges(additionalProperties)) {
      const own = new Set(isMap(properties) ? Object.keys(properties) : [])
      tests.push((name) => !own.has(name))
    }
    if (judges(unevaluatedProperties)) tests.push(() => true)
  }
  return (name) => names.has(name) || tests.some((test) => test(name))
}
