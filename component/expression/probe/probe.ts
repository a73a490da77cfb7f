/** The port of whoever observes expressions: told what each one reads, computes and yields. */

/** Where an expression is written. */
export interface Place {
  /** JSON Pointer of the text that holds it. */
  readonly at: string
  /** As written, with its braces. */
  readonly expression: string
  /** Of its first brace in the text, from 1. */
  readonly column: number
}

/** When a value is known: 1, when the document is loaded; 2, for one request. */
export type Stage = 1 | 2

/** Told of one evaluation, in its order: what is read, each function, and at last the value or the failure. Values are not to be changed. */
export interface Evaluation {
  /**
   * The path at the beginning.
   * @param value undefined: missing, or not looked at as a whole
   */
  onRead(path: string, value: unknown): void
  /**
   * A function.
   * @param args as the function took them; undefined stands for an argument that was not needed
   * @param value undefined where the result was not looked at as a whole
   */
  onStage(name: string, args: readonly unknown[], value: unknown): void
  onValue(value: unknown): void
  /** @param error goes on to whoever evaluates: an expression around this one is told of it, too */
  onFailure(error: unknown): void
}

/** Told when an evaluation of one expression begins. */
export type Observer = (stage: Stage) => Evaluation

/** Told of every expression that is compiled. A scope without a probe compiles to closures that know nothing of probes. */
export interface Probe {
  /** @returns what is told of the expression's evaluations; a constant is evaluated once, in stage 1 */
  onCompile(place: Place): Observer
}
