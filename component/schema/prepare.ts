/** Prepares a schema for ajv: known keywords only, each reference a schema of its own, and costs where work can repeat. */
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { Steps } from '#component/yielding.ts'
import type { Depth } from './budget.ts'
import { Divider, keywordFor } from './divided.ts'
import { keywords, partsOf } from './keywords.ts'
import { cost, evaluated, memberCost, numberType } from './own-keywords.ts'
import { groupsOf, Reach } from './reach.ts'
import { type NamedSchemas, resolve } from './references.ts'

/** A schema as ajv gets it. */
type Prepared = boolean | Readonly<Record<string, unknown>>

/** A schema and those that it refers to. */
export interface PreparedSchemas {
  readonly root: Prepared
  /** What references name, by the key that the references have: each after those that it refers to, but for circles. */
  readonly referred: ReadonlyMap<string, Prepared>
  /** How many subschemas all of them have. */
  readonly size: number
  /** Whether ajv must note which members and items were evaluated: only `unevaluated…` asks for it. */
  readonly isTracking: boolean
  /** Whether all mistakes of a value are true: false where what was evaluated is not known behind a part that does not fit. */
  readonly tellsAll: boolean
  /** The patterns of all of them. */
  readonly patterns: ReadonlySet<string>
}

/** Keywords whose schemas judge each item: their work repeats. */
const ofItems = new Set(['items', 'contains', 'unevaluatedItems'])

/** Keywords whose schemas judge each member of a map. */
const ofMembers = new Set([
  'additionalProperties',
  'patternProperties',
  'propertyNames',
  'unevaluatedProperties',
])

export function* preparing(
  schema: unknown,
  named: NamedSchemas,
  depth: Depth,
): Steps<PreparedSchemas> {
  const graph = new Reach(named).graphOf(schema)
  const order = groupsOf(graph).flat()
  const schemas = [schema, ...order.map((at) => graph.get(at)?.target.schema)]
  const isTracking = schemas.some(asksForEvaluated)
  const keys = new Map(order.map((at, index) => [at, `s${index}`]))
  const work = new Preparation(named, keys, depth, isTracking)
  const referred = new Map<string, Prepared>()
  for (const at of order) {
    const prepared = work.referred(graph.get(at)?.target.schema)
    // a part comes before what it is a part of
    work.moveParts(referred)
    referred.set(keys.get(at) as string, prepared)
    yield
  }
  const root = work.referred(schema)
  work.moveParts(referred)
  const { size, tellsAll, patterns } = work
  return { root, referred, size, isTracking, tellsAll, patterns }
}

const asksForEvaluated = (schema: unknown): boolean =>
  partsOf(schema).some(
    ({ keyword, schema: part }) =>
      keyword === 'unevaluatedItems' ||
      keyword === 'unevaluatedProperties' ||
      asksForEvaluated(part),
  )

/** What an item and a member cost beside the visits of its schema, and a loop over members also where there are none. */
const visitsOfItem = 3
const visitsOfMember = 60
const visitsOfLoop = 4

/** V8 makes slower code of a function with more subschemas than these, the slower the more there are: visits cost as many times as much. */
const subschemasOfFast = 32

/** How much dearer visits are where it is noted what was evaluated. */
const slownessOfTracking = 3

/** Keywords that are functions of ours, and what a call of one costs. */
const calls = new Set(['const', 'enum', 'format', 'maxLength', 'minLength', 'multipleOf'])
const visitsOfCall = 3

/** Keywords whose schemas may make mistakes although the value fits. */
const tried = new Set(['anyOf', 'oneOf', 'contains'])

/** How much dearer a visit is that may add a mistake to all others; what a mistake of a schema that is tried costs, and a reference, in visits. */
interface Costs {
  readonly factor: number
  readonly mistake: number
  readonly reference: number
}

const costsOf: Readonly<Record<Depth, Costs>> = {
  fits: { factor: 1, mistake: 4, reference: 16 },
  first: { factor: 1, mistake: 4, reference: 40 },
  // each visit has paid for a mistake
  all: { factor: 40, mistake: 0, reference: 16 },
}

/** The subschemas of a schema, and itself; without those that it refers to. */
const sizeOf = (schema: unknown): number =>
  partsOf(schema).reduce(
    (sum, part) => (keywords.get(part.keyword)?.isAnnotation ? sum : sum + sizeOf(part.schema)),
    1,
  )

class Preparation {
  size = 0
  readonly patterns = new Set<string>()
  /** Parts of large schemas, in the order in which they are to be compiled. */
  readonly #parts = new Map<string, Prepared>()
  #partCount = 0
  /** How much dearer the visits of the function are whose schema is being prepared. */
  #slowness = 1
  readonly #named: NamedSchemas
  /** The key of each schema that is referred to, by its pointer. */
  readonly #keys: ReadonlyMap<string, string>
  readonly #costs: Costs
  readonly #isTracking: boolean
  readonly #divider = new Divider()

  constructor(
    named: NamedSchemas,
    keys: ReadonlyMap<string, string>,
    depth: Depth,
    isTracking: boolean,
  ) {
    this.#named = named
    this.#keys = keys
    this.#costs = costsOf[depth]
    this.#isTracking = isTracking
  }

  /** See {@link PreparedSchemas.tellsAll}. */
  get tellsAll(): boolean {
    return !(this.#isTracking && this.#divider.hasDemands)
  }

  /** Moves the parts that were made behind those in the map. */
  moveParts(to: Map<string, Prepared>): void {
    for (const [key, part] of this.#parts) to.set(key, part)
    this.#parts.clear()
  }

  /** A part that is too large for the function of its schema. */
  #part(schema: unknown): Prepared {
    const [weight, slowness] = [this.#weight, this.#slowness]
    const prepared = this.referred(schema)
    this.#weight = weight + 1
    this.#slowness = slowness
    const key = `p${this.#partCount++}`
    this.#parts.set(key, prepared)
    return { $ref: key, ...(this.#isTracking && { [evaluated]: true }) }
  }

  /** A schema that becomes a function of its own. */
  referred(schema: unknown): Prepared {
    this.#slowness =
      Math.max(1, sizeOf(schema) / subschemasOfFast) * (this.#isTracking ? slownessOfTracking : 1)
    return this.counted(schema, this.#costs.reference)
  }

  /** A schema that spends its cost, without that of repeated schemas and of those that it refers to, at each visit. */
  counted(schema: unknown, visits = 0): Prepared {
    const before = this.#weight
    this.#weight = visits
    const prepared = this.#prepared(schema)
    const weight = this.#weight
    this.#weight = before
    return typeof prepared === 'boolean'
      ? prepared
      : { [cost]: Math.ceil(weight * Math.max(this.#costs.factor, this.#slowness)), ...prepared }
  }

  /** The visits of the schema that is being prepared. */
  #weight = 0

  #prepared(schema: unknown): Prepared {
    this.size++
    this.#weight++
    if (!isMap(schema)) return schema !== false
    const prepared: Record<string, unknown> = {}
    const whole = this.#divider.divided(this.#isTracking ? trackable(schema) : schema)
    for (const keyword of Object.keys(whole)) {
      const known = keywords.get(keyword)
      if (known === undefined || known.isAnnotation) continue
      this.#weight += calls.has(keyword) ? visitsOfCall : 1
      this.#put(prepared, keyword, whole)
    }
    if (this.#isTracking && isCombined(whole)) prepared[evaluated] = true
    return prepared
  }

  #put(prepared: Record<string, unknown>, keyword: string, whole: JsonMap): void {
    const value = whole[keyword]
    const holds = keywords.get(keyword)?.holds
    const visits =
      (ofItems.has(keyword) ? visitsOfItem : 0) +
      (ofMembers.has(keyword) ? visitsOfMember : 0) +
      (tried.has(keyword) ? this.#costs.mistake : 0)
    if (keyword === 'pattern') this.patterns.add(value as string)
    else if (keyword === 'patternProperties')
      for (const pattern of Object.keys(value as object)) this.patterns.add(pattern)
    if (ofMembers.has(keyword)) {
      const loops = holds === 'map' ? Object.keys(value as object).length : 1
      this.#weight += visitsOfLoop * loops
      // each member may be a mistake
      if (value === false && this.#costs.factor > 1) prepared[memberCost] = this.#costs.factor
    }
    const part = (schema: unknown) => {
      if (this.#divider.isPart(keyword, schema, whole)) return this.#part(schema)
      return visits > 0 ? this.counted(schema, visits) : this.#prepared(schema)
    }
    if (holds === 'schema') prepared[keyword] = part(value)
    else if (holds === 'list') prepared[keywordFor(keyword, value)] = (value as unknown[]).map(part)
    else if (holds === 'map') {
      const entries = Object.entries(value as object)
      prepared[keyword] = Object.fromEntries(entries.map(([key, schema]) => [key, part(schema)]))
    } else if (keyword === '$ref') prepared.$ref = this.#keyOf(value as string)
    else if (keyword === 'type' && isOfNumbers(value)) prepared[numberType] = value
    else {
      if (keyword === 'required') this.#weight += (value as unknown[]).length
      prepared[keyword] = value
    }
  }

  /** The key of what a reference names; the judge has refused references to nothing. */
  #keyOf(reference: string): string | undefined {
    const target = resolve(reference, this.#named)
    return typeof target === 'string' ? undefined : this.#keys.get(target.at)
  }
}

/** The same schema in a form in which ajv notes what was evaluated without its known mistakes. */
function trackable(schema: JsonMap): JsonMap {
  const whole = withWholeIf(schema)
  const { patternProperties, ...others } = whole
  if (patternProperties === undefined || !isCombined(others)) return whole
  // beside anyOf and others, ajv takes notes of patterns where it has made no place for them
  const { properties, additionalProperties, ...rest } = others
  const members = {
    patternProperties,
    ...(properties !== undefined && { properties }),
    ...(additionalProperties !== undefined && { additionalProperties }),
  }
  return { ...rest, allOf: [...listIn(rest.allOf), members] }
}

/** Whether other schemas judge the same value. */
const isCombined = (schema: JsonMap): boolean =>
  Object.keys(schema).some((name) => keywords.get(name)?.isInPlace || name === '$ref')

/** Takes what `if` evaluates out of it: ajv notes that whether it holds or not, and not without `then` and `else`. */
function withWholeIf(schema: JsonMap): JsonMap {
  if (schema.if === undefined) return schema
  const { if: condition, allOf, ...rest } = schema
  const seen = { anyOf: [condition, true] }
  return { ...rest, if: { not: { not: condition } }, allOf: [...listIn(allOf), seen] }
}

const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])

const isOfNumbers = (type: unknown): boolean =>
  [type].flat().some((name) => name === 'integer' || name === 'number')
