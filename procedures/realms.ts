/** The procedures for realm documents, which they show without their secrets. */
import { type Procedure, pathOf, texts } from '#procedures/definition/procedure.ts'
import { checkRealmDocuments } from '#procedures/definition/within.ts'

/** Those that load, read and delete realm documents. */
export const realmProcedures: readonly Procedure[] = [
  {
    // answers `{uri, ts, warnings}`, for an array an array of these; the documents are in force and on disk by then
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
  },
  {
    // answers the document and `ts`
    uri: 'service.get_realm',
    parameters: texts('uri'),
    access: 'read',
    scope: 'realm',
    mirrors: [{ method: 'GET', path: '/realms/:uri' }],
    handler: ({ realms }, [uri]) => ({ value: realms.get(String(uri)) }),
  },
  {
    // answers an array of documents, by URI
    uri: 'service.list_realms',
    parameters: [],
    access: 'read',
    mirrors: [{ method: 'GET', path: '/realms' }],
    handler({ realms }, _args, { within }) {
      const all = realms.list()
      return { value: all.filter(({ uri }) => within === undefined || uri === within) }
    },
  },
  {
    // answers `{uri, ts}`; refused while other realms inherit from it
    uri: 'service.delete_realm',
    parameters: texts('uri'),
    access: 'load',
    scope: 'realm',
    mirrors: [{ method: 'DELETE', path: '/realms/:uri', status: 204 }],
    async handler({ realms, forgetRealm }, [uri], { by }) {
      const value = await realms.remove(String(uri), by)
      await forgetRealm(String(uri))
      return { value }
    },
  },
]
