/** What a process tells in /metrics. */
import type { MetricSources } from '#component/metrics/source.ts'
import { streamSources } from '#http/management/stream-metrics.ts'
import type { Needs } from './process-parts.ts'
import { deliverySources } from './status/delivery-status.ts'
import { issuerSources } from './status/issuer-status.ts'
import { limitSources } from './status/limit-status.ts'
import { cacheSources, loginSources, providerSources } from './status/login-status.ts'
import { sessionSources } from './status/session-status.ts'
import { syncSources } from './status/sync-status.ts'
import { tokenSources } from './status/token-status.ts'
import { upstreamSources } from './status/upstream-status.ts'

/** What {@link metricSources} needs. */
export const metricNeeds = [
  'context',
  'documents',
  'files',
  'outbox',
  'own',
  'pool',
  'registrar',
  'registry',
  'router',
  'schemas',
  'serving',
  'sharing',
  'sync',
  'tracing',
] as const

/** Gauges and counters by their Prometheus names. */
export function metricSources(parts: Needs<(typeof metricNeeds)[number]>): MetricSources {
  const { context, documents, files, outbox, pool, registry, router, schemas } = parts
  const { registrar, serving, sharing, sync, tracing } = parts
  const { replica, store, users, logins, usage } = context
  const { health } = store
  return {
    gateway_wamp_sessions: {
      help: "The gateway's WAMP sessions for requests that have joined.",
      read: () => pool.stats().joined,
    },
    gateway_wamp_calls_in_flight: {
      help: 'WAMP calls and publications in flight.',
      read: () => pool.stats().pending,
    },
    gateway_router_sessions: {
      help: 'All sessions on the embedded router.',
      read: () => router.sessionCount() ?? 0,
    },
    gateway_router_failovers_total: {
      help: 'How often the process has gone to another router of the list in wamp.url, also back to the first.',
      isCounter: true,
      read: () => router.link.routers?.moves ?? 0,
    },
    ...sessionSources(parts),
    ...tokenSources(serving.upstreams),
    gateway_schema_compile_failures_total: {
      help: 'Schemas that were accepted at load and do not compile: bugs of the gateway.',
      isCounter: true,
      read: () => schemas.validators.compileFailures,
    },
    ...tracing.sources,
    ...serving.policies.sources,
    ...streamSources(() => ({
      ...serving.streams.stats(),
      pieces: serving.callStreams.pieces,
    })),
    gateway_api_spec_loads_total: {
      help: 'Acknowledged loads of API Specifications, over WAMP, over HTTP and from files.',
      isCounter: true,
      read: () => registry.counts.loaded,
    },
    gateway_api_spec_loads_refused_total: {
      help: 'Refused loads of API Specifications.',
      isCounter: true,
      read: () => registry.counts.refused,
    },
    gateway_refused_files: {
      help: 'Configured files that were refused when they were last read.',
      across: 'max',
      read: () => files.refused.length,
    },
    gateway_registry_entries: {
      help: 'API Specifications on this node.',
      across: 'max',
      read: () => registry.size,
    },
    gateway_registry_tombstones: {
      help: 'Tombstones of deleted API Specifications.',
      across: 'max',
      read: () => registry.tombstones,
    },
    ...documents.sources,
    gateway_store_away: {
      help: '1 while the store does not respond.',
      across: 'max',
      read: () => Number(replica.isStoreAway),
    },
    gateway_store_full: {
      help: '1 while the disk of the store is full.',
      across: 'max',
      read: () => Number(health.fault === 'full'),
    },
    gateway_store_failed: {
      help: '1 while the disk of the store fails.',
      across: 'max',
      read: () => Number(health.fault === 'failed'),
    },
    gateway_store_read_only: {
      help: '1 while the store is read-only.',
      across: 'max',
      read: () => Number(health.fault === 'read_only'),
    },
    gateway_store_damaged_documents: {
      help: 'Documents in the store that are unreadable or do not match their hash.',
      across: 'max',
      read: () => replica.damaged.length,
    },
    ...syncSources(sync),
    ...sharing.sources,
    ...registrar.sources(context.families.hasApiLabel),
    ...deliverySources(outbox, () => context.clock.now(), context.families.hasApiLabel),
    ...limitSources(usage),
    ...loginSources(logins),
    ...providerSources(users.sessionCounts),
    ...issuerSources(users.issuerKeys),
    ...upstreamSources(serving.upstreams.table),
    ...cacheSources({
      access_token: users.accessTokens,
      ticket: users.tickets,
      jwt: users.foreignTokens,
      basic: serving.authentication.basic,
    }),
    gateway_registry_conflicts: {
      help: 'API Specifications whose newest version is not served on this node.',
      across: 'max',
      read: () => registry.conflicts().length,
    },
  }
}
