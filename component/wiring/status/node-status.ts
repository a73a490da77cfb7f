/** What a node tells of itself: its numbers in /metrics, and its faults in /ready and /registry. */
import type { SharedSchemas } from '#component/compile/schemas/shared-schemas.ts'
import type { LimitUsage } from '#component/limits/limit-usage.ts'
import type { LoginCounts } from '#component/login-counts.ts'
import type { MetricSources } from '#component/metrics/source.ts'
import type { Registry } from '#component/registry/registry.ts'
import type { Damaged } from '#component/replica/damage.ts'
import type { Replica } from '#component/replica/replica.ts'
import { faultTexts, type StoreHealth } from '#component/store/health.ts'
import type { Sync } from '#component/sync/sync.ts'
import type { SessionPool } from '#component/wamp/session-pool.ts'
import type { SessionError } from '#component/wamp/session-record.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import type { ConfiguredFiles, RefusedFile } from '#component/wiring/configured-files.ts'
import type { Documents } from '#component/wiring/documents/open-documents.ts'
import type { UsageSharing } from '#component/wiring/policies/usage-sharing.ts'
import type { RouterConnection } from '#component/wiring/router-connection.ts'
import type { Serving } from '#component/wiring/serving.ts'
import type { Tracing } from '#component/wiring/tracing/tracing.ts'
import type { Users } from '#component/wiring/users.ts'
import { streamSources } from '#http/management/stream-metrics.ts'
import { issuerSources } from './issuer-status.ts'
import { limitSources } from './limit-status.ts'
import { cacheSources, loginSources, providerSources } from './login-status.ts'
import { sessionSources } from './session-status.ts'
import { syncSources } from './sync-status.ts'

/** The parts that have problems. */
interface Troubled {
  /** The component's own session. */
  readonly own: Pick<SupervisedSession, 'isOpen' | 'record'>
  readonly replica: Pick<Replica, 'isStoreAway'>
  readonly health: Pick<StoreHealth, 'fault'>
  readonly sync: Pick<Sync, 'isNameTaken'>
  readonly refused: readonly RefusedFile[]
}

/** As many refused files are named. */
const mostFiles = 10

/**
 * The problems of a node, one sentence each: the lines of /ready after the first one. Everybody who reaches the health listener
 * reads them: they hold no text of a document, and no text of the router.
 */
export const problemsOf = ({ own, replica, health, sync, refused }: Troubled): string[] => [
  ...(own.isOpen ? [] : [`the router is away${lastErrorText(own.record.lastError)}`]),
  ...(replica.isStoreAway ? ['the store is away'] : []),
  ...(health.fault ? [faultTexts[health.fault]] : []),
  ...(sync.isNameTaken ? ['another gateway has the name of this node'] : []),
  ...refused.slice(0, mostFiles).map(refusedText),
  ...(refused.length > mostFiles ? [`${refused.length - mostFiles} more files were refused`] : []),
]

function lastErrorText(error: SessionError | undefined): string {
  if (!error) return ''
  const { at, error_uri, message } = error
  const said = error_uri === 'wamp.error.net_failure' ? ` (${message})` : ''
  return `: ${error_uri}${said} at ${new Date(at).toISOString()}`
}

function refusedText({ file, issues }: RefusedFile): string {
  const count = `${issues.length} issue${issues.length === 1 ? '' : 's'}`
  return `the file ${file} was refused: ${count}, listed by GET /registry`
}

/** A refused file as /registry shows it. */
export const refusalOf = ({ file, issues }: RefusedFile) => ({ file, issues })

/** A damaged document as /registry shows it. */
export const damageOf = ({ kind, id, stamp, isChanged }: Damaged) => ({
  kind,
  id,
  ts: stamp.ms,
  node: stamp.node,
  reason: isChanged ? 'hash_does_not_fit' : 'unreadable',
})

/** The parts that have numbers. */
export interface Measured {
  readonly own: SupervisedSession
  readonly pool: SessionPool
  readonly files: Pick<ConfiguredFiles, 'refused'>
  readonly registry: Pick<Registry, 'size' | 'counts' | 'tombstones' | 'conflicts'>
  readonly documents: Pick<Documents, 'sources'>
  readonly router: RouterConnection
  readonly replica: Replica
  readonly health: StoreHealth
  readonly schemas: SharedSchemas
  readonly sync: Sync
  readonly tracing: Pick<Tracing, 'sources'>
  readonly usageSharing: Pick<UsageSharing, 'sources'>
  readonly serving: Pick<Serving, 'authentication' | 'callStreams' | 'policies' | 'streams'>
  readonly users: Pick<
    Users,
    'accessTokens' | 'foreignTokens' | 'issuerKeys' | 'sessionCounts' | 'tickets'
  >
  readonly logins: LoginCounts
  readonly usage: LimitUsage
}

/** Gauges and counters by their Prometheus names. */
export function metricSources(parts: Measured): MetricSources {
  const { files, pool, registry, router, replica, health, schemas, sync, tracing } = parts
  const { serving, users, logins, usage, usageSharing, documents } = parts
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
    ...sessionSources(parts),
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
      help: '1 while the store does not answer.',
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
    ...usageSharing.sources,
    ...limitSources(usage),
    ...loginSources(logins),
    ...providerSources(users.sessionCounts),
    ...issuerSources(users.issuerKeys),
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
