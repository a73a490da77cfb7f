/** Tells clients whose token is refused where the metadata of the version are, which name who issues tokens (RFC 9728 §5.1). */
import type { Protection, SecurityType } from './scheme.ts'

/** The well-known path, before the base_path of a version: RFC 9728 §3.1. */
export const resourceMetadata = '/.well-known/oauth-protected-resource'

/** The types of security whose versions have metadata. */
const types: ReadonlySet<SecurityType> = new Set<SecurityType>(['oauth2', 'jwt'])

/** Whether the security of a path has clients look for metadata. */
export const hasMetadata = (protection: Pick<Protection, 'type'> | undefined): boolean =>
  protection !== undefined && types.has(protection.type)

/**
 * The `WWW-Authenticate` of a refusal with the address of the metadata; undefined where there is no challenge, or the version has no
 * metadata.
 * @param publicBase where clients reach this gateway; without a slash at the end
 * @param base the concrete base_path of the version, percent-encoded
 */
export function challengeWithMetadata(
  challenge: unknown,
  protection: Pick<Protection, 'type'> | undefined,
  publicBase: string,
  base: string,
): string | undefined {
  if (typeof challenge !== 'string' || !hasMetadata(protection)) return undefined
  return `${challenge}, resource_metadata="${publicBase}${resourceMetadata}${base}"`
}
