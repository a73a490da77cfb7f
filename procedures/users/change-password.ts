/** `service.change_password`: gives a user of a realm another password. */
import type { Procedure } from '#procedures/definition/procedure.ts'
import { checkRealm } from '#procedures/definition/within.ts'

/** Answers `{uri, username, ts}`; everything issued to the user before is revoked by then. */
export const changePassword: Procedure = {
  uri: 'service.change_password',
  parameters: [
    { name: 'uri', type: 'string' },
    { name: 'username', type: 'string' },
    { name: 'password', type: 'string' },
  ],
  access: 'load',
  mirrors: [{ method: 'POST', path: '/realms/:uri/users/:username/password' }],
  async handler({ realms }, [uri, username, password], caller) {
    checkRealm(String(uri), caller)
    const [realm, user] = [String(uri), String(username)]
    return { value: await realms.changePassword(realm, user, String(password), caller.by) }
  },
}
