/** Checks values against schemas: compiled when first needed, and kept by content. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { canonicalJson, encodeBinary } from '#component/codec/json.ts'
import { mapLeaves } from '#component/codec/walk.ts'
import { runAtOnce, runSteps, type Steps, type YieldTurn } from '#component/yielding.ts'
import { type Depth, leftInAll, type Now } from './budget.ts'
import { CompiledSchema, type Verdict } from './compiled.ts'
import { type Mistake, mistakesOf, more } from './mistakes.ts'
import { Reach } from './reach.ts'
import type { NamedSchemas } from './references.ts'

/** The same value where it holds no bytes and nothing undefined; else a copy that has texts and null instead. */
const viewOf = (value: unknown): unknown =>
  value instanceof Uint8Array ? lengthOf(value) : mapLeaves(value, leafOf)

/** Bytes that are the whole value: a text of as many characters, since schemas of `format: binary` tell bytes by their number only. */
const lengthOf = ({ length }: Uint8Array): string => ' '.repeat(length)

function leafOf(value: unknown): unknown {
  if (value === undefined) return null
  return value instanceof Uint8Array ? encodeBinary(value) : value
}

/** Whether a value has at most this many members and items, at all levels. */
function hasAtMost(most: number, value: unknown): boolean {
  let left = most
  const count = (part: unknown): boolean => {
    if (typeof part !== 'object' || part === null) return true
    const parts = Object.values(part)
    left -= parts.length
    return left >= 0 && parts.every(count)
  }
  return count(value)
}

/** What does not fit; undefined when the value fits. */
export type Found = readonly Mistake[] | undefined

/** Checks values against one schema. */
export interface Validator {
  /**
   * Checks a value in one turn. Messages hold no value of it.
   * @param at JSON Pointer of the value, with which all pointers begin
   * @throws SchemaCompileError
   */
  mistakesOf(value: unknown, at: string): Found

  /** The same, which takes at most its share of a turn of the event loop and goes on in later ones. A value that fits at once is told at once. */
  check(value: unknown, at: string): Found | Promise<Found>
}

/** The turns of the event loop, and the clock that ends the share of a check. */
export interface Turns {
  readonly now: Now
  readonly yieldTurn: YieldTurn
}

/** A schema that was accepted at load does not compile: a bug of the gateway. */
export class SchemaCompileError extends Error {
  constructor(cause: unknown) {
    super('a schema does not compile', { cause })
    this.name = 'SchemaCompileError'
  }
}

/** Compiled schemas that are kept at most. */
const mostKept = 1_000

/** Subschemas that all of them have at most; each takes a few kilobytes. */
const mostSubschemas = 10_000

/** All mistakes are looked for in values of at most this many members and items. */
const mostMembers = 5_000

/**
 * A check begins anew in so many turns, each time in code that V8 has made faster; the next one takes its whole budget, so that no clock
 * decides what fits.
 */
const mostBegun = 8

/** The validators of a process. Those of equal schemas share what was compiled. */
export class Validators {
  readonly #compiled: CompiledSchemas
  /** The validators of a document, by the content of their schema. */
  readonly #documents = new WeakMap<NamedSchemas, DocumentValidators>()

  /** @param turns absent: each check takes one turn */
  constructor(turns?: Turns) {
    this.#compiled = new CompiledSchemas(turns)
  }

  /** How often a schema that was accepted at load did not compile: bugs of the gateway. */
  get compileFailures(): number {
    return this.#compiled.failures
  }

  /**
   * The validator of a schema that {@link judging} has accepted: for equal schemas of a document the same one.
   * @param named the schemas of its document: the same object for all schemas of one document
   */
  of(schema: unknown, named: NamedSchemas): Validator {
    let document = this.#documents.get(named)
    if (document === undefined) {
      document = new DocumentValidators(named, this.#compiled)
      this.#documents.set(named, document)
    }
    return document.of(schema)
  }

  /**
   * Compiles validators before they are needed, in turns of the event loop, as many as are kept.
   * @throws SchemaCompileError
   */
  async compileAhead(validators: Iterable<Validator>, yieldTurn: YieldTurn): Promise<void> {
    for (const validator of validators) {
      if (this.#compiled.isFull) return
      if (validator instanceof KeptValidator) await runSteps(validator.preparing(), yieldTurn)
      await yieldTurn()
    }
  }
}

/** What was compiled, by content. */
class CompiledSchemas {
  failures = 0
  readonly turns: Turns | undefined
  readonly #kept = new LRUCache<string, CompiledSchema>({
    max: mostKept,
    maxSize: mostSubschemas,
    sizeCalculation: ({ size }) => Math.min(size, mostSubschemas),
  })

  constructor(turns: Turns | undefined) {
    this.turns = turns
  }

  get isFull(): boolean {
    return this.#kept.size >= mostKept || this.#kept.calculatedSize >= mostSubschemas
  }

  /** The schema of a key, which may not be compiled yet. */
  of(key: string, schema: unknown, named: NamedSchemas): CompiledSchema {
    const known = this.#kept.get(key)
    if (known) return known
    const compiled = new CompiledSchema(schema, named)
    this.#kept.set(key, compiled)
    return compiled
  }

  /** Compiles a schema. @throws SchemaCompileError */
  *preparing(key: string, compiled: CompiledSchema, depth: Depth): Steps<void> {
    try {
      yield* compiled.preparing(depth)
    } catch (cause) {
      this.failures++
      throw new SchemaCompileError(cause)
    }
    // its size is known now
    if (depth === 'fits') this.#kept.set(key, compiled)
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** The validators of one document. */
class DocumentValidators {
  readonly #named: NamedSchemas
  readonly #reach: Reach
  readonly #compiled: CompiledSchemas
  readonly #validators = new Map<string, KeptValidator>()
  /** Of the named schemas, by name. */
  readonly #hashes = new Map<string, string>()

  constructor(named: NamedSchemas, compiled: CompiledSchemas) {
    this.#named = named
    this.#reach = new Reach(named)
    this.#compiled = compiled
  }

  of(schema: unknown): Validator {
    const hash = hashOf(canonicalJson(schema))
    let validator = this.#validators.get(hash)
    if (validator === undefined) {
      const key = this.#keyOf(schema, hash)
      const compiled = () => this.#compiled.of(key, schema, this.#named)
      validator = new KeptValidator(key, compiled, this.#compiled)
      this.#validators.set(hash, validator)
    }
    return validator
  }

  /** Equal for schemas that are equal with all that they refer to. */
  #keyOf(schema: unknown, hash: string): string {
    const names = new Set<string>()
    for (const { target } of this.#reach.graphOf(schema).values()) names.add(target.name)
    const hashes = [...names].sort().map((name) => `${name} ${this.#hashOf(name)}`)
    return names.size === 0 ? hash : hashOf([hash, ...hashes].join())
  }

  #hashOf(name: string): string {
    let hash = this.#hashes.get(name)
    if (hash === undefined) {
      hash = hashOf(canonicalJson(this.#named[name]))
      this.#hashes.set(name, hash)
    }
    return hash
  }
}

/** A validator whose compiled schema may be thrown away and compiled again. */
class KeptValidator implements Validator {
  readonly #key: string
  /** Takes it from those that are kept. */
  readonly #kept: () => CompiledSchema
  readonly #compiled: CompiledSchemas

  constructor(key: string, kept: () => CompiledSchema, compiled: CompiledSchemas) {
    this.#key = key
    this.#kept = kept
    this.#compiled = compiled
  }

  /** Compiles the schema where it is not. @throws SchemaCompileError */
  *preparing(): Steps<void> {
    const compiled = this.#kept()
    if (!compiled.isReady) yield* this.#compiled.preparing(this.#key, compiled, 'fits')
  }

  mistakesOf(value: unknown, at: string): Found {
    return runAtOnce(this.#judging(this.#kept(), viewOf(value), at, undefined))
  }

  check(value: unknown, at: string): Found | Promise<Found> {
    const { turns } = this.#compiled
    if (turns === undefined) return this.mistakesOf(value, at)
    const compiled = this.#kept()
    const seen = viewOf(value)
    const first = compiled.isReady ? compiled.fits(seen, turns.now) : undefined
    if (first === 'fits') return undefined
    return runSteps(this.#judging(compiled, seen, at, first, turns.now), turns.yieldTurn)
  }

  /** @param first the verdict of the first turn; undefined: nobody has looked */
  *#judging(
    compiled: CompiledSchema,
    value: unknown,
    at: string,
    first: Verdict | undefined,
    now?: Now,
  ): Steps<Found> {
    const prepare = (depth: Depth) => this.#compiled.preparing(this.#key, compiled, depth)
    if (!compiled.isReady) yield* prepare('fits')
    if (first === 'turn is over') yield
    const verdict =
      first === undefined || first === 'turn is over'
        ? yield* inTurns((until) => compiled.fits(value, until), now)
        : first
    if (verdict === 'fits') return undefined
    const found = (message: string): Mistake => ({ path: at, message, keyword: '' })
    if (verdict === 'too costly') return [found('too costly to check')]
    const left = leftInAll()
    const isSmall = compiled.tellsAll && hasAtMost(mostMembers, value)
    // each of two looks gets a half
    const visits = isSmall ? left / 2 : left
    const all = isSmall ? yield* look('all') : 'too costly'
    if (typeof all !== 'string') return mistakesOf(all, at)
    const one = yield* look('first')
    const [mistake = found('does not fit')] = typeof one === 'string' ? [] : mistakesOf(one, at)
    return [mistake, more(at)]

    function* look(depth: 'first' | 'all'): Steps<Verdict> {
      yield
      yield* prepare(depth)
      return yield* inTurns((until) => compiled.look(depth, value, visits, until), now)
    }
  }
}

/** Looks again, in turns, until the look has ended. */
function* inTurns(look: (now?: Now) => Verdict, now: Now | undefined): Steps<Verdict> {
  for (let left = mostBegun; ; left--) {
    const verdict = look(left > 0 ? now : undefined)
    if (verdict !== 'turn is over') return verdict
    yield
  }
}
