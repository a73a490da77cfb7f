/** Traces of real requests: tokens from any node, the tracer of the gateway while one is alive, and the traces of all nodes. */

import type { CompilePorts } from '#component/compile/compile.ts'
import { ServiceError } from '#component/errors.ts'
import type { MetricSource } from '#component/metrics/source.ts'
import type { Registry } from '#component/registry/registry.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { KeptTraces } from '#component/tracing/kept-traces.ts'
import { TraceTokens } from '#component/tracing/trace-tokens.ts'
import type { RequestTracer, TracerPorts } from '#component/tracing/tracer.ts'
import { WampError } from '#component/wamp/session.ts'
import { askNodes, type Nodes, readMaps } from '#component/wiring/ask-nodes.ts'
import type { WiringContext } from '#component/wiring/context.ts'
import { compilePortsOf } from '#component/wiring/documents/open-documents.ts'
import type { Serving } from '#component/wiring/serving.ts'
import { broadcasting } from '#component/wiring/users.ts'
import { decodeBody, encodeBody } from '#http/codec.ts'
import type { Management } from '#procedures/definition/procedure.ts'

type Traces = NonNullable<Management['traces']>
type FoundTrace = Awaited<ReturnType<Traces['find']>>

/** The parts of the node that traces use beside the context. */
interface TracedParts {
  readonly serving: Pick<Serving, 'gateway'>
  readonly registry: Pick<Registry, 'served' | 'info'>
  readonly schemas: NonNullable<CompilePorts['schemas']>
  readonly sync: Nodes
}

/** Reads the trace of another node; undefined when it has none. */
function readTrace(value: unknown): FoundTrace {
  if (!isMap(value)) return undefined
  const { realm_uri, text } = value
  return typeof realm_uri === 'string' && typeof text === 'string' ? { realm_uri, text } : undefined
}

/** The traces of a node; it has none where `explain.traces` is false. */
export class Tracing implements Traces {
  readonly #context: WiringContext
  readonly #parts: TracedParts
  readonly #kept = new KeptTraces()
  readonly #tokens: TraceTokens
  #tracer: RequestTracer | undefined

  constructor(context: WiringContext, parts: TracedParts) {
    const { box, clock, replica, broadcast } = context
    this.#context = context
    this.#parts = parts
    this.#tokens = new TraceTokens({ box, clock, replica: broadcasting(replica, broadcast) })
    this.#tokens.onAlive = (isAlive) => this.#trace(isAlive)
    const { answers } = parts.sync
    answers.trace = ({ id }) => ({ trace: this.#kept.find(String(id)) ?? null })
    answers.traces = ({ api_spec, realm_uri }) => ({
      traces: this.#list(String(api_spec), String(realm_uri)),
    })
  }

  /** Traces from now on, as soon as a token is alive on any node. */
  start(): void {
    if (this.#context.config.explain.traces) this.#tokens.start()
  }

  stop(): void {
    this.#tokens.stop()
  }

  async #trace(isAlive: boolean): Promise<void> {
    const { gateway } = this.#parts.serving
    gateway.tracer = undefined
    this.#tracer?.forget()
    if (!isAlive) return
    // a start without traces does not pay for it
    const { RequestTracer } = await import('#component/tracing/tracer.ts')
    this.#tracer ??= new RequestTracer(this.#tracerPorts())
    if (this.#tokens.isAlive) gateway.tracer = this.#tracer
  }

  #tracerPorts(): TracerPorts {
    const { config, clock, node, log } = this.#context
    const { registry, schemas } = this.#parts
    return {
      ...{ node, log, tokens: this.#tokens, kept: this.#kept, secretNames: config.explain.redact },
      ...{ identity: config.wamp.identity, codec: { decode: decodeBody, encode: encodeBody } },
      ...{ elapsed: () => performance.now(), now: () => clock.now() },
      compile: compilePortsOf(this.#context, schemas),
      served: (id) => registry.served(id),
    }
  }

  async find(id: string): Promise<FoundTrace> {
    const node = id.split('.', 1).join()
    if (node === this.#context.node) return this.#kept.find(id)
    if (!/^[a-z0-9-]{1,128}$/.test(node)) return undefined
    try {
      return readTrace((await this.#parts.sync.ask(node, 'trace', { id })).trace)
    } catch (cause) {
      const isUnknown =
        cause instanceof WampError && cause.error_uri === 'wamp.error.no_such_procedure'
      if (isUnknown) return undefined
      const message = 'the node of the trace does not respond'
      throw new ServiceError('service.error.unavailable', message, { cause })
    }
  }

  async list(api_spec: string): Promise<object> {
    const { sync, registry } = this.#parts
    const realm_uri = String(registry.info(api_spec).realm_uri)
    const question = { api_spec, realm_uri }
    const read = (answer: JsonMap) => readMaps(answer.traces)
    const { answers, unheard } = await askNodes(sync, 'traces', question, read)
    const traces = [this.#list(api_spec, realm_uri), ...answers].flat()
    traces.sort((a, b) => Number(b.ts) - Number(a.ts))
    return { traces, unheard }
  }

  #list(api_spec: string, realm_uri: string): readonly JsonMap[] {
    const { node } = this.#context
    return this.#kept.list(api_spec, realm_uri).map((trace) => ({ ...trace, node }))
  }

  async issue(grant: Parameters<Traces['issue']>[0], seconds: number): Promise<object> {
    const { serving, registry } = this.#parts
    const { api_spec, route } = grant
    const { entries } = serving.gateway.table
    const routes = entries.filter(({ api, procedure }) => api === api_spec && !procedure)
    if (route !== undefined && !routes.some(({ pattern }) => pattern === route)) {
      const message = 'route: expected the pattern of a route of the document, with base_path'
      throw new ServiceError('wamp.error.invalid_argument', message)
    }
    const realm_uri = String(registry.info(api_spec).realm_uri)
    return await this.#tokens.issue({ ...grant, realm_uri }, seconds)
  }

  /** For /metrics. */
  get sources(): Readonly<Record<string, MetricSource>> {
    return {
      gateway_traces_total: {
        help: 'Requests that brought a trace token while one was alive: traced, or refused because theirs did not hold.',
        isCounter: true,
        labels: ['result'],
        read: () => {
          const { traced = 0, refused = 0 } = this.#tracer?.counts ?? {}
          return [
            { labels: { result: 'traced' }, value: traced },
            { labels: { result: 'refused' }, value: refused },
          ]
        },
      },
    }
  }
}
