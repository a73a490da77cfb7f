/** What serves `cache`: its stages, and the answers that a process keeps. */
import type { Clock } from '#component/clock.ts'
import type { Log } from '#component/log.ts'
import type { Families } from '#component/metrics/families.ts'
import { Family } from '#component/metrics/family.ts'
import { isRead } from '#component/policies/answers.ts'
import { Conditions, type Encode } from '#component/policies/etag/conditions.ts'
import { servedPolicy } from '#component/policies/serve.ts'
import type { SessionPool } from '#component/wamp/session-pool.ts'
import { Caching, invalidate, keeping } from './caching.ts'
import { cache as kind } from './kind.ts'
import { documentLabel, tagLabel } from './purge-labels.ts'
import { purgeRules, subscribing } from './purge-subscriptions.ts'
import { Purges } from './purges.ts'
import { ResponseCache } from './response-cache.ts'

export interface World {
  readonly clock: Clock
  readonly log: Pick<Log, 'warn'>
  readonly families: Families
  readonly encode: Encode
  /** Those of the gateway itself hear the events that drop kept answers. */
  readonly sessions: Pick<SessionPool, 'open'>
  readonly config: {
    readonly cache: { readonly max_bytes: number; readonly max_entry_bytes: number }
  }
}

/** The other half of the row in `kind.ts`. */
export const cache = servedPolicy('caching', {
  stages: [
    {
      stage: keeping,
      place: 'before body',
      isNeeded: (plans, { method }) => isRead(method) && kind.planOf(plans) !== undefined,
      isOfInvocations: true,
    },
    {
      stage: invalidate,
      place: 'before action',
      // what they change may be kept under another route
      isForAll: true,
      isNeeded: (_plans, { method }) => !isRead(method),
    },
  ],
  open({ clock, log, families, encode, sessions, config }: World) {
    const { max_bytes: maxBytes, max_entry_bytes: maxEntryBytes } = config.cache
    const kept = new ResponseCache({ maxBytes, maxEntryBytes })
    const purges = new Purges({
      cache: kept,
      random: () => clock.random(),
      subscribe: (topic, handlers) => subscribing({ clock, log, sessions }, topic, handlers),
    })
    const rules = purgeRules()
    const answered = new Family(
      {
        name: 'gateway_cache_requests_total',
        help: 'Requests to routes with cache, by route pattern and how they were served: hit, stale, miss, bypass.',
        subject: 'route',
        labels: ['how'],
      },
      families,
    )
    return {
      port: new Caching({
        ...{ cache: kept, clock, encode, conditions: new Conditions(encode) },
        isHeard: (rule) => purges.isHeard(rule),
        onAnswered: ({ path }, how) => answered.on(path, how).add(),
      }),
      follow(change) {
        if (rules.follow(change)) purges.follow(rules.all)
      },
      purge(id, tags) {
        const label = documentLabel(id)
        if (tags === undefined) kept.purge(label)
        else for (const tag of tags) kept.purge(tagLabel(label, tag), label)
      },
      purgeAll: () => kept.clear(),
      async close() {
        purges.follow([])
      },
    }
  },
})
