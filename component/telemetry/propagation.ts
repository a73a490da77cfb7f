/** `traces: propagate`: every request has a trace context, which is passed on and logged; nothing is recorded. */
import { newContext, parentOf, type Trust } from './origin.ts'
import type { RandomIds } from './random-ids.ts'
import type { Sampler } from './sampler.ts'
import type { RequestTrace, Telemetry, TraceBringer } from './telemetry.ts'
import type { TraceContext } from './trace-context.ts'

/** What contexts are made of. */
export interface PropagationPorts {
  readonly ids: RandomIds
  readonly isSampled: Sampler
  readonly trust: Trust
}

/** Passes contexts on. */
export const propagation = (ports: PropagationPorts): Telemetry => ({
  begin: (request) => new PassedTrace(request, ports),
  beginCall: (call) => new PassedTrace(call, ports),
})

/**
 * A trace of which the gateway records no span. The context of a believed parent is passed on as it came: with an id of its own
 * in it, the spans below would have a parent that is nowhere.
 */
class PassedTrace implements RequestTrace {
  readonly #request: TraceBringer
  readonly #ports: PropagationPorts
  #context: TraceContext | undefined

  constructor(request: TraceBringer, ports: PropagationPorts) {
    this.#request = request
    this.#ports = ports
  }

  /** Made when it is first asked for: a fixed answer without an access log needs none. */
  get context(): TraceContext {
    const { ids, isSampled, trust } = this.#ports
    this.#context ??= parentOf(this.#request, trust) ?? newContext(ids, isSampled)
    return this.#context
  }

  get sampledId(): string | undefined {
    // nobody else knows of a trace that began here and was not passed on
    if (this.#context === undefined && this.#request.headers.traceparent === undefined) {
      return undefined
    }
    const { isSampled, traceId } = this.context
    return isSampled ? traceId : undefined
  }

  attempt(): undefined {
    return undefined
  }

  over(): void {
    // nothing is recorded
  }
}
