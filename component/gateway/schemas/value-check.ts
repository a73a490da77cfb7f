/** Checks values against one schema of a document, and reads texts as the types that it names. */
import { type TextReader, type TextRules, textReaderOf } from '#component/schema/coerce.ts'
import type { NamedSchemas } from '#component/schema/references.ts'
import { judgedNames } from '#component/schema/single-values.ts'
import type { Found, Validator, Validators } from '#component/schema/validators.ts'
import type { YieldTurn } from '#component/yielding.ts'
import type { MismatchMode, MismatchSink } from './mismatches.ts'
import { writtenNames } from './written-names.ts'

/** One schema of a document. Nothing is done for it before a value is checked, so that a load stays fast. */
export class ValueCheck {
  readonly #schema: unknown
  readonly #named: NamedSchemas
  readonly #validators: Validators
  readonly #sink: Pick<MismatchSink, 'compileFailed'>
  #validator: Validator | undefined
  #names: ReadonlySet<string> | undefined

  /** @param named the schemas that it may refer to */
  constructor(
    schema: unknown,
    named: NamedSchemas,
    validators: Validators,
    sink: Pick<MismatchSink, 'compileFailed'>,
  ) {
    this.#schema = schema
    this.#named = named
    this.#validators = validators
    this.#sink = sink
  }

  get #compiled(): Validator {
    this.#validator ??= this.#validators.of(this.#schema, this.#named)
    return this.#validator
  }

  /** Compiles the schema before it is needed. Never rejects. */
  async compileAhead(yieldTurn: YieldTurn): Promise<void> {
    try {
      await this.#validators.compileAhead([this.#compiled], yieldTurn)
    } catch (error) {
      this.#sink.compileFailed(error)
    }
  }

  /** The names of properties that the document writes, here and in its named schemas. */
  get names(): ReadonlySet<string> {
    this.#names ??= writtenNames([this.#schema, ...Object.values(this.#named)])
    return this.#names
  }

  /** See {@link textReaderOf}. */
  readerBy(rules: TextRules): TextReader | undefined {
    return textReaderOf(this.#schema, this.#named, rules)
  }

  /** See {@link judgedNames}. */
  judgedNames(): (name: string) => boolean {
    return judgedNames(this.#schema, this.#named)
  }

  /**
   * What does not fit; undefined when the value fits. A check that takes long goes on in later turns of the event loop.
   * @param at JSON Pointer of the value
   * @param mode under `log` a schema that cannot be compiled passes every value
   * @throws Error where `enforce` needs a schema that cannot be compiled: a bug
   */
  mistakesOf(value: unknown, at: string, mode: MismatchMode): Found | Promise<Found> {
    try {
      const found = this.#compiled.check(value, at)
      return found instanceof Promise ? found.catch((error) => this.#failed(error, mode)) : found
    } catch (error) {
      return this.#failed(error, mode)
    }
  }

  #failed(error: unknown, mode: MismatchMode): undefined {
    this.#sink.compileFailed(error)
    if (mode !== 'log') throw error
  }
}
