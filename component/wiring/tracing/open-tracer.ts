/** Makes the tracer of the gateway; imported with the first token, so that a start without traces does not pay for it. */
import type { CompilePorts } from '#component/compile/compile.ts'
import type { Registry } from '#component/registry/registry.ts'
import type { KeptTraces } from '#component/tracing/kept-traces.ts'
import { tellTrace } from '#component/tracing/told-trace.ts'
import type { TraceTokens } from '#component/tracing/trace-tokens.ts'
import { RequestTracer } from '#component/tracing/tracer.ts'
import type { Nodes } from '#component/wiring/ask-nodes.ts'
import type { WiringContext } from '#component/wiring/context.ts'
import { compilePortsOf } from '#component/wiring/documents/open-documents.ts'
import type { Serving } from '#component/wiring/serving.ts'
import { decodeBody, encodeBody } from '#http/codec.ts'

/** The parts of the node that a tracer uses beside the context. */
export interface TracedParts {
  readonly serving: Pick<Serving, 'gateway'>
  readonly registry: Pick<Registry, 'served' | 'info'>
  readonly schemas: NonNullable<CompilePorts['schemas']>
  readonly sync: Nodes
}

/** @param kept takes the traces */
export function openTracer(
  context: WiringContext,
  { registry, schemas }: Pick<TracedParts, 'registry' | 'schemas'>,
  tokens: TraceTokens,
  kept: KeptTraces,
): RequestTracer {
  const { config, clock, node, log } = context
  return new RequestTracer({
    ...{ tokens, node, identity: config.wamp.identity },
    codec: { decode: decodeBody, encode: encodeBody },
    compile: compilePortsOf(context, schemas),
    elapsed: () => performance.now(),
    served: (id) => registry.served(id),
    async keep(id, trace) {
      try {
        const told = await tellTrace(id, trace, clock.now(), config.explain.redact)
        const { exchange, found, reply } = trace
        const { api, pattern, realm_uri } = found.entry
        const listed = {
          id,
          ts: told.ts,
          method: exchange.method,
          route: pattern,
          status: reply.status,
        }
        kept.keep({ api_spec: api, realm_uri, listed }, { ...told })
      } catch (err) {
        log.error({ err, request_id: trace.exchange.id }, 'a trace was not kept')
      }
    },
  })
}
