/** What a node tells of logins in /metrics: how many there were, and whether credentials are verified or remembered. */
import type { LoginCounts } from '#component/login-counts.ts'
import type { MetricSource } from '#component/metrics/source.ts'
import type { SessionCounts } from '#component/oidc/session-counts.ts'
import type { Remembered } from '#component/token/remembered.ts'

/** The metric of logins, by its name. */
export const loginSources = (
  logins: Pick<LoginCounts, 'all'>,
): Readonly<Record<string, MetricSource>> => ({
  gateway_logins_total: {
    help: 'Logins, by authmethod and result: ok, refused, or limited (refused untried, because too many had failed).',
    isCounter: true,
    labels: ['authmethod', 'result'],
    read: () =>
      logins.all.map(({ authmethod, result, count }) => ({
        labels: { authmethod, result },
        value: count,
      })),
  },
})

/** The metrics of sessions at providers, by their names. */
export const providerSources = ({
  logouts,
  rechecks,
}: SessionCounts): Readonly<Record<string, MetricSource>> => ({
  gateway_backchannel_logouts_total: {
    help: 'Logout tokens of identity providers, by result: ok, refused, limited (untried, because too many came), or failed (the provider or the store was away).',
    isCounter: true,
    labels: ['result'],
    read: () => countsOf(logouts),
  },
  gateway_login_rechecks_total: {
    help: 'Questions to identity providers whether a login still holds, by result: same, changed (other roles or claims), ended (the provider has ended the login), or failed (no response).',
    isCounter: true,
    labels: ['result'],
    read: () => countsOf(rechecks),
  },
})

const countsOf = (counts: Readonly<Record<string, number>>) =>
  Object.entries(counts)
    .filter(([, value]) => value > 0)
    .map(([result, value]) => ({ labels: { result }, value }))

/** The metrics of the caches of verified credentials, by their names. @param caches by the value of the label `cache` */
export function cacheSources(
  caches: Readonly<Record<string, Remembered>>,
): Readonly<Record<string, MetricSource>> {
  const all = Object.entries(caches)
  return {
    gateway_token_cache_lookups_total: {
      help: 'Credentials that were looked up, by cache and result: hit (remembered), or miss (had to be verified).',
      isCounter: true,
      labels: ['cache', 'result'],
      read: () =>
        all.flatMap(([cache, { lookups }]) =>
          Object.entries(lookups).map(([result, value]) => ({ labels: { cache, result }, value })),
        ),
    },
    gateway_token_cache_entries: {
      help: 'Verified credentials that are remembered, by cache.',
      labels: ['cache'],
      read: () => all.map(([cache, { entries }]) => ({ labels: { cache }, value: entries })),
    },
  }
}
