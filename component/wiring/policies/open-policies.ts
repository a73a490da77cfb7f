/** What holds the policies of all routes in this process. */
import type { DescribedVersion, Route } from '#component/gateway/api.ts'
import { Caching } from '#component/gateway/policies/caching.ts'
import { Conditions } from '#component/gateway/policies/conditions.ts'
import { keyedDigest } from '#component/gateway/policies/keyed-digest.ts'
import type { PolicyPorts } from '#component/gateway/policies/ports.ts'
import { KeyShares } from '#component/limits/key-shares.ts'
import { Family } from '#component/metrics/family.ts'
import type { MetricSources } from '#component/metrics/source.ts'
import { Circuits } from '#component/policy/circuits.ts'
import { documentLabel, tagLabel } from '#component/policy/purge-labels.ts'
import { Purges } from '#component/policy/purges.ts'
import { RateLimits } from '#component/policy/rate-limits.ts'
import { ResponseCache } from '#component/policy/response-cache.ts'
import { UsageExchange } from '#component/policy/usage-exchange.ts'
import type { TableChange } from '#component/routes/table-change.ts'
import type { SessionPool } from '#component/wamp/session-pool.ts'
import type { WiringContext } from '#component/wiring/context.ts'
import { encodeBody } from '#http/codec.ts'
import { circuitSources } from './circuit-status.ts'
import { openQuotas } from './open-quotas.ts'
import { purgeRules, subscribing } from './purge-subscriptions.ts'
import { openQuotaUsage, type QuotaUsage } from './quota-usage.ts'

/** The policies of a process, and what is told of them in /metrics. */
export interface Policies {
  readonly ports: PolicyPorts
  readonly sources: MetricSources
  /** What the processes tell each other of the use of rate limits. */
  readonly exchange: UsageExchange
  /** Follows the events that drop kept answers of these APIs, and of no others. */
  follow(change: TableChange<Route>): void
  /**
   * What has been used of the quotas of a document.
   * @param key one who shares them; undefined: those who have used most
   * @throws ServiceError `service.error.unavailable`
   */
  quotaUsage(versions: readonly DescribedVersion[], key?: string): Promise<readonly QuotaUsage[]>
  /**
   * Drops kept answers of a document.
   * @param tags undefined: all
   */
  purge(id: string, tags: readonly string[] | undefined): void
  /** Drops all kept answers: this node may have missed that it was to. */
  purgeAll(): void
  /** Ends the subscriptions, and writes what quotas have counted to the store. */
  close(): Promise<void>
}

/** @param sessions those of the gateway itself hear the events that drop kept answers */
export function openPolicies(context: WiringContext, sessions: SessionPool): Policies {
  const { clock, config, families, store, box, log, usage } = context
  const { rate_limit_keys: maxKeys } = config.limits
  const exchange = new UsageExchange()
  const buckets = new RateLimits(maxKeys, exchange)
  const quotas = openQuotas(context)
  usage.declare('limits.rate_limit_keys', maxKeys, () => Math.max(buckets.size, quotas.size))
  const refused = (name: string, key: string) =>
    new Family(
      {
        name,
        help: `Requests that a ${key} refused, or would refuse (mode: log), by route pattern, name of the limit and mode.`,
        subject: 'route',
        labels: ['limit', 'mode'],
      },
      families,
    )
  const limited = refused('gateway_rate_limited_total', 'rate_limit')
  const exceeded = refused('gateway_quota_exceeded_total', 'quota')
  const answered = new Family(
    {
      name: 'gateway_cache_requests_total',
      help: 'Requests to routes with cache, by route pattern and how they were answered: hit, stale, miss, bypass.',
      subject: 'route',
      labels: ['how'],
    },
    families,
  )
  const { max_bytes: maxBytes, max_entry_bytes: maxEntryBytes } = config.cache
  const cache = new ResponseCache({ maxBytes, maxEntryBytes })
  const purges = new Purges({
    cache,
    random: () => clock.random(),
    subscribe: (topic, handlers) => subscribing({ clock, log, sessions }, topic, handlers),
  })
  const rules = purgeRules()
  const conditions = new Conditions(encodeBody)
  const circuits = { circuits: new Circuits(), clock }
  const kept = config.idempotency
  const keyLimits = {
    rows: kept.max_rows,
    bytes: kept.max_bytes,
    rowsOfUser: Math.min(kept.max_rows_per_user, kept.max_rows),
  }
  const idempotency = {
    shares: new KeyShares(keyLimits, clock, store.answers.held),
    ...{ clock, box, digest: keyedDigest(box), answers: store.answers, encode: encodeBody },
    onUnkept: (err: unknown) =>
      log.warn({ err }, 'an answer could not be kept under its Idempotency-Key'),
  }
  const ports: PolicyPorts = {
    circuits,
    idempotency,
    conditions,
    caching: new Caching({
      ...{ cache, clock, conditions, encode: encodeBody },
      isHeard: (rule) => purges.isHeard(rule),
      onAnswered: ({ path }, how) => answered.on(path, how).add(),
    }),
    limits: {
      ...{ buckets, quotas, clock },
      onLimited: ({ path }, plan) =>
        ('counted' in plan ? exceeded : limited).on(path, plan.name, plan.mode).add(),
    },
  }
  return {
    ...{ ports, exchange },
    sources: circuitSources(circuits, families.hasApiLabel),
    follow(change) {
      if (rules.follow(change)) purges.follow(rules.all)
    },
    quotaUsage: openQuotaUsage(context, quotas),
    purge(id, tags) {
      const label = documentLabel(id)
      if (tags === undefined) cache.purge(label)
      else for (const tag of tags) cache.purge(tagLabel(label, tag), label)
    },
    purgeAll: () => cache.clear(),
    close() {
      purges.follow([])
      return quotas.stop()
    },
  }
}
