/** `service.rotate_realm_keys`: makes the next key by which a realm signs its tokens. */
import type { Procedure } from '#procedures/definition/procedure.ts'
import { checkRealm } from '#procedures/definition/within.ts'

/** Answers `{uri, kid, active_from}`, in seconds since the epoch; tokens signed by older keys stay valid. */
export const rotateRealmKeys: Procedure = {
  uri: 'service.rotate_realm_keys',
  parameters: [{ name: 'uri', type: 'string' }],
  access: 'load',
  mirrors: [{ method: 'POST', path: '/realms/:uri/rotate_keys' }],
  async handler({ realms, keys }, [uri], caller) {
    checkRealm(String(uri), caller)
    realms.get(String(uri)) // 404 for an unknown realm
    return { value: { uri, ...(await keys.rotate(String(uri))) } }
  },
}
