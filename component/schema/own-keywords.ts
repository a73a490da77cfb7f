/** Keywords that ajv gets from here: exact for integers of 64 bits, with a cost, or in time that does not grow with the schema. */
import {
  _,
  type Ajv2020,
  type Code,
  type CodeKeywordDefinition,
  type ErrorObject,
  type KeywordCxt,
  Name,
  str,
} from 'ajv/dist/2020.js'
import { resolveRef, SchemaEnv } from 'ajv/dist/compile/index.js'
import type { Rule } from 'ajv/dist/compile/rules.js'
import { Type } from 'ajv/dist/compile/util.js'
import { callRef, getValidate } from 'ajv/dist/vocabularies/core/ref.js'
import { type Depth, meter, spendVisits } from './budget.ts'
import { equalTo, ValueSet } from './equality.ts'
import { formats } from './formats.ts'
import { mostUniqueItems } from './keywords.ts'
import { isInteger, isNumeric, multipleTest } from './numbers.ts'

/** What `type` is called where it names a type of numbers: ajv would refuse BigInt. */
export const numberType = 'x-wamp-gateway-type'

/** Spends visits before the keywords beside it do their work. */
export const cost = 'x-wamp-gateway-cost'

/** Spends visits for each member of a map before the keywords beside it do their work. */
export const memberCost = 'x-wamp-gateway-member-cost'

/**
 * Makes a place for the items and members that keywords beside it have evaluated. ajv would make it within the first alternative
 * that holds, and look for it also where none has held.
 */
export const evaluated = 'x-wamp-gateway-evaluated'

/** `oneOf` whose schemas are parts, each of which counts by {@link countedPart} how many of its own fit. */
export const exactlyOne = 'x-wamp-gateway-one'

/** A part of `oneOf`: it fits where one of its schemas or more do, and notes how many. */
export const countedPart = 'x-wamp-gateway-counted'

/** A name in the compiled code for a value of ours. */
const named = (cxt: KeywordCxt, ref: unknown): Code => cxt.gen.scopeValue('obj', { ref })

/** A keyword that a function judges, which is made once for each value of the keyword; it passes values of other types. */
const judgedBy = (
  keyword: string,
  message: (schema: unknown) => string,
  judgeOf: (schema: never) => ((value: unknown) => boolean) | undefined,
): CodeKeywordDefinition => ({
  keyword,
  error: { message: ({ schema }) => _`${message(schema)}` },
  code(cxt) {
    const judge = judgeOf(cxt.schema as never)
    if (judge) cxt.fail(_`!${named(cxt, judge)}(${cxt.data})`)
  },
})

/** A keyword that compares a number with a limit; BigInt and numbers compare by value. */
const limit = (
  keyword: string,
  sign: string,
  comparison: (data: Code, limit: Code) => Code,
): CodeKeywordDefinition => ({
  keyword,
  error: { message: ({ schema }) => _`${`must be ${sign} ${String(schema)}`}` },
  code(cxt) {
    const { data } = cxt
    const bound = typeof cxt.schema === 'bigint' ? named(cxt, cxt.schema) : _`${cxt.schema}`
    cxt.fail(
      _`(typeof ${data} == "number" || typeof ${data} == "bigint") && !(${comparison(data, bound)})`,
    )
  },
})

/** The characters of a text, as Unicode counts them. */
function lengthOf(text: string): number {
  spendVisits(text.length)
  let length = 0
  for (const _character of text) length++
  return length
}

/** Counts characters only where the number of UTF-16 units does not decide: a character has one or two. */
const isAtLeast = (text: string, least: number): boolean =>
  text.length >= least && (text.length >= 2 * least || lengthOf(text) >= least)

const isAtMost = (text: string, most: number): boolean =>
  text.length <= most || (text.length <= 2 * most && lengthOf(text) <= most)

const isMap = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** What it costs to count a member of a map, or to compare an item with all before it, in visits. */
const visitsOfMember = 16

function membersOf(map: object): number {
  const { length } = Object.keys(map)
  spendVisits(visitsOfMember * length)
  return length
}

/** Spends for each member of a map. */
function spendForMembers(map: unknown, visits: number): void {
  if (isMap(map)) spendVisits(visits * Object.keys(map).length)
}

function areDifferent(value: unknown): boolean {
  // a longer list does not fit `maxItems`
  if (!Array.isArray(value) || value.length > mostUniqueItems) return true
  spendVisits(visitsOfMember * value.length)
  const seen = new ValueSet()
  return value.every((item) => seen.add(item))
}

const typeTests: Readonly<Record<string, (value: unknown) => boolean>> = {
  integer: isInteger,
  number: isNumeric,
  string: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  array: Array.isArray,
  object: isMap,
  null: (value) => value === null,
}

function isOfTypes(types: string | readonly string[]): ((value: unknown) => boolean) | undefined {
  const tests = [types].flat().flatMap((type) => typeTests[type] ?? [])
  return tests.length === 1 ? tests[0] : (value) => tests.some((test) => test(value))
}

function setOf(values: readonly unknown[]): (value: unknown) => boolean {
  const set = new ValueSet()
  for (const value of values) set.add(value)
  return (value) => set.has(value)
}

type Dependencies = Readonly<Record<string, readonly string[]>>

const isIn = (map: object, name: string): boolean =>
  Object.hasOwn(map, name) && (map as Record<string, unknown>)[name] !== undefined

/** What a mistake costs that is kept, in visits. */
const visitsOfMistake = 40

/** What it costs to look whether a map has one name, in visits. */
const visitsOfAsker = 4

/** Finds the names that a map lacks, of those that its members ask for: each once. */
const lackedBy = (dependencies: Dependencies, isFirstEnough: boolean) => {
  const askers = Object.entries(dependencies)
  return (map: object): readonly string[] => {
    spendVisits(visitsOfAsker * askers.length)
    const lacked = new Set<string>()
    for (const [asker, names] of askers) {
      if (!isIn(map, asker)) continue
      spendVisits(names.length)
      for (const name of names) if (!isIn(map, name)) lacked.add(name)
      if (isFirstEnough && lacked.size > 0) break
    }
    const found = [...lacked]
    if (isFirstEnough) return found.slice(0, 1)
    spendVisits(visitsOfMistake * found.length)
    return found
  }
}

const always = (message: string) => () => message

/** How many schemas fit of the part of `oneOf` that was looked at last. */
const lastPart = { count: 0 }

/** Counts the schemas of a list that fit. @param isPart the list is one part of `oneOf`; else each schema is such a part */
const counting = (keyword: string, isPart: boolean): CodeKeywordDefinition => ({
  keyword,
  schemaType: 'array',
  trackErrors: true,
  error: { message: 'must match exactly one schema in oneOf' },
  code(cxt) {
    const { gen } = cxt
    const last = named(cxt, lastPart)
    const count = gen.let('count', 0)
    const fits = gen.name('_valid')
    const schemas = cxt.schema as readonly unknown[]
    gen.block(() => {
      for (const schemaProp of schemas.keys()) {
        const judged = cxt.subschema({ keyword, schemaProp, compositeRule: true }, fits)
        gen.if(fits, () => {
          gen.code(_`${count} += ${isPart ? 1 : _`${last}.count`}`)
          cxt.mergeEvaluated(judged, Name)
        })
      }
    })
    if (isPart) gen.code(_`${last}.count = ${count}`)
    cxt.result(
      isPart ? _`${count} > 0` : _`${count} === 1`,
      () => cxt.reset(),
      () => {
        // why the others do not fit is no mistake of a value that fits several
        if (!isPart) gen.if(_`${count} > 1`, () => cxt.reset())
        cxt.error(true)
      },
    )
  },
})

const definitions: readonly CodeKeywordDefinition[] = [
  limit('minimum', '>=', (data, bound) => _`${data} >= ${bound}`),
  limit('maximum', '<=', (data, bound) => _`${data} <= ${bound}`),
  limit('exclusiveMinimum', '>', (data, bound) => _`${data} > ${bound}`),
  limit('exclusiveMaximum', '<', (data, bound) => _`${data} < ${bound}`),
  judgedBy('multipleOf', (of) => `must be multiple of ${String(of)}`, multipleTest),
  judgedBy('enum', always('must be equal to one of the allowed values'), setOf),
  judgedBy('const', always('must be equal to constant'), equalTo),
  judgedBy('uniqueItems', always('must NOT have duplicate items'), (isAsked: boolean) =>
    isAsked ? areDifferent : undefined,
  ),
  judgedBy(
    'minLength',
    (least) => `must NOT have fewer than ${least} characters`,
    (least: number) => (value) => typeof value !== 'string' || isAtLeast(value, least),
  ),
  judgedBy(
    'maxLength',
    (most) => `must NOT have more than ${most} characters`,
    (most: number) => (value) => typeof value !== 'string' || isAtMost(value, most),
  ),
  judgedBy(
    'minProperties',
    (least) => `must NOT have fewer than ${least} properties`,
    (least: number) => (value) => !isMap(value) || membersOf(value) >= least,
  ),
  judgedBy(
    'maxProperties',
    (most) => `must NOT have more than ${most} properties`,
    (most: number) => (value) => !isMap(value) || membersOf(value) <= most,
  ),
  judgedBy(
    'format',
    (format) => `must match format "${String(format)}"`,
    (format: string) => formats.get(format),
  ),
  {
    // ajv would write code for each name
    keyword: 'dependentRequired',
    type: 'object',
    schemaType: 'object',
    error: {
      message: 'must be there beside another property',
      params: ({ params: { missingProperty } }) => _`{missingProperty: ${missingProperty}}`,
    },
    code(cxt) {
      const find = named(cxt, lackedBy(cxt.schema as Dependencies, !cxt.it.allErrors))
      const lacked = cxt.gen.const('lacked', _`${find}(${cxt.data})`)
      cxt.gen.forOf('missing', lacked, (missingProperty) => {
        cxt.setParams({ missingProperty })
        cxt.error()
      })
      cxt.ok(_`${lacked}.length === 0`)
    },
  },
  counting(exactlyOne, false),
  counting(countedPart, true),
  {
    // as ajv has it, but that all items may turn out to be evaluated only when a value is checked
    keyword: 'unevaluatedItems',
    type: 'array',
    schemaType: ['boolean', 'object'],
    error: { message: ({ params: { from } }) => str`must NOT have more than ${from} items` },
    code(cxt) {
      const { gen, data, it } = cxt
      const { items = 0 } = it
      it.items = true
      if (items === true) return
      const length = gen.const('len', _`${data}.length`)
      const from = gen.const('from', _`${items} === true ? ${length} : ${items}`)
      cxt.setParams({ from })
      if (cxt.schema === false) return cxt.fail(_`${length} > ${from}`)
      const valid = gen.var('valid', true)
      gen.forRange('i', from, length, (index) => {
        cxt.subschema(
          { keyword: 'unevaluatedItems', dataProp: index, dataPropType: Type.Num },
          valid,
        )
        if (!it.allErrors) gen.if(_`!${valid}`, () => gen.break())
      })
      cxt.ok(valid)
    },
  },
]

/** Keywords that run before all others of their schema. */
const earlyOf = (depth: Depth): readonly CodeKeywordDefinition[] => [
  {
    keyword: cost,
    code(cxt) {
      // as ajv does within `not`: mistakes are counted, and nothing is told of them
      if (depth === 'fits' || (depth === 'first' && cxt.it.compositeRule))
        Object.assign(cxt.it, { createErrors: false })
      const budget = named(cxt, meter)
      cxt.gen.if(_`(${budget}.left -= ${cxt.schema}) < 0`, _`${budget}.stop()`)
    },
  },
  {
    keyword: memberCost,
    code(cxt) {
      cxt.gen.code(_`${named(cxt, spendForMembers)}(${cxt.data}, ${cxt.schema})`)
    },
  },
  {
    keyword: evaluated,
    code({ gen, it }) {
      it.items = gen.var('items', 0)
      it.props = gen.var('props', _`{}`)
    },
  },
  judgedBy(numberType, (types) => `must be ${[types].flat().join(',')}`, isOfTypes),
]

/** Mistakes of a schema that is referred to which one schema takes over at most, for each of its own. */
const mostTakenOver = 5_000

type Errors = ErrorObject[]

/** Whether something is told of a mistake, and not only that there is one. */
export const isTold = ({ keyword }: Partial<ErrorObject>): boolean => keyword !== undefined

/** What it costs that a value does not fit a schema that is referred to, in visits. */
const visitsOfFailure = 16

/** What ajv calls the mistakes of a check in its code, and their number. */
const [errorsInCode, countInCode] = [new Name('vErrors'), new Name('errors')]

/**
 * The mistakes of a schema, and those of one that it refers to. ajv would copy all of them at each reference, also those of alternatives of which
 * another one fits: as many as there are ways through a schema that refers to itself.
 */
const joinedBy =
  (depth: Depth) =>
  (own: Errors | null, others: Errors): Errors => {
    const joined = own ?? []
    // at least one: the number of mistakes tells whether a value fits
    const taken = depth === 'all' ? others.slice(0, mostTakenOver - joined.length) : []
    if (taken.length === 0) taken.push(others.find(isTold) ?? (others[0] as ErrorObject))
    spendVisits(visitsOfFailure + taken.length)
    for (const error of taken) joined.push(error)
    return joined
  }

/**
 * A reference; as {@link prepare} writes it, to a schema that ajv knows by its key.
 * @param own ajv's, which has `true` and `false` in the place of a reference to them
 */
const referenceOf = (depth: Depth, own: (cxt: KeywordCxt) => void) => (cxt: KeywordCxt) => {
  const { gen, it } = cxt
  const target = resolveRef.call(it.self, it.schemaEnv.root, it.baseId, cxt.schema)
  if (!(target instanceof SchemaEnv)) return own(cxt)
  const check = getValidate(cxt, target)
  const join = named(cxt, joinedBy(depth))
  const decide = cxt.result.bind(cxt)
  cxt.result = (fits, onFit) =>
    decide(fits, onFit, () => {
      gen.assign(errorsInCode, _`${join}(${errorsInCode}, ${check}.errors)`)
      gen.assign(countInCode, _`${errorsInCode}.length`)
    })
  callRef(cxt, check, target)
}

/**
 * The items that a list contains. ajv would keep the mistakes of all items until the last one has been looked at; where nothing is told of them,
 * those of each item are forgotten at once.
 */
const containsOf = (depth: Depth, own: (cxt: KeywordCxt) => void) => (cxt: KeywordCxt) => {
  const judge = cxt.subschema.bind(cxt)
  if (depth !== 'all')
    cxt.subschema = (part, isValid) => {
      const judged = judge(part, isValid)
      cxt.reset()
      return judged
    }
  own(cxt)
}

/** Puts our keywords in the place of ajv's. */
export function addOwnKeywords(ajv: Ajv2020, depth: Depth): void {
  for (const definition of definitions) {
    ajv.removeKeyword(definition.keyword as string)
    ajv.addKeyword(definition)
  }
  for (const definition of earlyOf(depth)) ajv.addKeyword({ ...definition, before: '$ref' })
  for (const [keyword, codeOf] of [
    ['$ref', referenceOf],
    ['contains', containsOf],
  ] as const) {
    const definition = (ajv.RULES.all[keyword] as Rule).definition as CodeKeywordDefinition
    Object.assign(definition, { code: codeOf(depth, definition.code) })
  }
}
