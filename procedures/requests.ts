/** The procedures for what passes through the gateway now: live requests, the use of routes, the procedures of documents, and the WAMP sessions of a realm. */
import { ServiceError } from '#component/errors.ts'
import { type Procedure, texts } from '#procedures/definition/procedure.ts'

/** How long a watch holds; seconds. */
const lifetime = { usual: 30, most: 60 } as const

/** What a filter of requests may have: texts; `status` as `404` or `5xx`. */
export const filterKeys: readonly string[] = ['api_spec', 'method', 'route', 'status', 'node']

/** @throws ServiceError */
function checkFilter(filter: unknown): void {
  for (const [key, value] of Object.entries(filter ?? {})) {
    const isKnown = filterKeys.includes(key)
    if (isKnown && typeof value === 'string') continue
    const wanted = isKnown ? 'a string' : `one of ${filterKeys.join(', ')}`
    throw new ServiceError('wamp.error.invalid_argument', `filter/${key}: expected ${wanted}`)
  }
}

/** Those that change nothing. */
export const requestProcedures: readonly Procedure[] = [
  {
    // answers `{seconds}`; all nodes publish requests of routes on `service.requests.<node>` for this time
    uri: 'service.watch_requests',
    parameters: [
      { name: 'seconds', type: 'integer', isOptional: true },
      { name: 'filter', type: 'object', isOptional: true },
    ],
    access: 'read',
    mirrors: [],
    async handler({ watchRequests }, [seconds = lifetime.usual, filter], { within }) {
      const wanted = Number(seconds)
      if (wanted < 1 || wanted > lifetime.most) {
        const message = `seconds: expected an integer from 1 to ${lifetime.most}`
        throw new ServiceError('wamp.error.invalid_argument', message)
      }
      checkFilter(filter)
      const realm = within === undefined ? {} : { realm_uri: within }
      await watchRequests(wanted, { ...(filter as object | undefined), ...realm })
      return { value: { seconds: wanted } }
    },
  },
  {
    // answers `{routes: [{api, version, route, method, count, used_at}], since, is_whole, unheard}`: the routes of the document, or of all, that
    // were asked for since all processes have been there
    uri: 'service.list_route_use',
    parameters: [{ name: 'id', type: 'string', isOptional: true }],
    access: 'read',
    mirrors: ['/api_specs/:id/route_use', '/route_use'].map((path) => ({ method: 'GET', path })),
    async handler({ registry, routeUse }, [id], { within }) {
      if (id !== undefined) {
        registry.info(String(id), within)
        return { value: await routeUse(String(id)) }
      }
      const { routes, ...rest } = await routeUse(undefined)
      if (within === undefined) return { value: { routes, ...rest } }
      const own = new Set(registry.list(within).map((document) => document.id))
      return { value: { routes: routes.filter(({ api }) => own.has(api)), ...rest } }
    },
  },
  {
    // answers `{procedures: [{realm_uri, procedure, match, invoke, nodes: [{node, state, reason, calls: {ok, error, canceled}, called_at}]}],
    // unheard}`: what the document registers
    uri: 'service.list_procedures',
    parameters: texts('id'),
    access: 'read',
    mirrors: [{ method: 'GET', path: '/api_specs/:id/procedures' }],
    async handler({ registry, procedures }, [id], { within }) {
      registry.info(String(id), within)
      return { value: await procedures(String(id)) }
    },
  },
  {
    // answers `[{session, authid, authrole, authmethod, transport}]` of the realm, as the embedded router knows them
    uri: 'service.list_wamp_sessions',
    parameters: texts('uri'),
    access: 'read',
    scope: 'realm',
    mirrors: [{ method: 'GET', path: '/realms/:uri/sessions' }],
    async handler({ realms, wampSessions }, [uri]) {
      realms.get(String(uri)) // 404 for an unknown realm
      return { value: await wampSessions(String(uri)) }
    },
  },
]
