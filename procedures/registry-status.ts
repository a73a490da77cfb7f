/** `service.registry_status`: the state of this node and of its peers. */
import type { Procedure } from '#procedures/definition/procedure.ts'
import { checkWhole } from '#procedures/definition/within.ts'

/** Answers the state of the peers and of the registry, and the objects that the node does not serve. */
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
