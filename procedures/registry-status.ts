/** `service.registry_status`: how this node is doing among the others. */
import type { Procedure } from '#procedures/definition/procedure.ts'
import { checkWhole } from '#procedures/definition/within.ts'

/** Answers what the node knows of the others, of its registry, and of what it does not serve. */
export const registryStatus: Procedure = {
  uri: 'service.registry_status',
  parameters: [],
  access: 'read',
  mirrors: [{ method: 'GET', path: '/registry' }],
  async handler(management, _args, asking) {
    checkWhole(asking)
    return { value: await management.status() }
  },
}
