/** Checks values against schemas: compiled when first needed, and kept by content. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { canonicalJson, encodeBinary } from '#component/codec/json.ts'
import { mapLeaves } from '#component/codec/walk.ts'
import type { YieldTurn } from '#component/yielding.ts'
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

/** Checks values against one schema. */
export interface Validator {
  /**
   * What does not fit; undefined when the value fits. Messages hold no value of it.
   * @param at JSON Pointer of the value, with which all pointers begin
   * @throws SchemaCompileError
   */
  mistakesOf(value: unknown, at: string): readonly Mistake[] | undefined
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

/** The validators of a process. Those of equal schemas share what was compiled. */
export class Validators {
  readonly #compiled = new CompiledSchemas()
  /** The validators of a document, by the content of their schema. */
  readonly #documents = new WeakMap<NamedSchemas, DocumentValidators>()

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
   * Compiles validators before they are needed, one a turn of the event loop, as many as are kept.
   * @throws SchemaCompileError
   */
  async compileAhead(validators: Iterable<Validator>, yieldTurn: YieldTurn): Promise<void> {
    for (const validator of validators) {
      if (this.#compiled.isFull) return
      if (validator instanceof KeptValidator) validator.compile()
      await yieldTurn()
    }
  }
}

/** What was compiled, by content. */
class CompiledSchemas {
  failures = 0
  readonly #kept = new LRUCache<string, CompiledSchema>({
    max: mostKept,
    maxSize: mostSubschemas,
    sizeCalculation: ({ size }) => Math.min(size, mostSubschemas),
  })

  get isFull(): boolean {
    return this.#kept.size >= mostKept || this.#kept.calculatedSize >= mostSubschemas
  }

  /** @throws SchemaCompileError */
  get(key: string, schema: unknown, named: NamedSchemas): CompiledSchema {
    const known = this.#kept.get(key)
    if (known) return known
    const compiled = this.#counting(() => new CompiledSchema(schema, named))
    this.#kept.set(key, compiled)
    return compiled
  }

  /** Mistakes of a value that has one, which compiles the schema once more. @throws SchemaCompileError */
  mistakes(compiled: CompiledSchema, depth: 'first' | 'all', value: unknown): Verdict {
    return this.#counting(() => compiled[depth](value))
  }

  #counting<T>(compile: () => T): T {
    try {
      return compile()
    } catch (cause) {
      this.failures++
      throw new SchemaCompileError(cause)
    }
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
      const compile = () => this.#compiled.get(key, schema, this.#named)
      validator = new KeptValidator(compile, this.#compiled)
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
  /** Takes it from those that are kept. @throws SchemaCompileError */
  readonly compile: () => CompiledSchema
  readonly #compiled: CompiledSchemas

  constructor(compile: () => CompiledSchema, compiled: CompiledSchemas) {
    this.compile = compile
    this.#compiled = compiled
  }

  mistakesOf(value: unknown, at: string): readonly Mistake[] | undefined {
    const compiled = this.compile()
    const seen = viewOf(value)
    const verdict = compiled.fits(seen)
    if (verdict === 'fits') return undefined
    const found = (message: string): Mistake => ({ path: at, message, keyword: '' })
    if (verdict === 'too costly') return [found('too costly to check')]
    const all = hasAtMost(mostMembers, seen)
      ? this.#compiled.mistakes(compiled, 'all', seen)
      : 'too costly'
    if (typeof all !== 'string') return mistakesOf(all, at)
    const first = this.#compiled.mistakes(compiled, 'first', seen)
    const [mistake = found('does not fit')] = typeof first === 'string' ? [] : mistakesOf(first, at)
    return [mistake, more(at)]
  }
}
