/** Trace contexts in WAMP messages: a keyword argument that a document names, and the options and details that the embedded router passes on. */
import { isMap } from '#component/syntax/values.ts'
import { readTraceContext, type TraceContext, traceparentOf } from './trace-context.ts'

type Attributes = Readonly<Record<string, unknown>>

/** Options of CALL and PUBLISH, and details of INVOCATION and EVENT. Only the gateway sets them in its own messages. */
export const traceAttributes: readonly string[] = ['_traceparent', '_tracestate']

/** The key of WELCOME.Details by which the embedded router says that it passes {@link traceAttributes} on. */
export const traceAnnouncement = '_trace_context'

/** The options with the attributes of a context. */
export const withTraceAttributes = (options: Attributes, context: TraceContext): Attributes => ({
  ...options,
  _traceparent: traceparentOf(context),
  ...(context.tracestate !== undefined && { _tracestate: context.tracestate }),
})

/** Adds the context that options hold to details; a malformed one is left out. */
export function addTraceDetails(
  details: Record<string, unknown>,
  { _traceparent, _tracestate }: Attributes,
): void {
  if (typeof _traceparent !== 'string') return
  const tracestate = typeof _tracestate === 'string' ? _tracestate : undefined
  const context = readTraceContext(_traceparent, tracestate)
  if (context === undefined) return
  details._traceparent = _traceparent
  if (context.tracestate !== undefined) details._tracestate = context.tracestate
}

/**
 * The header fields of the context that a call brings: that of its details, as the embedded router passes it on, else that of the
 * keyword argument which the document names. They are not checked.
 */
export function traceFieldsOf(
  details: Attributes,
  kwargs: Attributes,
  name: string | undefined,
): Readonly<Record<string, string>> {
  const { _traceparent, _tracestate } = details
  if (typeof _traceparent === 'string') return texts(_traceparent, _tracestate)
  const argument = name !== undefined && Object.hasOwn(kwargs, name) ? kwargs[name] : undefined
  const { traceparent, tracestate } = isMap(argument) ? argument : noFields
  return typeof traceparent === 'string' ? texts(traceparent, tracestate) : {}
}

const noFields: Attributes = {}

const texts = (traceparent: string, tracestate: unknown) => ({
  traceparent,
  ...(typeof tracestate === 'string' && { tracestate }),
})

/** Details without a context: they may be shown to others than the peer itself. The same ones where they hold none. */
export function withoutTraceDetails(details: Attributes): Attributes {
  if (details._traceparent === undefined && details._tracestate === undefined) return details
  const { _traceparent, _tracestate, ...others } = details
  return others
}

/**
 * Kwargs with a context under a name, or without that name where there is no context: whatever a request has put there, the callee
 * sees a context of the gateway or none.
 */
export function withTraceArgument(
  kwargs: Attributes,
  name: string,
  context: TraceContext | undefined,
): Attributes {
  if (context !== undefined) return { ...kwargs, [name]: traceFields(context) }
  if (!Object.hasOwn(kwargs, name)) return kwargs
  const { [name]: _, ...others } = kwargs
  return others
}

/** The header fields of a context by name, for an OpenTelemetry propagator to extract. */
const traceFields = (context: TraceContext): Attributes => ({
  traceparent: traceparentOf(context),
  ...(context.tracestate !== undefined && { tracestate: context.tracestate }),
})
