/** What is counted of the calls of procedures. */
import type { CompiledOperation } from '#component/gateway/api.ts'
import { durationBounds } from '#component/metrics/bounds.ts'
import { Family, type SeriesStock } from '#component/metrics/family.ts'

/** How a call has ended: `canceled` where nobody waits for its answer any more. */
export type CallOutcome = 'ok' | 'error' | 'canceled'

/** Of one process. */
export class ProcedureMetrics {
  readonly #durations: Family

  constructor(stock: SeriesStock) {
    this.#durations = new Family(
      {
        name: 'gateway_procedure_call_duration_seconds',
        help: 'Time from an INVOCATION of a procedure of a document to its response, by API, version, procedure (as the document registers it) and outcome: ok, error, canceled.',
        counter: {
          name: 'gateway_procedure_calls_total',
          help: 'Calls of procedures of documents, by API, version, procedure and outcome: ok, error, canceled.',
        },
        subject: 'procedure',
        bounds: durationBounds,
        labels: ['outcome'],
      },
      stock,
    )
  }

  over({ path }: CompiledOperation, outcome: CallOutcome, seconds: number): void {
    this.#durations.at(path.version, path.pattern, outcome).observe(seconds)
  }
}
