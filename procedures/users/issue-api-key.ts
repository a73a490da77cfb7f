/** `service.issue_api_key`: makes a key with which programs act for a user of a realm. */
import { ServiceError } from '#component/errors.ts'
import { pathOf } from '#procedures/definition/location.ts'
import type { Procedure } from '#procedures/definition/procedure.ts'
import { checkRealm } from '#procedures/definition/within.ts'

/** Answers `{id, api_key, ts}`; the key is never shown again. */
export const issueApiKey: Procedure = {
  uri: 'service.issue_api_key',
  parameters: [
    { name: 'uri', type: 'string' },
    { name: 'username', type: 'string' },
  ],
  access: 'load',
  mirrors: [{ method: 'POST', path: '/realms/:uri/users/:username/api_keys' }],
  async handler({ logins, apiKeys }, [uri, username], caller) {
    const [realm_uri, authid] = [String(uri), String(username)]
    checkRealm(realm_uri, caller)
    if (!logins.user(realm_uri, authid)) {
      const message = 'the realm has no enabled user of this name'
      throw new ServiceError('service.error.not_found', message)
    }
    const issued = await apiKeys.issue(realm_uri, authid)
    const headers = { location: pathOf('api_keys', issued.id) }
    return { value: issued, status: 201, headers }
  },
}
