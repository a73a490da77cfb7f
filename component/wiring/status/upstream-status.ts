/** What a process tells of the upstreams of realms in /metrics. */
import type { MetricSample, MetricSources } from '#component/metrics/source.ts'
import type { UpstreamTable } from '#component/upstreams/table.ts'
import { targetEnds, type Upstream } from '#component/upstreams/upstream.ts'

const numbers = { up: 0, unresolved: 0, draining: 1, out: 2, down: 3 } as const

/** At most so many targets of a process are told. */
const mostTargets = 5_000

const upstreamLabels = ['realm', 'upstream'] as const
const targetLabels = [...upstreamLabels, 'target'] as const

/** How many upstreams a process has, and its targets by their states: as /registry shows them. */
export function countsOf(upstreams: readonly Upstream[]) {
  const targets = Object.fromEntries(Object.keys(numbers).map((state) => [state, 0])) as Record<
    keyof typeof numbers,
    number
  >
  for (const { state } of upstreams.flatMap((one) => one.states())) targets[state] += 1
  return { count: upstreams.length, targets }
}

/** @param table the upstreams of the process */
export function upstreamSources(table: Pick<UpstreamTable, 'all'>): MetricSources {
  const namesOf = ({ realm_uri: realm, settings: { name: upstream } }: Upstream) => ({
    realm,
    upstream,
  })
  const ofTargets = (
    samplesOf: (state: ReturnType<Upstream['states']>[number]) => readonly MetricSample[],
  ): readonly MetricSample[] =>
    table.all
      .flatMap((upstream) => upstream.states().map((one) => ({ upstream, one })))
      .slice(0, mostTargets)
      .flatMap(({ upstream, one }) => {
        const named = { ...namesOf(upstream), target: one.target.id }
        return samplesOf(one).map(({ labels, value }) => ({
          labels: { ...named, ...labels },
          value,
        }))
      })
  const ofUpstreams = (countOf: (upstream: Upstream) => number) => () =>
    table.all.map((upstream) => ({ labels: namesOf(upstream), value: countOf(upstream) }))
  return {
    gateway_upstream_target_state: {
      help: 'State of the targets of upstreams: 0 up, 1 draining, 2 out by failures, 3 down by checks.',
      across: 'max',
      labels: targetLabels,
      read: () => ofTargets(({ state }) => [{ labels: {}, value: numbers[state] }]),
    },
    gateway_upstream_target_pending: {
      help: 'Requests under way at targets of upstreams.',
      labels: targetLabels,
      read: () => ofTargets(({ target }) => [{ labels: {}, value: target.pending }]),
    },
    gateway_upstream_attempts_total: {
      help: 'Requests to targets of upstreams by outcome: success, failure (no valid response in time, 502, 503 or 504), unknown (the client has gone away, or its body was at fault).',
      isCounter: true,
      labels: [...targetLabels, 'outcome'],
      read: () =>
        ofTargets(({ target }) =>
          targetEnds.map((outcome) => ({ labels: { outcome }, value: target.ends[outcome] })),
        ),
    },
    gateway_upstream_failovers_total: {
      help: 'Requests to upstreams that went to another target at once.',
      isCounter: true,
      labels: upstreamLabels,
      read: ofUpstreams(({ counts }) => counts.failovers),
    },
    gateway_upstream_budget_exhausted_total: {
      help: 'Requests to upstreams that were not sent once more, because retry_budget was used up.',
      isCounter: true,
      labels: upstreamLabels,
      read: ofUpstreams(({ counts }) => counts.exhausted),
    },
  }
}
