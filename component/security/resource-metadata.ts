/** Tells clients whose token is refused where the metadata of the version are, which name who issues tokens (RFC 9728 §5.1). */
import type { SecurityEndpoint } from './kind.ts'
import type { Protection } from './scheme.ts'

/** The well-known path, before the base_path of a version: RFC 9728 §3.1. */
export const resourceMetadata = '/.well-known/oauth-protected-resource'

/** The metadata of the version as what tokens are for: RFC 9728 §3.1. */
export const resourceRow = {
  kind: 'oauth.resource',
  ...{ methods: ['get'], allow: 'GET, HEAD, OPTIONS' },
  patterns: (base: string): readonly string[] => [resourceMetadata + base],
} as const satisfies SecurityEndpoint

/** Whether the security of a path has clients look for metadata. */
export const hasMetadata = (protection: Pick<Protection, 'kind'> | undefined): boolean =>
  protection?.kind.tokens !== undefined

/**
 * The `WWW-Authenticate` of a refusal with the address of the metadata, of several challenges in that for tokens; undefined where there is no challenge, or the version has no
 * metadata.
 * @param publicBase where clients reach this gateway; without a slash at the end
 * @param base the concrete base_path of the version, percent-encoded
 */
export function challengeWithMetadata(
  challenge: unknown,
  protection: Pick<Protection, 'kind'> | undefined,
  publicBase: string,
  base: string,
): string | readonly string[] | undefined {
  if (!hasMetadata(protection)) return undefined
  const named = `, resource_metadata="${publicBase}${resourceMetadata}${base}"`
  if (typeof challenge === 'string') return challenge + named
  if (!Array.isArray(challenge) || challenge.length === 0) return undefined
  return challenge.map((one: string) => (one.startsWith('Bearer ') ? one + named : one))
}
