/** Checks values against schemas: compiled when first needed, and kept by content. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { canonicalJson } from '#component/codec/json.ts'
import type { YieldTurn } from '#component/yielding.ts'
import { CompiledSchema } from './compiled.ts'
import { type Mistake, mistakesOf } from './mistakes.ts'
import { Reach } from './reach.ts'
import type { NamedSchemas } from './references.ts'
import { hasAtMost, viewOf } from './view.ts'

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
const mostSubschemas = 20_000

/** All mistakes are looked for in values of at most this many members and items. */
const mostMembers = 5_000

/** The validators of a process. Those of equal schemas share what was compiled. */
export class Validators {
  readonly #kept = new LRUCache<string, CompiledSchema>({
    max: mostKept,
    maxSize: mostSubschemas,
    sizeCalculation: ({ size }) => Math.min(size, mostSubschemas),
  })
  /** The validators of a document, by the content of their schema. */
  readonly #documents = new WeakMap<NamedSchemas, DocumentValidators>()

  /**
   * The validator of a schema that {@link judging} has accepted: for equal schemas of a document the same one.
   * @param named the schemas of its document: the same object for all schemas of one document
   */
  of(schema: unknown, named: NamedSchemas): Validator {
    let document = this.#documents.get(named)
    if (document === undefined) {
      document = new DocumentValidators(named, this.#kept)
      this.#documents.set(named, document)
    }
    return document.of(schema)
  }

  /** Compiles validators before they are needed, one a turn of the event loop, as many as are kept. */
  async compileAhead(validators: Iterable<Validator>, yieldTurn: YieldTurn): Promise<void> {
    for (const validator of validators) {
      if (this.#kept.size >= mostKept || this.#kept.calculatedSize >= mostSubschemas) return
      if (validator instanceof KeptValidator) validator.compile()
      await yieldTurn()
    }
  }
}

const hashOf = (text: string): string => createHash('sha256').update(text).digest('base64url')

/** The validators of one document. */
class DocumentValidators {
  readonly #named: NamedSchemas
  readonly #reach: Reach
  readonly #kept: LRUCache<string, CompiledSchema>
  readonly #validators = new Map<string, KeptValidator>()
  /** Of the named schemas, by name. */
  readonly #hashes = new Map<string, string>()

  constructor(named: NamedSchemas, kept: LRUCache<string, CompiledSchema>) {
    this.#named = named
    this.#reach = new Reach(named)
    this.#kept = kept
  }

  of(schema: unknown): Validator {
    const hash = hashOf(canonicalJson(schema))
    let validator = this.#validators.get(hash)
    if (validator === undefined) {
      validator = new KeptValidator(schema, this.#named, this.#keyOf(schema, hash), this.#kept)
      this.#validators.set(hash, validator)
    }
    return validator
  }

  /** Equal for schemas that are equal with all that they refer to. */
  #keyOf(schema: unknown, hash: string): string {
    const names = new Set<string>()
    for (const { target } of this.#reach.graphOf(schema).values()) names.add(target.name)
    if (names.size === 0) return hash
    return hashOf(
      [hash, ...[...names].sort().map((name) => `${name} ${this.#hashOf(name)}`)].join(),
    )
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
  readonly #schema: unknown
  readonly #named: NamedSchemas
  readonly #key: string
  readonly #kept: LRUCache<string, CompiledSchema>

  constructor(
    schema: unknown,
    named: NamedSchemas,
    key: string,
    kept: LRUCache<string, CompiledSchema>,
  ) {
    this.#schema = schema
    this.#named = named
    this.#key = key
    this.#kept = kept
  }

  /** @throws SchemaCompileError */
  compile(): CompiledSchema {
    const known = this.#kept.get(this.#key)
    if (known) return known
    try {
      const compiled = new CompiledSchema(this.#schema, this.#named)
      this.#kept.set(this.#key, compiled)
      return compiled
    } catch (cause) {
      throw new SchemaCompileError(cause)
    }
  }

  mistakesOf(value: unknown, at: string): readonly Mistake[] | undefined {
    const compiled = this.compile()
    const seen = viewOf(value)
    const first = compiled.first(seen)
    if (first === 'fits') return undefined
    if (first === 'too costly')
      return [{ path: at, message: first.concat(' to check'), keyword: '' }]
    const all = hasAtMost(mostMembers, seen) ? compiled.all(seen) : 'too costly'
    if (typeof all !== 'string') return mistakesOf(all, at)
    return [
      ...mistakesOf(first.slice(0, 1), at),
      { path: at, message: 'more may follow', keyword: '' },
    ]
  }
}
