/** `service.get_api_spec_info`: the description of an API Specification, without its versions. */
import type { Procedure } from '#procedures/definition/procedure.ts'

/** Answers id, name, host, realm_uri, meta, as far as the document has them, and ts. */
export const getApiSpecInfo: Procedure = {
  uri: 'service.get_api_spec_info',
  parameters: [{ name: 'id', type: 'string' }],
  access: 'read',
  mirrors: [{ method: 'GET', path: '/api_specs/:id/info' }],
  handler: ({ registry }, [id], { within }) => ({ value: registry.info(String(id), within) }),
}
