/** One schema, compiled by ajv: checks that tell whether a value fits, its first mistake, or all of them. */
import { setFlagsFromString } from 'node:v8'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { compilePattern } from '#component/schema/pattern/pattern.ts'
import { type Depth, meter, refill, spendUnits, tooCostly } from './budget.ts'
import { addOwnKeywords } from './own-keywords.ts'
import { type PreparedSchemas, prepare } from './prepare.ts'
import type { NamedSchemas } from './references.ts'

// V8 would keep each generated function for ever, for the case that its text is compiled again: also those of schemas that were thrown away
setFlagsFromString('--no-compilation-cache')

/** What a check found: nothing, errors of ajv, or that it would cost more than its budget. */
export type Verdict = 'fits' | 'too costly' | readonly ErrorObject[]

/** Instructions of patterns that take as much memory as a subschema. */
const instructionsOfSubschema = 12

/** So many names of `required` are a loop over their list; of fewer, each has code of its own, which is faster. */
const leastInLoop = 9

/** The patterns of one schema: they spend of the budget. */
class PatternEngine {
  /** The instructions of all of them. */
  instructions = 0

  /** A pattern as ajv takes it, which compares patterns by their text. */
  readonly compile = (text: string): { test(text: string): boolean; toString(): string } => {
    const compiled = compilePattern(text)
    const { size, unitsPerMatch, unitsPerCharacter } = compiled
    this.instructions += size
    return {
      test(value) {
        spendUnits(unitsPerMatch + value.length * unitsPerCharacter)
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
  readonly #checks: Partial<Record<Depth, ValidateFunction>> = {}

  /** @throws Error when ajv cannot compile what the judge has accepted, which is a bug */
  constructor(schema: unknown, named: NamedSchemas) {
    this.#schema = schema
    this.#named = named
    const prepared = prepare(schema, named, 'fits')
    const patterns = new PatternEngine()
    this.#checks.fits = compile(prepared, patterns, 'fits')
    this.size = prepared.size + Math.ceil(patterns.instructions / instructionsOfSubschema)
  }

  /** Whether a value fits, with a budget of its own; of what does not, the errors say nothing. */
  fits(value: unknown): Verdict {
    refill()
    return this.#run('fits', value)
  }

  /** Looks for all mistakes, with half of what {@link fits} has left of the budget. */
  all(value: unknown): Verdict {
    const half = meter.left / 2
    meter.left = half
    const verdict = this.#run('all', value)
    meter.left = half
    return verdict
  }

  /** Looks for the first mistake, with what is left of the budget. */
  first(value: unknown): Verdict {
    return this.#run('first', value)
  }

  #run(depth: Depth, value: unknown): Verdict {
    const check =
      this.#checks[depth] ??
      compile(prepare(this.#schema, this.#named, depth), new PatternEngine(), depth)
    this.#checks[depth] = check
    return run(check, value)
  }
}

function compile(
  prepared: PreparedSchemas,
  patterns: PatternEngine,
  depth: Depth,
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
    allErrors: depth === 'all',
    loopRequired: leastInLoop,
    // the name is for code that ajv can write out, which nobody asks it for
    code: { optimize: false, regExp: Object.assign(patterns.compile, { code: 'pattern' }) },
  })
  // Ajv2020 sets these for all schemas; where they are not needed they cost time, at each reference
  Object.assign(ajv.opts, { unevaluated: isTracking, dynamicRef: false })
  addOwnKeywords(ajv, depth)
  const { left } = meter
  refill() // for the sets that are made of `enum` and `const`
  for (const [key, schema] of referred) ajv.addSchema(schema, key)
  // one by one, so that ajv does not go from reference to reference: its stack has an end
  for (const key of referred.keys()) ajv.getSchema(key)
  const check = ajv.compile(root)
  meter.left = left
  return check
}

function run(check: ValidateFunction, value: unknown): Verdict {
  try {
    return check(value) ? 'fits' : (check.errors ?? [])
  } catch (error) {
    // a value that is nested as deep as its schema is long exhausts the stack
    if (error === tooCostly || error instanceof RangeError) return 'too costly'
    throw error
  }
}
