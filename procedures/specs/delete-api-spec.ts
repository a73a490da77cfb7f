/** `service.delete_api_spec`: takes an API Specification and its routes away. */
import type { Procedure } from '#procedures/definition/procedure.ts'

/** Answers `{id, ts}`; the routes are gone when it does. */
export const deleteApiSpec: Procedure = {
  uri: 'service.delete_api_spec',
  parameters: [{ name: 'id', type: 'string' }],
  access: 'load',
  mirrors: [{ method: 'DELETE', path: '/api_specs/:id', status: 204 }],
  async handler({ registry }, [id], { by, conditions, within }) {
    return { value: await registry.remove(String(id), by, conditions, within) }
  },
}
