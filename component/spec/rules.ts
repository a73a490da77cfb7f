/** Building blocks of rules; a rule checks one value and reports its issues. */
import { entriesAt, pointer } from '#component/codec/json.ts'
import { isMap, type JsonMap, mapOrEmpty } from '#component/syntax/values.ts'
import type { Report } from './report.ts'

/**
 * A JSON Schema (draft 2020-12) for editors. It allows all that the rule allows; it refuses unknown keys, which the rule only
 * warns of; what no schema can say it leaves out.
 */
export type JsonSchema = Readonly<Record<string, unknown>>

type Check = (value: unknown, path: string, report: Report) => void

/** Checks the value at a JSON Pointer. */
export interface Rule extends Check {
  readonly schema: JsonSchema
}

/** Makes a rule of its schema and its check, which becomes the rule. */
export const rule = (schema: JsonSchema, check: Check): Rule => Object.assign(check, { schema })

/** What editors and docs say of a value, in keywords of JSON Schema. */
interface Annotations {
  readonly default?: unknown
  /** Values that the rule accepts. */
  readonly examples?: readonly unknown[]
  /** The name of a map with keys of its own. */
  readonly title?: string
}

/** The same rule, and what editors and docs say of the value. */
export const described = (known: Rule, description: string, annotations: Annotations = {}): Rule =>
  rule({ ...known.schema, description, ...annotations }, (value, path, report) =>
    known(value, path, report),
  )

/** A template, whose value is not known before it is evaluated (behaviour: Expressions, first point). */
export const isExpression = (value: unknown): boolean =>
  typeof value === 'string' &&
  (value.includes('{{') || (value.length > 1 && value.startsWith('"') && value.endsWith('"')))

/** A map, or an expression that may yield one; else an empty map. */
export const mapOrExpression = (value: unknown): JsonMap | string =>
  typeof value === 'string' && isExpression(value) ? value : mapOrEmpty(value)

/** The value must pass a test; `allowed` describes the values that do. */
export const must = (
  allowed: string,
  test: (value: unknown) => boolean,
  schema: JsonSchema = {},
): Rule =>
  rule(schema, (value, path, report) => {
    if (!test(value)) report.expected(path, allowed, value)
  })

/** A text without a problem; the problem that is found ends the sentence of the issue. */
export const text = (
  allowed: string,
  problem: (text: string) => string | undefined,
  display: 'shown' | 'hidden' = 'shown',
): Rule =>
  rule({ type: 'string', description: sentence(allowed) }, (value, path, report) => {
    if (typeof value !== 'string') return report.expected(path, allowed, value)
    const found = problem(value)
    if (found === undefined) return
    const got = display === 'shown' ? report.got(value) : ''
    report.issue(path, `expected ${allowed}${got}: ${found}`)
  })

const sentence = (words: string): string => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`

export const map = must('a map', isMap, { type: 'object' })
/** The schema of `{}`. */
export const emptyMap: JsonSchema = { type: 'object', maxProperties: 0 }

export const list = must('a list', Array.isArray, { type: 'array' })
export const string = must('a string', (value) => typeof value === 'string', { type: 'string' })
export const boolean = must('true or false', (value) => typeof value === 'boolean', {
  type: 'boolean',
})

/** Allows any value. */
export const anything: Rule = rule({}, () => {})

const expression: JsonSchema = {
  title: 'Expression',
  type: 'string',
  pattern: '\\{\\{|^".*"$',
}

/** Does not check an expression. */
export const dynamic = (known: Rule): Rule =>
  rule({ anyOf: [known.schema, expression] }, (value, path, report) => {
    if (!isExpression(value)) known(value, path, report)
  })

/** An integer; `unit` completes the sentence. */
export const integer = (minimum: number, maximum: number, unit = ''): Rule =>
  must(
    maximum === Number.MAX_SAFE_INTEGER
      ? `an integer${unit} of at least ${minimum}`
      : `an integer${unit} from ${minimum} to ${maximum}`,
    (value) => Number.isInteger(value) && Number(value) >= minimum && Number(value) <= maximum,
    { type: 'integer', minimum, maximum },
  )

/** One of some texts. */
export const oneOf = (values: readonly string[]): Rule =>
  rule({ enum: values }, (value, path, report) => {
    if (!values.includes(value as string)) report.noneOf(path, values, value)
  })

/** A list, each member checked by a rule. */
export const listOf = (member: Rule, allowed: string, minimum: 0 | 1 = 1): Rule =>
  rule({ type: 'array', items: member.schema, minItems: minimum }, (value, path, report) => {
    if (!Array.isArray(value)) return report.expected(path, allowed, value)
    if (value.length < minimum) return report.issue(path, `expected ${allowed}, got an empty list`)
    value.forEach((item, index) => {
      member(item, `${path}/${index}`, report)
    })
  })

/**
 * A map with any keys, each value checked by a rule.
 * @param problemOf what is wrong with a key; undefined: nothing
 * @param names the schema of the keys
 */
export const mapOf = (
  member: Rule,
  allowed = 'a map',
  problemOf: (key: string) => string | undefined = () => undefined,
  names?: JsonSchema,
): Rule =>
  rule(
    {
      type: 'object',
      ...(names && { propertyNames: names }),
      additionalProperties: member.schema,
    },
    (value, path, report) => {
      if (!isMap(value)) return report.expected(path, allowed, value)
      for (const [key, item, at] of entriesAt(value, path)) {
        const problem = problemOf(key)
        if (problem === undefined) member(item, at, report)
        else report.issue(at, problem)
      }
    },
  )

/** The rules of the keys of a map, and descriptions of its required keys. */
export interface Shape {
  /** By keys without `~` and `/`, which are written alike in a JSON Pointer. */
  readonly keys: Readonly<Record<string, Rule>>
  readonly required?: Readonly<Record<string, string>>
  /** Keys of which exactly one must be there, described alike; the first one is named where none is. */
  readonly either?: Readonly<Record<string, string>>
  /** What the author is told of an unknown key; undefined: nothing. */
  homeOf?(key: string): string | undefined
  /** Whether an unknown key is an issue: its author believes that it protects something. */
  readonly isClosed?: true
}

/** A map with known keys; of unknown ones the author is warned, or they are issues. */
export function object(allowed: string, shape: Shape): Rule {
  const known = Object.keys(shape.keys)
  const required = Object.entries(shape.required ?? {})
  const either = Object.entries(shape.either ?? {})
  return rule(shapeSchema(shape), (value, path, report) => {
    if (!isMap(value)) return report.expected(path, allowed, value)
    for (const [key, wanted] of required) {
      if (!Object.hasOwn(value, key)) report.missing(path, key, wanted)
    }
    const given = either.filter(([key]) => Object.hasOwn(value, key))
    const [[first, wanted] = []] = either
    if (first !== undefined && wanted !== undefined && given.length === 0) {
      report.missing(
        path,
        first,
        `${wanted}, or ${either
          .slice(1)
          .map(([key]) => key)
          .join(', ')}`,
      )
    }
    for (const [key] of given.slice(1)) {
      report.issue(pointer(path, key), `${given[0]?.[0]} is there, too: give only one of them`)
    }
    for (const key of Object.keys(value)) {
      if (Object.hasOwn(shape.keys, key)) shape.keys[key]?.(value[key], `${path}/${key}`, report)
    }
    report.unknownKeys(value, path, known, shape.homeOf, shape.isClosed ? 'issue' : 'warning')
  })
}

/** `comment` is for people: real documents have it. */
const shapeSchema = ({ keys, required = {}, either }: Shape): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(Object.entries(keys).map(([key, { schema }]) => [key, schema])),
  patternProperties: { '^comment$': {} },
  required: Object.keys(required),
  ...(either && { oneOf: Object.keys(either).map((key) => ({ required: [key] })) }),
  additionalProperties: false,
})

/**
 * A map whose `type` determines its other keys. An unknown type is its only issue; a computed type is checked when it is
 * known.
 */
export function variants(allowed: string, shapes: Readonly<Record<string, Shape>>): Rule {
  const type = oneOf(Object.keys(shapes))
  const rules = new Map<unknown, Rule>()
  for (const [name, shape] of Object.entries(shapes)) {
    rules.set(name, object(allowed, { ...shape, keys: { type, ...shape.keys } }))
  }
  const schema = {
    type: 'object',
    properties: { type: dynamic(type).schema },
    required: ['type'],
    allOf: [...rules].map(([name, known]) => ({
      if: { properties: { type: { const: name } } },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: known.schema,
    })),
  }
  return rule(schema, (value, path, report) => {
    if (!isMap(value)) return report.expected(path, allowed, value)
    if (!Object.hasOwn(value, 'type')) {
      return report.missing(path, 'type', `one of ${Object.keys(shapes).join(', ')}`)
    }
    if (isExpression(value.type)) return
    const known =
      rules.get(value.type) ?? ((map) => type((map as JsonMap).type, pointer(path, 'type'), report))
    known(value, path, report)
  })
}
