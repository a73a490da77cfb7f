/** `circuit_breaker` as it is known when a document is loaded. */
import type { BreakerRule } from './breaker.ts'

/** A circuit breaker at one place of a document. */
export interface BreakerPlan extends BreakerRule {
  /** JSON Pointer of where it is written: operations that inherit it share its circuits. */
  readonly at: string
  /** Error URIs that are failures beside those of the network. */
  readonly errors: ReadonlySet<string>
}
