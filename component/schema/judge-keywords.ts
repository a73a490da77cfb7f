/** Judges one schema by itself: its keywords and their values, and how large it is. */
import { pointer } from '#component/codec/json.ts'
import type { Issue } from '#component/errors.ts'
import { didYouMean } from '#component/expression/suggest.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { formats } from './formats.ts'
import { keywords, mostUniqueItems, partsOf, typeNames } from './keywords.ts'
import { type NamedSchemas, resolve } from './references.ts'

/** What was found: issues refuse the document, warnings do not. */
export interface Findings {
  readonly issues: Issue[]
  readonly warnings: Issue[]
}

/** How large a schema is. */
export interface SchemaFacts {
  /** Of its canonical text. */
  readonly characters: number
  subschemas: number
  levels: number
  /** Of its compiled patterns. */
  instructions: number
  readonly patterns: { readonly pattern: string; readonly at: string }[]
}

const draft = 'https://json-schema.org/draft/2020-12/schema'

/** Of one schema, without what it refers to: the time that ajv and V8 take to compile it grows with the square. */
const mostSubschemas = 500
const mostLevels = 64

/** Warnings of one document. */
const mostWarnings = 1_000

/** Keywords that are refused, and why. */
const refused: Readonly<Record<string, string>> = {
  $id: 'a schema has its name in `schemas`, and no URL',
  $anchor: 'refer to a schema by #/schemas/<name>',
  $dynamicRef: 'use $ref',
  $dynamicAnchor: 'refer to a schema by #/schemas/<name>',
  $recursiveRef: 'use $ref',
  $recursiveAnchor: 'refer to a schema by #/schemas/<name>',
  $vocabulary: 'the vocabulary is that of draft 2020-12',
  $async: 'a check never waits',
  $data: 'a limit is written in the schema, and not taken from the value',
}

/** What other drafts and OpenAPI call something. */
const elsewhere: Readonly<Record<string, string>> = {
  definitions: '$defs in draft 2020-12',
  dependencies: 'dependentRequired or dependentSchemas in draft 2020-12',
  additionalItems: 'items beside prefixItems in draft 2020-12',
  nullable: '"type": [<type>, "null"] in draft 2020-12',
}

/** Keywords of OpenAPI that only document. */
const ofOpenApi = ['example', 'xml', 'externalDocs']

/** Judges a schema without what it refers to. */
export function judgeKeywords(
  { schema, at }: { readonly schema: unknown; readonly at: string },
  named: NamedSchemas,
  findings: Findings,
  characters: number,
): SchemaFacts {
  const walk = new Walk(named, findings, characters)
  walk.visit(schema, at, 1)
  const { subschemas, levels } = walk.facts
  if (subschemas > mostSubschemas)
    walk.issue(
      at,
      `the schema has ${subschemas} subschemas, and at most ${mostSubschemas} are allowed; give some of them names in \`schemas\``,
    )
  if (levels > mostLevels)
    walk.issue(
      at,
      `the schema is nested ${levels} levels deep, and at most ${mostLevels} are allowed`,
    )
  return walk.facts
}

class Walk {
  readonly facts: SchemaFacts
  readonly #named: NamedSchemas
  readonly #findings: Findings

  constructor(named: NamedSchemas, findings: Findings, characters: number) {
    this.facts = { characters, subschemas: 0, levels: 0, instructions: 0, patterns: [] }
    this.#named = named
    this.#findings = findings
  }

  issue(path: string, message: string): void {
    this.#findings.issues.push({ path, message })
  }

  visit(schema: unknown, at: string, level: number) {
    const { facts } = this
    facts.subschemas++
    facts.levels = Math.max(facts.levels, level)
    if (typeof schema === 'boolean') return
    if (!isMap(schema)) return this.issue(at, 'expected a schema: a map, true or false')
    for (const keyword of Object.keys(schema)) this.#keyword(schema, keyword, pointer(at, keyword))
    for (const { keyword, key, schema: part } of partsOf(schema)) {
      const path = pointer(at, keyword)
      this.visit(part, key === undefined ? path : pointer(path, key), level + 1)
    }
  }

  #keyword(schema: JsonMap, keyword: string, at: string) {
    const known = keywords.get(keyword)
    const value = schema[keyword]
    if (known === undefined) return this.#unknown(schema, keyword, at)
    if (known.fits && !known.fits(value)) {
      // a schema in the place of another value is told by its own visit
      if (known.holds === 'schema') return
      const hint =
        keyword === 'type' && typeof value === 'string' ? this.#hint(value, typeNames) : ''
      return this.issue(at, `expected ${known.allowed}${hint}`)
    }
    this.#rules[keyword]?.(value, at, schema)
  }

  /** Rules beside the shape of the value. */
  readonly #rules: Readonly<Record<string, (value: unknown, at: string, schema: JsonMap) => void>> =
    {
      $ref: (value, at) => {
        const target = resolve(String(value), this.#named)
        if (typeof target !== 'string') return
        const name = /^#\/schemas\/([^/]+)$/.exec(String(value))?.[1]
        const hint = name === undefined ? '' : this.#hint(name, Object.keys(this.#named))
        this.issue(at, target + hint)
      },
      $schema: (value, at) => {
        if (value !== draft && value !== `${draft}#`)
          this.issue(at, `expected ${draft}: no other draft is known`)
      },
      pattern: (value, at) => {
        this.facts.patterns.push({ pattern: String(value), at })
      },
      patternProperties: (value, at) => {
        for (const pattern of Object.keys(value as object)) {
          this.facts.patterns.push({ pattern, at: pointer(at, pattern) })
        }
      },
      dependentRequired: (value) => {
        // each is a condition, as if it had a schema
        this.facts.subschemas += Object.keys(value as object).length
      },
      uniqueItems: (value, at, { maxItems }) => {
        if (value === true && !(Number(maxItems ?? Infinity) <= mostUniqueItems)) {
          this.issue(at, `uniqueItems needs maxItems of at most ${mostUniqueItems} beside it`)
        }
      },
      unevaluatedItems: (_value, at, schema) => {
        if (!holdsContains(schema, this.#named, new Set())) return
        this.#warn(
          at,
          'unevaluatedItems does not know which items contains has evaluated: it takes all of them for evaluated, and none beside minContains 0',
        )
      },
      format: (value, at) => {
        const format = String(value)
        if (formats.has(format)) return
        this.#warn(
          at,
          `the format ${JSON.stringify(format)} is not checked${this.#hint(format, formats.keys())}`,
        )
      },
    }

  #unknown(schema: JsonMap, keyword: string, at: string) {
    const name = JSON.stringify(keyword)
    const reason = Object.hasOwn(refused, keyword) ? refused[keyword] : undefined
    if (reason !== undefined) return this.issue(at, `the keyword ${name} is not allowed: ${reason}`)
    if (keyword.startsWith('x-wamp-gateway'))
      return this.issue(
        at,
        `the keyword ${name} is not allowed: the gateway uses such names itself`,
      )
    if (keyword.startsWith('x-') || ofOpenApi.includes(keyword)) return
    if (keyword === 'discriminator') return this.#discriminator(schema, at)
    const other = Object.hasOwn(elsewhere, keyword) ? elsewhere[keyword] : undefined
    const hint = other === undefined ? this.#hint(keyword, keywords.keys()) : `; it is ${other}`
    this.#warn(at, `the keyword ${name} is unknown and checks nothing${hint}`)
  }

  /** OpenAPI: beside alternatives, and it only documents. */
  #discriminator(schema: JsonMap, at: string) {
    const { discriminator: value, oneOf, anyOf } = schema
    const isOfOpenApi = isMap(value) && typeof value.propertyName === 'string'
    if (isOfOpenApi && (oneOf !== undefined || anyOf !== undefined)) return
    this.issue(
      at,
      'expected a discriminator of OpenAPI: a map with propertyName, beside oneOf or anyOf',
    )
  }

  #warn(path: string, message: string): void {
    if (this.#findings.warnings.length < mostWarnings)
      this.#findings.warnings.push({ path, message })
  }

  #hint(word: string, candidates: Iterable<string>): string {
    const { issues, warnings } = this.#findings
    return didYouMean(word, candidates, issues.length > warnings.length ? issues : warnings)
  }
}

/** Whether a schema has `contains`, itself or in others that judge the same value: ajv does not tell which items fit that. */
function holdsContains(schema: unknown, named: NamedSchemas, seen: Set<unknown>): boolean {
  if (!isMap(schema) || seen.has(schema)) return false
  seen.add(schema)
  if (schema.contains !== undefined) return true
  const target = typeof schema.$ref === 'string' ? resolve(schema.$ref, named) : ''
  const parts = partsOf(schema).filter(
    ({ keyword }) => keyword !== 'not' && keywords.get(keyword)?.isInPlace === true,
  )
  return [...parts, ...(typeof target === 'string' ? [] : [target])].some((each) =>
    holdsContains(each.schema, named, seen),
  )
}
