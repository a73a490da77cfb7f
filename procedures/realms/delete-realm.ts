/** `service.delete_realm`: deletes a realm document, its keys, and everything issued to its users. */
import type { Procedure } from '#procedures/definition/procedure.ts'
import { checkRealm } from '#procedures/definition/within.ts'

/** Answers `{uri, ts}`; refused while other realms inherit from it. */
export const deleteRealm: Procedure = {
  uri: 'service.delete_realm',
  parameters: [{ name: 'uri', type: 'string' }],
  access: 'load',
  mirrors: [{ method: 'DELETE', path: '/realms/:uri', status: 204 }],
  async handler({ realms, forgetRealm }, [uri], caller) {
    checkRealm(String(uri), caller)
    const value = await realms.remove(String(uri), caller.by)
    await forgetRealm(String(uri))
    return { value }
  },
}
