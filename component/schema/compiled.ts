/** One schema, compiled by ajv: checks that tell whether a value fits, its first mistake, or all of them. */
import { setFlagsFromString } from 'node:v8'
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import { compilePattern } from '#component/schema/pattern/pattern.ts'
import { runAtOnce, type Steps } from '#component/yielding.ts'
import { type Depth, type Now, refill, spendUnits, tooCostly, turnIsOver } from './budget.ts'
import { addOwnKeywords } from './own-keywords.ts'
import { preparing } from './prepare.ts'
import type { NamedSchemas } from './references.ts'

// V8 would keep each generated function for ever, for the case that its text is compiled again: also those of schemas that were thrown away
setFlagsFromString('--no-compilation-cache')

/** What a check found: nothing, errors of ajv, that it would cost more than its budget, or that it has used its share of the turn up. */
export type Verdict = 'fits' | 'too costly' | 'turn is over' | readonly ErrorObject[]

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

/**
 * A schema that is compiled when it is first needed. An instance of ajv never frees what it has compiled, so each schema has its own
 * (ajv issue 1413).
 */
export class CompiledSchema {
  readonly #schema: unknown
  readonly #named: NamedSchemas
  readonly #checks: Partial<Record<Depth, ValidateFunction>> = {}
  /** What is being compiled: whoever needs it takes the next step. */
  readonly #work: Partial<Record<Depth, Steps<ValidateFunction>>> = {}
  #size = 1
  #tellsAll = true

  constructor(schema: unknown, named: NamedSchemas) {
    this.#schema = schema
    this.#named = named
  }

  /** The number of subschemas, and what takes as much memory as one; 1 until {@link fits} can be called without compiling. */
  get size(): number {
    return this.#size
  }

  /** Whether {@link fits} compiles nothing. */
  get isReady(): boolean {
    return this.#checks.fits !== undefined
  }

  /** Whether a look for all mistakes finds true ones only; known once {@link isReady}. */
  get tellsAll(): boolean {
    return this.#tellsAll
  }

  /**
   * Whether a value fits, with a whole budget; of what does not, the errors say nothing.
   * @param now ends the check where its share of the turn is over; absent: it may take longer
   */
  fits(value: unknown, now?: Now): Verdict {
    return this.look('fits', value, undefined, now)
  }

  /** The same, for the first mistake or all of them. @param visits absent: a whole budget */
  look(depth: Depth, value: unknown, visits?: number, now?: Now): Verdict {
    const check = this.#checks[depth] ?? runAtOnce(this.preparing(depth))
    refill(visits, now)
    return run(check, value)
  }

  /** Compiles what looks so deep, once. @throws Error when ajv cannot compile what the judge has accepted, which is a bug */
  *preparing(depth: Depth): Steps<ValidateFunction> {
    for (;;) {
      const known = this.#checks[depth]
      if (known) return known
      const work = this.#work[depth] ?? this.#compiling(depth)
      // where a step throws, the next one begins anew
      delete this.#work[depth]
      const { done, value } = work.next()
      if (done) this.#checks[depth] = value
      else this.#work[depth] = work
      yield
    }
  }

  *#compiling(depth: Depth): Steps<ValidateFunction> {
    const prepared = yield* preparing(this.#schema, this.#named, depth)
    const { root, referred, size, isTracking } = prepared
    this.#tellsAll = prepared.tellsAll
    yield
    for (const pattern of prepared.patterns) {
      compilePattern(pattern) // which is kept for those who ask next
      yield
    }
    const patterns = new PatternEngine()
    const ajv = newAjv(patterns, depth, isTracking)
    yield
    for (const [key, schema] of referred) ajv.addSchema(schema, key)
    // one by one, so that ajv does not go from reference to reference: its stack has an end
    for (const key of referred.keys()) {
      yield* compiling(() => ajv.getSchema(key) as ValidateFunction)
    }
    const check = yield* compiling(() => ajv.compile(root))
    if (depth === 'fits')
      this.#size = size + Math.ceil(patterns.instructions / instructionsOfSubschema)
    return check
  }
}

/** Lets ajv make a function, and V8 compile it: V8 would do that at its first call, in up to 20 ms. */
function* compiling(make: () => ValidateFunction): Steps<ValidateFunction> {
  refill() // for the sets that are made of `enum` and `const`
  const check = make()
  yield
  refill(0)
  run(check, undefined)
  yield
  return check
}

function newAjv(patterns: PatternEngine, depth: Depth, isTracking: boolean): Ajv2020 {
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
  return ajv
}

function run(check: ValidateFunction, value: unknown): Verdict {
  try {
    return check(value) ? 'fits' : (check.errors ?? [])
  } catch (error) {
    if (error === turnIsOver) return 'turn is over'
    // a value that is nested as deep as its schema is long exhausts the stack
    if (error === tooCostly || error instanceof RangeError) return 'too costly'
    throw error
  }
}
