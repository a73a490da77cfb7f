/** `service.load_realm`: declares a realm, or an array of realms, or changes them. */
import { pathOf } from '#procedures/definition/location.ts'
import type { Procedure } from '#procedures/definition/procedure.ts'
import { checkRealmDocuments } from '#procedures/definition/within.ts'

/** Answers `{uri, ts, warnings}`, for an array an array of these; the documents are in force and on disk by then. */
export const loadRealm: Procedure = {
  uri: 'service.load_realm',
  parameters: [{ name: 'realm', type: 'document' }],
  access: 'load',
  isBodyDocument: true,
  mirrors: [{ method: 'POST', path: '/realms' }],
  async handler({ realms }, [document], caller) {
    checkRealmDocuments(document, caller, realms)
    const loaded = await realms.load(document, caller.by)
    const values = loaded.map(({ uri, ts, warnings }) => ({ uri, ts, warnings }))
    const [first] = loaded
    if (Array.isArray(document) || first === undefined) return { value: values }
    if (!first.isNew) return { value: values[0] }
    return { value: values[0], status: 201, headers: { location: pathOf('realms', first.uri) } }
  },
}
