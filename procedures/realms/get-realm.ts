/** `service.get_realm`: one realm document, without its secrets. */
import type { Procedure } from '#procedures/definition/procedure.ts'
import { checkRealm } from '#procedures/definition/within.ts'

/** Answers the document and `ts`. */
export const getRealm: Procedure = {
  uri: 'service.get_realm',
  parameters: [{ name: 'uri', type: 'string' }],
  access: 'read',
  mirrors: [{ method: 'GET', path: '/realms/:uri' }],
  handler({ realms }, [uri], caller) {
    checkRealm(String(uri), caller)
    return { value: realms.get(String(uri)) }
  },
}
