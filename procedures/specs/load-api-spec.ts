/** `service.load_api_spec`: validates, compiles and activates an API Specification. */
import type { Loaded } from '#component/registry/change.ts'
import { pathOf } from '#procedures/definition/location.ts'
import type { Answer, Procedure } from '#procedures/definition/procedure.ts'

/** Answers `{id, ts, warnings}`; the document is live and on disk by then. */
export const loadApiSpec: Procedure = {
  uri: 'service.load_api_spec',
  parameters: [{ name: 'api_spec', type: 'document' }],
  access: 'load',
  isBodyDocument: true,
  mirrors: [{ method: 'POST', path: '/api_specs' }],
  async handler({ registry }, [document], { by, conditions, within }) {
    return answerOf(await registry.load(document, by, conditions, within))
  },
}

/** The answer to a load. */
export function answerOf({ id, ts, warnings, hash, isNew }: Loaded): Answer {
  const value = { id, ts, warnings }
  const headers = { etag: `"${hash}"` }
  if (!isNew) return { value, headers }
  return { value, status: 201, headers: { ...headers, location: pathOf('api_specs', id) } }
}
