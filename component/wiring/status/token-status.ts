/** What a node tells in /metrics of the tokens that upstreams are sent. */
import type { MetricSource } from '#component/metrics/source.ts'
import type { FollowedUpstreams } from '#component/wiring/follow-upstreams.ts'

/** The metrics of tokens for upstreams, by their names. */
export const tokenSources = ({
  table,
  credentials,
}: Pick<FollowedUpstreams, 'table' | 'credentials'>): Readonly<Record<string, MetricSource>> => ({
  gateway_upstream_token_fetches_total: {
    help: 'Tokens for upstreams that were asked for at authorization servers, and credentials of theirs that could not be opened, by realm, upstream and result: ok, refused (for that of a user), or failed.',
    isCounter: true,
    labels: ['realm', 'upstream', 'result'],
    read: () =>
      credentials.counts.flatMap(({ realm_uri: realm, upstream, ...counts }) =>
        (['ok', 'refused', 'failed'] as const).map((result) => ({
          labels: { realm, upstream, result },
          value: counts[result],
        })),
      ),
  },
  gateway_upstream_token_expiry_seconds: {
    help: 'When the token of the gateway for an upstream ends, by realm and upstream; seconds since the epoch. Absent while there is none.',
    across: 'max',
    labels: ['realm', 'upstream'],
    read: () =>
      table.all.flatMap(({ realm_uri: realm, settings: { name: upstream }, credentials: of }) =>
        of?.token === undefined
          ? []
          : [{ labels: { realm, upstream }, value: of.token.until / 1000 }],
      ),
  },
})
