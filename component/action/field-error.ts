/** The failure of an action whose field holds a value that cannot be used; the gateway finds out whose fault it is. */
import { ExpressionError } from '#component/errors.ts'

/** The value of a field, or of a member of it, that an action cannot use. */
export class FieldError extends ExpressionError {
  /** The field, then the keys below it. */
  readonly keys: readonly string[]
  /** What is allowed there, in words. */
  readonly wanted: string

  constructor(keys: readonly string[], wanted: string) {
    super(`${keys.join(': ')}: expected ${wanted}`)
    this.name = 'ExpressionError'
    this.keys = keys
    this.wanted = wanted
  }
}
