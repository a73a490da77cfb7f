/** `service.forget_account`: frees a name that a user of an identity provider has in a realm. */
import type { Procedure } from '#procedures/definition/procedure.ts'
import { checkRealm } from '#procedures/definition/within.ts'

/**
 * Answers `{uri, authid}`. The next login with that name gets it; everything issued to the user is revoked. 404 where
 * no login has bound the name.
 */
export const forgetAccount: Procedure = {
  uri: 'service.forget_account',
  parameters: [
    { name: 'uri', type: 'string' },
    { name: 'authid', type: 'string' },
  ],
  access: 'load',
  mirrors: [{ method: 'DELETE', path: '/realms/:uri/accounts/:authid', status: 204 }],
  async handler(management, [uri, name], caller) {
    const [realm_uri, authid] = [String(uri), String(name)]
    checkRealm(realm_uri, caller)
    management.realms.get(realm_uri) // 404 for an unknown realm
    await management.forgetAccount({ realm_uri, authid })
    return { value: { uri: realm_uri, authid } }
  },
}
