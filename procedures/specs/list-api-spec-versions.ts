/** `service.list_api_spec_versions`: the history of an API Specification. */
import type { Procedure } from '#procedures/definition/procedure.ts'

/** Answers `[{ts, hash, node, is_current, is_deleted}]`, newest first, also for an id that was deleted; `hash` null is a deletion. */
export const listApiSpecVersions: Procedure = {
  uri: 'service.list_api_spec_versions',
  parameters: [{ name: 'id', type: 'string' }],
  access: 'read',
  mirrors: [{ method: 'GET', path: '/api_specs/:id/versions' }],
  handler: async ({ registry }, [id], { within }) => ({
    value: await registry.versions(String(id), within),
  }),
}
