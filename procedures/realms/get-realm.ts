/** `service.get_realm`: one realm document, without its secrets. */
import type { Procedure } from '#procedures/definition/procedure.ts'
import { checkRealm } from '#procedures/definition/within.ts'

/** Answers the document and `ts`. */
export const getRealm: Procedure = {
  uri: 'service.get_realm',
  parameters: [{ name: 'uri', type: 'string' }],
  access: 'read',
  mirrors: [{ method: 'GET', path: '/realms/:uri' }],
  handler({ realms }, [uri], asking) {
    checkRealm(String(uri), asking)
    return { value: realms.get(String(uri)) }
  },
}
