/** The procedure that explains a request. */
import type { Procedure } from '#procedures/definition/procedure.ts'

/** Explanations perform nothing; operators of one realm see its documents only. */
export const explainProcedures: readonly Procedure[] = [
  {
    // answers what the request would do: the route, checks, expressions, action and response; also where it would fail
    uri: 'service.explain_request',
    parameters: [
      { name: 'request', type: 'document' },
      { name: 'as', type: 'document', isOptional: true },
      { name: 'outcome', type: 'document', isOptional: true },
      { name: 'api_spec', type: 'document', isOptional: true },
    ],
    access: 'read',
    mirrors: [{ method: 'POST', path: '/explain' }],
    async handler({ explain }, [request, ...others], { by, within }) {
      const names = ['as', 'outcome', 'api_spec']
      // by position, null leaves one out
      const given = names.map((name, at) => [name, others[at] ?? undefined] as const)
      const asked = {
        request,
        ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
      }
      return { value: await explain(asked, { by, ...(within !== undefined && { within }) }) }
    },
  },
]
