/** `service.delete_api_spec`: deletes an API Specification and its routes. */
import type { Procedure } from '#procedures/definition/procedure.ts'

/** Answers `{id, ts}`; the routes are removed by then. */
export const deleteApiSpec: Procedure = {
  uri: 'service.delete_api_spec',
  parameters: [{ name: 'id', type: 'string' }],
  access: 'load',
  mirrors: [{ method: 'DELETE', path: '/api_specs/:id', status: 204 }],
  async handler({ registry }, [id], { by, conditions, within }) {
    return { value: await registry.remove(String(id), by, conditions, within) }
  },
}
