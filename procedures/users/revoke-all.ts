/** `service.revoke_all`: revokes all tokens, tickets and API keys of a user, and ends its sessions. */
import type { Procedure } from '#procedures/definition/procedure.ts'
import { checkRealm } from '#procedures/definition/within.ts'

/** Answers `{uri, username}`; also for a former user of the realm. The user may log in again. */
export const revokeAll: Procedure = {
  uri: 'service.revoke_all',
  parameters: [
    { name: 'uri', type: 'string' },
    { name: 'username', type: 'string' },
  ],
  access: 'load',
  mirrors: [{ method: 'POST', path: '/realms/:uri/users/:username/revoke_all' }],
  async handler(management, [uri, username], caller) {
    const [realm_uri, authid] = [String(uri), String(username)]
    checkRealm(realm_uri, caller)
    management.realms.get(realm_uri) // 404 for an unknown realm
    await management.endUsers([{ realm_uri, authid }])
    return { value: { uri: realm_uri, username: authid } }
  },
}
