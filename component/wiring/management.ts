/** What the management procedures get of this node. */
import { ServiceError } from '#component/errors.ts'
import type { Explainer } from '#component/explain/explanation/explainer.ts'
import { addedPaths } from '#component/gateway/added-paths.ts'
import type { Route } from '#component/gateway/api.ts'
import type { RouteEntry } from '#component/routes/routing-table.ts'
import { mapOrEmpty } from '#component/syntax/values.ts'
import type { Management } from '#procedures/definition/procedure.ts'
import { sessionsOf as wampSessionsOf } from './console/wamp-sessions.ts'
import type { Needs } from './process-parts.ts'
import { deliveriesOf } from './status/delivery-status.ts'
import { damageOf, refusalOf } from './status/node-status.ts'
import { sessionsOf } from './status/session-status.ts'
import { countsOf } from './status/upstream-status.ts'

/** What {@link managementOf} needs. */
export const managementNeeds = [
  'address',
  'console',
  'context',
  'examples',
  'files',
  'logLevel',
  'outbox',
  'own',
  'pool',
  'registrar',
  'registry',
  'router',
  'schemas',
  'serving',
  'sync',
  'loginLists',
  'procedureLists',
  'tracing',
  'upstreams',
  'worker',
] as const

/** The `redirect_uri` of each provider, where its settings have one. @param providers `info.oidc_providers` */
const redirectUrisOf = (providers: unknown): Readonly<Record<string, string | undefined>> =>
  Object.fromEntries(
    Object.entries(mapOrEmpty(providers)).map(([name, settings]) => {
      const { redirect_uri } = mapOrEmpty(settings)
      return [name, typeof redirect_uri === 'string' ? redirect_uri : undefined]
    }),
  )

/** Makes what the procedures call. */
export function managementOf(parts: Needs<(typeof managementNeeds)[number]>): Management {
  const { address, console, context, examples, files, logLevel, outbox, own, pool } = parts
  const {
    registrar,
    registry,
    router,
    schemas,
    serving,
    sync,
    loginLists,
    procedureLists,
    tracing,
    upstreams,
    worker,
  } = parts
  const { config, users, clock, node, broadcast, replica } = context
  const { realms, logins, apiKeys, keys, tickets, revocations } = users
  let explainer: Explainer | undefined
  /** Most gateways explain nothing. */
  const explainerOf = async (): Promise<Explainer> => {
    const { openExplainer } = await import('#component/wiring/explain/explaining.ts')
    explainer ??= openExplainer(context, router, pool, serving, registry, schemas)
    return explainer
  }
  return {
    ...{ registry, examples, clock },
    issuer: () => address.base,
    added: (entries) =>
      addedPaths(entries as readonly RouteEntry<Route>[], {
        address: address.base,
        isConfigured: config.gateway.public_base_url !== undefined,
        providers: (realm_uri) => redirectUrisOf(realms.realm(realm_uri)?.info.oidc_providers),
      }),
    ...{ realms, logins, apiKeys, keys, tickets, revocations },
    forgetRealm: users.forgetRealm.bind(users),
    forgetAccount: users.forgetAccount.bind(users),
    endUsers: users.endUsers.bind(users),
    endSubject: users.endSubject.bind(users),
    explain: async (asked, caller) => (await explainerOf()).explain(asked, caller),
    explainEvent: async (event, api_spec, caller) =>
      (await explainerOf()).explainEvent(event, api_spec, caller),
    componentRealm: config.wamp.realm,
    descriptions: serving.descriptions,
    ...(config.explain.traces && { traces: tracing }),
    async purgeCache(id, tags) {
      serving.policies.purge(id, tags)
      try {
        await sync.purge({ id, tags })
      } catch (cause) {
        const message = 'the other nodes could not be told'
        throw new ServiceError('service.error.unavailable', message, { cause })
      }
    },
    quotaUsage: (versions, key) => serving.policies.usage(versions, key),
    watchRequests: (seconds, filter) => console.watchRequests(seconds, filter),
    routeUse: (api_spec) => console.routeUse.of(api_spec),
    procedures: (api_spec) => procedureLists.of(api_spec),
    wampSessions: (realm_uri) => wampSessionsOf(pool, realm_uri),
    keyUses: (realm_uri) => loginLists.keyUses.of(realm_uri),
    seenTickets: (realm_uri, authid) => loginLists.tickets.of(realm_uri, authid),
    upstreams: (realm_uri) => upstreams.of(realm_uri),
    deliveries: serving.deliveries,
    endpoints: serving.desk,
    refusal: () => sync.refusal(),
    ...(broadcast && { broadcast }),
    status: () => ({
      ...sync.status(),
      conflicts: registry.conflicts(),
      damaged: replica.damaged.map(damageOf),
      router_last_error: own.record.lastError ?? null,
      router_sessions: sessionsOf({ own, pool }),
      refused_files: files.refused.map(refusalOf),
      procedures: registrar.states(),
      deliveries: deliveriesOf(outbox),
      upstreams: countsOf(serving.upstreams.table.all),
    }),
    async setLogLevel(level: string, by: string) {
      const change = worker ? await worker.setLogLevel(level, by) : logLevel.set(level, by)
      return { node, ...change }
    },
  }
}
