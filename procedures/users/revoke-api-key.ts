/** `service.revoke_api_key`: ends one API key. */
import { ServiceError } from '#component/errors.ts'
import type { Procedure } from '#procedures/definition/procedure.ts'
import { checkRealm } from '#procedures/definition/within.ts'

/** Answers `{id, uri, username}`; the key is refused from then on. */
export const revokeApiKey: Procedure = {
  uri: 'service.revoke_api_key',
  parameters: [{ name: 'id', type: 'string' }],
  access: 'load',
  mirrors: [{ method: 'DELETE', path: '/api_keys/:id', status: 204 }],
  async handler({ apiKeys }, [id], caller) {
    const owner = apiKeys.owner(String(id))
    if (!owner) {
      throw new ServiceError('service.error.not_found', 'no API key has this id')
    }
    checkRealm(owner.realm_uri, caller)
    await apiKeys.revoke(owner.id)
    return { value: { id: owner.id, uri: owner.realm_uri, username: owner.username } }
  },
}
