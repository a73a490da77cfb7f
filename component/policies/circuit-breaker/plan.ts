/** `circuit_breaker` as it is known when a document is loaded. */
import type { BreakerRule } from './breaker.ts'

/** A circuit breaker at one place of a document. */
export interface BreakerPlan extends BreakerRule {
  /** Names the rule within its document, with its window: operations that inherit it share its circuits. A digest: keys stay short. */
  readonly place: string
  /** Error URIs that are failures beside those of the network. */
  readonly errors: ReadonlySet<string>
}
