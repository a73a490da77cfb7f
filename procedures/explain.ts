/** The procedure that explains a request, or a call. */
import { isMap } from '#component/syntax/values.ts'
import type { Procedure } from '#procedures/definition/procedure.ts'

/** Explanations perform nothing; operators of one realm see its documents only. */
export const explainProcedures: readonly Procedure[] = [
  {
    // answers what the request, or the call, would do: the route, checks, expressions, action and response; also where it would fail
    uri: 'service.explain_request',
    parameters: [
      { name: 'request', type: 'document', isOptional: true },
      { name: 'as', type: 'document', isOptional: true },
      { name: 'outcome', type: 'document', isOptional: true },
      { name: 'api_spec', type: 'document', isOptional: true },
      { name: 'invocation', type: 'document', isOptional: true },
    ],
    access: 'read',
    mirrors: [{ method: 'POST', path: '/explain' }],
    async handler({ explain }, given, { by, within }) {
      const names = ['request', 'as', 'outcome', 'api_spec', 'invocation']
      // by position, null leaves one out
      const pairs = names.map((name, at) => [name, given[at] ?? undefined] as const)
      const asked = Object.fromEntries(pairs.filter(([, value]) => value !== undefined))
      return { value: await explain(asked, { by, ...(within !== undefined && { within }) }) }
    },
  },
  {
    // answers `{deliveries: [{api_spec, delivery, at, is_active, sign, order, request, error}]}`: what would be sent for an event
    uri: 'service.explain_event',
    parameters: [
      { name: 'event', type: 'document' },
      { name: 'api_spec', type: 'document', isOptional: true },
    ],
    access: 'read',
    mirrors: [{ method: 'POST', path: '/explain/event' }],
    async handler({ explainEvent }, [event, api_spec], { by, within }) {
      const document = isMap(api_spec) ? api_spec : undefined
      const caller = { by, ...(within !== undefined && { within }) }
      return { value: await explainEvent(event, document, caller) }
    },
  },
]
