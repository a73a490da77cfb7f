/** The procedures for the upstreams of a realm: their targets on all nodes, and the edit that drains one or changes its weight. */
import { settingTarget } from '#component/realm/documents/edits.ts'
import type { JsonMap } from '#component/syntax/values.ts'
import { type Procedure, texts } from '#procedures/definition/procedure.ts'

/** Those that list and edit. */
export const upstreamProcedures: readonly Procedure[] = [
  {
    // answers `{upstreams: [{name, balance, targets: [{url, weight, group, backup, drain, nodes}], auth: {type, tokens} or null}], unheard}`
    uri: 'service.list_upstreams',
    parameters: texts('uri'),
    access: 'read',
    scope: 'realm',
    mirrors: [{ method: 'GET', path: '/realms/:uri/upstreams' }],
    async handler({ realms, upstreams }, [uri]) {
      // a realm that is not there has no list
      realms.hashOf(String(uri))
      return { value: await upstreams(String(uri)) }
    },
  },
  {
    // `changes` has drain and weight, or null to remove them: answers `{uri, upstream, url, ts, warnings}`
    uri: 'service.set_upstream_target',
    parameters: [
      ...texts('uri', 'upstream'),
      { name: 'url', type: 'string', inQuery: true },
      { name: 'changes', type: 'object' },
    ],
    access: 'load',
    scope: 'realm',
    mirrors: [{ method: 'PUT', path: '/realms/:uri/upstreams/:upstream/targets', body: 'changes' }],
    async handler({ realms }, [uri, upstream, url, changes], { by, conditions }) {
      const edit = settingTarget(String(upstream), String(url), changes as JsonMap)
      const { ts, warnings, hash } = await realms.edit(String(uri), edit, by, conditions)
      const headers = { etag: `"${hash}"` }
      return { value: { uri, upstream, url, ts, warnings }, headers }
    },
  },
]
