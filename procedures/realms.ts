/** The procedures for realm documents, which they show without their secrets. */
import type { LoadedRealm } from '#component/realm/loaded-realm.ts'
import { type Answer, type Procedure, pathOf, texts } from '#procedures/definition/procedure.ts'
import { checkRealmDocuments } from '#procedures/definition/within.ts'
import { versionPair, versionPairMirrors } from './version-pair.ts'

/** The answer to the load of one document, also to that of an older version. */
function answerOf({ uri, ts, warnings, hash, isNew }: LoadedRealm): Answer {
  const value = { uri, ts, warnings }
  const headers = { etag: `"${hash}"` }
  if (!isNew) return { value, headers }
  return { value, status: 201, headers: { ...headers, location: pathOf('realms', uri) } }
}

/** Those that load, read, compare and delete realm documents. */
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
      const loaded = await realms.load(document, caller.by, caller.conditions)
      const [first] = loaded
      if (first !== undefined && !Array.isArray(document)) return answerOf(first)
      return { value: loaded.map(({ uri, ts, warnings }) => ({ uri, ts, warnings })) }
    },
  },
  {
    // answers the document and `ts`
    uri: 'service.get_realm',
    parameters: texts('uri'),
    access: 'read',
    scope: 'realm',
    mirrors: [{ method: 'GET', path: '/realms/:uri' }],
    handler({ realms }, [uri]) {
      const value = realms.get(String(uri))
      return { value, headers: { etag: `"${realms.hashOf(String(uri))}"` } }
    },
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
    async handler({ realms, forgetRealm }, [uri], { by, conditions }) {
      const value = await realms.remove(String(uri), by, conditions)
      await forgetRealm(String(uri))
      return { value }
    },
  },
  {
    // answers `[{ts, hash, node, by, is_current, is_deleted}]`, newest first, also for a realm that was deleted; `hash` null is a deletion
    uri: 'service.list_realm_versions',
    parameters: texts('uri'),
    access: 'read',
    scope: 'realm',
    mirrors: [{ method: 'GET', path: '/realms/:uri/versions' }],
    handler: async ({ realms }, [uri]) => ({ value: await realms.history.list(String(uri)) }),
  },
  {
    // answers the document of that version and its `ts`
    uri: 'service.get_realm_version',
    parameters: texts('uri', 'hash'),
    access: 'read',
    scope: 'realm',
    mirrors: [{ method: 'GET', path: '/realms/:uri/versions/:hash' }],
    async handler({ realms }, [uri, hash]) {
      const found = await realms.history.get(String(uri), String(hash))
      return { value: found.document, headers: { etag: `"${found.hash}"` } }
    },
  },
  {
    // answers `[{path, kind, from, to}]`: what changed from the version `from` to the version `to`, or to the current one
    uri: 'service.diff_realm',
    parameters: versionPair('uri'),
    access: 'read',
    scope: 'realm',
    mirrors: versionPairMirrors('/realms/:uri'),
    async handler({ realms }, [uri, from, to]) {
      const other = to === undefined ? undefined : String(to)
      return { value: await realms.history.differences(String(uri), String(from), other) }
    },
  },
  {
    // answers as a load of that document would; secrets are those of that version, with a warning for each user whom it concerns
    uri: 'service.rollback_realm',
    parameters: texts('uri', 'hash'),
    access: 'load',
    scope: 'realm',
    mirrors: [{ method: 'POST', path: '/realms/:uri/rollback' }],
    async handler({ realms }, [uri, hash], caller) {
      const check = (document: unknown) => checkRealmDocuments(document, caller, realms)
      const { by, conditions = {} } = caller
      return answerOf(await realms.rollback(String(uri), String(hash), { by, check, conditions }))
    },
  },
]
