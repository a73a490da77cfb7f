/** What a node tells in /metrics of the keys of issuers whose access tokens it verifies. */
import type { AllIssuerKeys } from '#component/issuer/issuer-keys.ts'
import type { MetricSource } from '#component/metrics/source.ts'

/** The metrics of the keys of issuers, by their names. */
export function issuerSources(
  keys: Pick<AllIssuerKeys, 'all'>,
): Readonly<Record<string, MetricSource>> {
  // realms may name other places for the keys of one issuer
  const byIssuer = () => [...Map.groupBy(keys.all, ({ issuer }) => issuer)]
  return {
    gateway_jwks_fetches_total: {
      help: 'Fetches of the keys of issuers of access tokens, by issuer and result: ok, or failed.',
      isCounter: true,
      labels: ['issuer', 'result'],
      read: () =>
        byIssuer().flatMap(([issuer, sets]) =>
          (['ok', 'failed'] as const).map((result) => ({
            labels: { issuer, result },
            value: sets.reduce((sum, { fetches }) => sum + fetches[result], 0),
          })),
        ),
    },
    gateway_jwks_age_seconds: {
      help: 'Since when the keys of an issuer of access tokens have not been confirmed by it; at 86400 its tokens are refused.',
      across: 'max',
      labels: ['issuer'],
      read: () =>
        byIssuer().flatMap(([issuer, sets]) => {
          const ages = sets.flatMap(({ age }) => age ?? [])
          return ages.length > 0 ? [{ labels: { issuer }, value: Math.max(...ages) / 1000 }] : []
        }),
    },
  }
}
