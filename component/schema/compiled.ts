/** One schema, compiled by ajv: a check that ends at the first mistake, and one that finds all of them. */
import { setFlagsFromString } from 'node:v8'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { compilePattern } from '#component/schema/pattern/pattern.ts'
import { refill, spendUnits, tooCostly } from './budget.ts'
import { addOwnKeywords } from './own-keywords.ts'
import { type PreparedSchemas, prepare } from './prepare.ts'
import type { NamedSchemas } from './references.ts'

/** What a check found: nothing, errors of ajv, or that it would cost more than its budget. */
export type Verdict = 'fits' | 'too costly' | readonly ErrorObject[]

/** How much dearer a visit is that may add a mistake to all others: a check makes 200,000 at most. */
const factorOfAll = 40

/** What matching a pattern costs beside the characters of the text, in units. */
const unitsOfMatch = 10

/** Instructions of patterns that take as much memory as a subschema. */
const instructionsOfSubschema = 12

/** The patterns of one schema: they spend of the budget. */
class PatternEngine {
  /** The instructions of all of them. */
  instructions = 0

  /** A pattern as ajv takes it, which compares patterns by their text. */
  readonly compile = (text: string): { test(text: string): boolean; toString(): string } => {
    const compiled = compilePattern(text)
    const { size, unitsPerCharacter } = compiled
    this.instructions += size
    return {
      test(value) {
        spendUnits(unitsOfMatch + value.length * unitsPerCharacter)
        return compiled.test(value)
      },
      toString: () => text,
    }
  }
}

/** A compiled schema. An instance of ajv never frees what it has compiled, so each schema has its own (ajv issue 1413). */
export class CompiledSchema {
  /** The number of subschemas, and what takes as much memory as one. */
  readonly size: number
  readonly #schema: unknown
  readonly #named: NamedSchemas
  readonly #first: ValidateFunction
  #all: ValidateFunction | undefined

  /** @throws Error when ajv cannot compile what the judge has accepted, which is a bug */
  constructor(schema: unknown, named: NamedSchemas) {
    this.#schema = schema
    this.#named = named
    const prepared = prepare(schema, named, 1)
    const patterns = new PatternEngine()
    this.#first = compile(prepared, patterns, false)
    this.size = prepared.size + Math.ceil(patterns.instructions / instructionsOfSubschema)
  }

  /** Checks up to the first mistake. */
  first(value: unknown): Verdict {
    return run(this.#first, value)
  }

  /** Checks for all mistakes. */
  all(value: unknown): Verdict {
    if (this.#all === undefined) {
      const prepared = prepare(this.#schema, this.#named, factorOfAll)
      this.#all = compile(prepared, new PatternEngine(), true)
    }
    return run(this.#all, value)
  }
}

/**
 * Runs a task whose generated functions V8 does not keep for the case that the same text is compiled again: it would keep them for ever, also
 * those of schemas that were thrown away.
 */
function withoutCompilationCache<T>(task: () => T): T {
  setFlagsFromString('--no-compilation-cache')
  try {
    return task()
  } finally {
    setFlagsFromString('--compilation-cache')
  }
}

function compile(
  prepared: PreparedSchemas,
  patterns: PatternEngine,
  allErrors: boolean,
): ValidateFunction {
  const { root, referred, isTracking } = prepared
  const ajv = new Ajv2020({
    strict: false,
    meta: false,
    validateSchema: false,
    addUsedSchema: false,
    ownProperties: true,
    inlineRefs: false,
    logger: false,
    allErrors,
    // the name is for code that ajv can write out, which nobody asks it for
    code: { optimize: false, regExp: Object.assign(patterns.compile, { code: 'pattern' }) },
  })
  // Ajv2020 sets these for all schemas; where they are not needed they cost time, at each reference
  Object.assign(ajv.opts, { unevaluated: isTracking, dynamicRef: false })
  addOwnKeywords(ajv)
  refill() // for the sets that are made of `enum` and `const`
  for (const [key, schema] of referred) ajv.addSchema(schema, key)
  return withoutCompilationCache(() => {
    // one by one, so that ajv does not go from reference to reference: its stack has an end
    for (const key of referred.keys()) ajv.getSchema(key)
    return ajv.compile(root)
  })
}

function run(check: ValidateFunction, value: unknown): Verdict {
  refill()
  try {
    return check(value) ? 'fits' : (check.errors ?? [])
  } catch (error) {
    // a value that is nested as deep as its schema is long exhausts the stack
    if (error === tooCostly || error instanceof RangeError) return 'too costly'
    throw error
  }
}
