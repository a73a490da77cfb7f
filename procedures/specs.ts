/** The procedures for API Specifications: load, validate, read, delete, roll back. */
import { ServiceError } from '#component/errors.ts'
import { type ExamplesMode, examplesModes } from '#component/examples/modes.ts'
import { descriptionTypes } from '#component/openapi/text.ts'
import type { Loaded } from '#component/registry/change.ts'
import type { Registry } from '#component/registry/registry.ts'
import { memberOf } from '#component/syntax/values.ts'
import {
  type Answer,
  type Management,
  type Procedure,
  pathOf,
  texts,
} from '#procedures/definition/procedure.ts'
import { checkRealm } from '#procedures/definition/within.ts'
import { versionPair, versionPairMirrors } from './version-pair.ts'

/** `added`: the paths that a document adds; absent where it adds none. */
function addedBy(management: Management, entries: ReturnType<Registry['entriesOf']>) {
  const added = management.added(entries)
  return added.length > 0 && { added }
}

/** The answer to a load, also to that of an older version. */
function answerOf(management: Management, { id, ts, warnings, hash, isNew }: Loaded): Answer {
  const added = addedBy(management, management.registry.entriesOf(id))
  const value = { id, ts, warnings, ...added }
  const headers = { etag: `"${hash}"` }
  if (!isNew) return { value, headers }
  return { value, status: 201, headers: { ...headers, location: pathOf('api_specs', id) } }
}

/** @throws ServiceError for what is no mode */
function readMode(mode: unknown): ExamplesMode {
  const found = mode === undefined ? 'off' : examplesModes.find((each) => each === mode)
  if (found !== undefined) return found
  const message = `examples: expected one of ${examplesModes.join(', ')}`
  throw new ServiceError('wamp.error.invalid_argument', message)
}

/** The registry itself keeps operators of one realm within it. */
export const specProcedures: readonly Procedure[] = [
  {
    // answers `{id, ts, warnings, added}`; the document is live and on disk by then. `examples`: `off`, `warn` or `refuse`
    uri: 'service.load_api_spec',
    parameters: [
      { name: 'api_spec', type: 'document' },
      { name: 'examples', type: 'string', isOptional: true, inQuery: true },
    ],
    access: 'load',
    isBodyDocument: true,
    mirrors: [{ method: 'POST', path: '/api_specs' }],
    async handler(management, [document, mode], { by, conditions, within }) {
      const { registry, examples } = management
      const failures = await examples.judge(document, readMode(mode))
      const loaded = await registry.load(document, by, conditions, within)
      return answerOf(management, { ...loaded, warnings: [...loaded.warnings, ...failures] })
    },
  },
  {
    // answers `{id, warnings, added}`, or refuses as loading would
    uri: 'service.validate_api_spec',
    parameters: [{ name: 'api_spec', type: 'document' }],
    access: 'load',
    keepsDocuments: true,
    isBodyDocument: true,
    mirrors: [],
    async handler(management, [document], { within }) {
      const { id, warnings, table } = await management.registry.tryOut(document, within)
      const entries = table.entries.filter(({ api }) => api === id)
      return { value: { id, warnings, ...addedBy(management, entries) } }
    },
  },
  {
    // answers `{passed, failed, operations, without, uncovered, results}`; nothing is performed
    uri: 'service.test_api_spec',
    parameters: [{ name: 'api_spec', type: 'document' }],
    access: 'read',
    isBodyDocument: true,
    mirrors: [],
    async handler({ examples }, [document], caller) {
      checkRealm(String(memberOf(document, 'realm_uri')), caller)
      return { value: await examples.test(document) }
    },
  },
  {
    // answers the full document and `ts`; `versions` is a map
    uri: 'service.get_api_spec',
    parameters: texts('id'),
    access: 'read',
    mirrors: [{ method: 'GET', path: '/api_specs/:id' }],
    handler({ registry }, [id], { within }) {
      const { document, hash } = registry.get(String(id), within)
      return { value: document, headers: { etag: `"${hash}"` } }
    },
  },
  {
    // answers id, name, host, realm_uri, meta, as far as the document has them, and ts
    uri: 'service.get_api_spec_info',
    parameters: texts('id'),
    access: 'read',
    mirrors: [{ method: 'GET', path: '/api_specs/:id/info' }],
    handler: ({ registry }, [id], { within }) => ({ value: registry.info(String(id), within) }),
  },
  {
    // answers the OpenAPI description of an active version, with what lies behind each operation
    uri: 'service.get_openapi',
    parameters: [
      { name: 'id', type: 'string' },
      { name: 'version', type: 'string', isOptional: true, inQuery: true },
    ],
    access: 'read',
    mirrors: [{ method: 'GET', path: '/api_specs/:id/openapi' }],
    async handler({ registry, descriptions }, [id, version], { within }) {
      const label = version === undefined ? undefined : String(version)
      const value = await descriptions.describe(registry.versions(String(id), within), label)
      const forms = descriptionTypes.map((type) => ({
        type,
        write: () => descriptions.write(value, type),
      }))
      return { value, forms }
    },
  },
  {
    // answers an array of full documents, by id
    uri: 'service.list_api_specs',
    parameters: [],
    access: 'read',
    mirrors: [{ method: 'GET', path: '/api_specs' }],
    handler: ({ registry }, _args, { within }) => ({ value: registry.list(within) }),
  },
  {
    // answers `{id, ts}`; the routes are removed by then
    uri: 'service.delete_api_spec',
    parameters: texts('id'),
    access: 'load',
    mirrors: [{ method: 'DELETE', path: '/api_specs/:id', status: 204 }],
    async handler({ registry }, [id], { by, conditions, within }) {
      return { value: await registry.remove(String(id), by, conditions, within) }
    },
  },
  {
    // answers `[{ts, hash, node, by, is_current, is_deleted}]`, newest first, also for an id that was deleted; `hash` null is a deletion
    uri: 'service.list_api_spec_versions',
    parameters: texts('id'),
    access: 'read',
    mirrors: [{ method: 'GET', path: '/api_specs/:id/versions' }],
    handler: async ({ registry }, [id], { within }) => ({
      value: await registry.history.list(String(id), within),
    }),
  },
  {
    // answers the document of that version and its `ts`
    uri: 'service.get_api_spec_version',
    parameters: texts('id', 'hash'),
    access: 'read',
    mirrors: [{ method: 'GET', path: '/api_specs/:id/versions/:hash' }],
    async handler({ registry }, [id, hash], { within }) {
      const found = await registry.history.get(String(id), String(hash), within)
      return { value: found.document, headers: { etag: `"${found.hash}"` } }
    },
  },
  {
    // answers `[{path, kind, from, to}]`: what changed from the version `from` to the version `to`, or to the current one
    uri: 'service.diff_api_spec',
    parameters: versionPair('id'),
    access: 'read',
    mirrors: versionPairMirrors('/api_specs/:id'),
    async handler({ registry }, [id, from, to], { within }) {
      const other = to === undefined ? undefined : String(to)
      return { value: await registry.history.differences(String(id), String(from), other, within) }
    },
  },
  {
    // answers as a load of that document would
    uri: 'service.rollback_api_spec',
    parameters: texts('id', 'hash'),
    access: 'load',
    mirrors: [{ method: 'POST', path: '/api_specs/:id/rollback' }],
    async handler(management, [id, hash], { by, conditions, within }) {
      const { registry } = management
      const loaded = await registry.rollback(String(id), String(hash), by, conditions, within)
      return answerOf(management, loaded)
    },
  },
  {
    // answers `{id, quotas: [{name, path, window, amount, window_start, window_end, usage: [{sharer, used}]}]}`, of all gateways
    uri: 'service.get_usage',
    parameters: [
      { name: 'id', type: 'string' },
      { name: 'key', type: 'string', isOptional: true, inQuery: true },
    ],
    access: 'read',
    mirrors: [{ method: 'GET', path: '/api_specs/:id/usage' }],
    async handler({ registry, quotaUsage }, [id, key], { within }) {
      const versions = registry.versions(String(id), within)
      const quotas = await quotaUsage(versions, key === undefined ? undefined : String(key))
      return { value: { id, quotas } }
    },
  },
  {
    // answers `{id}`; all nodes have dropped the kept answers with one of the tags, or all of the document
    uri: 'service.purge_cache',
    parameters: [...texts('id'), { name: 'tags', type: 'texts', isOptional: true }],
    access: 'load',
    mirrors: [{ method: 'POST', path: '/api_specs/:id/purge' }],
    async handler({ registry, purgeCache }, [id, tags], { within }) {
      const api_spec = String(id)
      registry.info(api_spec, within)
      await purgeCache(api_spec, tags as readonly string[] | undefined)
      return { value: { id: api_spec } }
    },
  },
]
