/** Checks values against schemas: compiled by ajv when first needed, and kept by content. */
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { YieldTurn } from '#component/yielding.ts'
import { type Mistake, mistakesOf } from './mistakes.ts'
import type { NamedSchemas } from './references.ts'

/** Checks values against one schema. */
export interface Validator {
  /**
   * What does not fit; undefined when the value fits. Messages hold no value of it.
   * @param at JSON Pointer of the value, with which all pointers begin
   */
  mistakesOf(value: unknown, at: string): readonly Mistake[] | undefined
}

/** The validators of a process. Those of equal schemas share what was compiled. */
export class Validators {
  /** The validator of a schema that {@link judging} has accepted. */
  of(schema: unknown, named: NamedSchemas): Validator {
    const ajv = new Ajv2020({ strict: false, meta: false, validateSchema: false, allErrors: true })
    const root = typeof schema === 'object' ? { ...schema, schemas: named } : schema
    let check: ReturnType<typeof ajv.compile> | undefined
    return {
      mistakesOf(value, at) {
        check ??= ajv.compile(root as object)
        return check(value) ? undefined : mistakesOf(check.errors ?? [], at)
      },
    }
  }

  /** Compiles validators before they are needed, one a turn of the event loop. */
  async compileAhead(validators: Iterable<Validator>, yieldTurn: YieldTurn): Promise<void> {
    for (const validator of validators) {
      validator.mistakesOf(undefined, '')
      await yieldTurn()
    }
  }
}
