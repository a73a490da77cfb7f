/** What a process tells of its limits in /metrics: how near each is, and what was refused for it. */
import type { LimitState, LimitUsage } from '#component/limits/limit-usage.ts'
import type { MetricSample, MetricSource } from '#component/metrics/source.ts'

/** The metrics of limits, by their names. */
export function limitSources(
  usage: Pick<LimitUsage, 'all'>,
): Readonly<Record<string, MetricSource>> {
  const samples = (numberOf: (limit: LimitState) => number | undefined): readonly MetricSample[] =>
    usage.all.flatMap((limit) => {
      const value = numberOf(limit)
      return value === undefined ? [] : [{ labels: { limit: limit.key }, value }]
    })
  const labels = ['limit']
  return {
    gateway_limit: {
      help: 'The limits of the configuration that refuse something, by key; those that are not set are left out.',
      across: 'max',
      labels,
      read: () => samples(({ bound }) => bound),
    },
    gateway_limit_used: {
      help: 'How much of a limit is used: of one that holds for each process, network, user, session or realm, by the one that uses most.',
      across: 'max',
      labels,
      read: () => samples(({ bound, used }) => (bound === undefined ? undefined : used)),
    },
    gateway_limit_refused_total: {
      help: 'What was refused for a limit: connections, requests, sessions, subscriptions, streams, logins.',
      isCounter: true,
      labels,
      read: () => samples(({ refused }) => refused),
    },
  }
}
