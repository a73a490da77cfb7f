/** `service.get_api_spec`: one API Specification as it was loaded. */
import type { Procedure } from '#procedures/definition/procedure.ts'

/** Answers the full document and `ts`; `versions` is a map. */
export const getApiSpec: Procedure = {
  uri: 'service.get_api_spec',
  parameters: [{ name: 'id', type: 'string' }],
  access: 'read',
  mirrors: [{ method: 'GET', path: '/api_specs/:id' }],
  handler({ registry }, [id], { within }) {
    const { document, hash } = registry.get(String(id), within)
    return { value: document, headers: { etag: `"${hash}"` } }
  },
}
