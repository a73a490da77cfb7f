/** Which names of texts, query parameters and form fields, have one value: those that a schema judges, unless it reads all their values as a list. */
import { isMap } from '#component/syntax/values.ts'
import { keywords, partsOf } from './keywords.ts'
import { compilePattern } from './pattern/pattern.ts'
import { type NamedSchemas, resolve } from './references.ts'

/** Each schema that may judge the value of a schema: itself, those of `$ref`, and those of all keywords that are in place. */
function* judging(
  schema: unknown,
  named: NamedSchemas,
  seen: Set<unknown> = new Set(),
): Generator<Readonly<Record<string, unknown>>> {
  if (!isMap(schema) || seen.has(schema)) return
  seen.add(schema)
  yield schema
  if (typeof schema.$ref === 'string') {
    const target = resolve(schema.$ref, named)
    if (typeof target !== 'string') yield* judging(target.schema, named, seen)
  }
  for (const part of partsOf(schema)) {
    if (keywords.get(part.keyword)?.isInPlace) yield* judging(part.schema, named, seen)
  }
}

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
  for (const one of judging(schema, named)) {
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
