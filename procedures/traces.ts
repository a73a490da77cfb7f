/** The procedures for traces: tokens that let requests be traced, and the traces. */
import { parseOwnJson } from '#component/codec/json.ts'
import { ServiceError } from '#component/errors.ts'
import { type Management, type Procedure, texts } from '#procedures/definition/procedure.ts'
import { checkRealm } from '#procedures/definition/within.ts'

/** How long a token holds, and holds at most; seconds. */
const lifetime = { usual: 900, most: 3_600 } as const

/** @throws ServiceError where there are none */
function tracesOf({ traces }: Management): NonNullable<Management['traces']> {
  if (traces) return traces
  const message = 'requests are not traced: explain.traces is false'
  throw new ServiceError('wamp.error.not_authorized', message)
}

/** Tokens and traces. */
export const traceProcedures: readonly Procedure[] = [
  {
    // answers `{token, id, expires_at}`; the token is shown once
    uri: 'service.issue_trace_token',
    parameters: [
      ...texts('id'),
      { name: 'seconds', type: 'integer', isOptional: true },
      { name: 'route', type: 'string', isOptional: true },
      { name: 'authid', type: 'string', isOptional: true },
    ],
    access: 'load',
    mirrors: [{ method: 'POST', path: '/api_specs/:id/trace_tokens' }],
    async handler(management, [id, seconds = lifetime.usual, route, authid], { within }) {
      const traces = tracesOf(management)
      const api_spec = String(id)
      management.registry.info(api_spec, within)
      const wanted = Number(seconds)
      if (wanted < 1 || wanted > lifetime.most) {
        const message = `seconds: expected an integer from 1 to ${lifetime.most}`
        throw new ServiceError('wamp.error.invalid_argument', message)
      }
      const grant = {
        api_spec,
        ...(route !== undefined && { route: String(route) }),
        ...(authid !== undefined && { authid: String(authid) }),
      }
      return { value: await traces.issue(grant, wanted), status: 201 }
    },
  },
  {
    // answers `{traces: [{id, ts, node, method, route, status}], unheard}`: what all nodes keep of the document, the newest first
    uri: 'service.list_traces',
    parameters: texts('id'),
    access: 'load',
    keepsDocuments: true,
    mirrors: [{ method: 'GET', path: '/api_specs/:id/traces' }],
    async handler(management, [id], { within }) {
      const traces = tracesOf(management)
      management.registry.info(String(id), within)
      return { value: await traces.list(String(id)) }
    },
  },
  {
    // answers what `service.explain_request` does, with what really happened
    uri: 'service.get_trace',
    parameters: texts('id'),
    access: 'load',
    keepsDocuments: true,
    mirrors: [{ method: 'GET', path: '/traces/:id' }],
    async handler(management, [id], caller) {
      const found = await tracesOf(management).find(String(id))
      if (found === undefined) {
        const message = 'there is no such trace: a node keeps its last 100 traces, for 10 minutes'
        throw new ServiceError('service.error.not_found', message)
      }
      checkRealm(found.realm_uri, caller)
      return { value: parseOwnJson(found.text) }
    },
  },
]
