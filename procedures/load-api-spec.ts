/** `service.load_api_spec`: validates, compiles and activates an API Specification. */
import { pathOf } from './location.ts'
import type { Procedure } from './procedure.ts'

/** Answers `{id, ts, warnings}`; live and on the disk when it does. */
export const loadApiSpec: Procedure = {
  uri: 'service.load_api_spec',
  parameters: [{ name: 'api_spec', type: 'document' }],
  access: 'load',
  isBodyDocument: true,
  mirrors: [{ method: 'POST', path: '/api_specs' }],
  async handler({ registry }, [document], by) {
    const { id, ts, warnings, hash, isNew } = await registry.load(document, by)
    const value = { id, ts, warnings }
    const headers = { etag: `"${hash}"` }
    if (!isNew) return { value, headers }
    return { value, status: 201, headers: { ...headers, location: pathOf('api_specs', id) } }
  },
}
