/** The scopes that an access token grants now. */
import { scopesIn } from '#component/syntax/scope-token.ts'
import type { AccessClaims } from './access-token.ts'

/** Knows which scopes are held. */
export interface HeldScopes {
  /** Those that a user with these roles holds. */
  heldScopes(realm_uri: string, roles: readonly string[]): readonly string[]
}

/**
 * Those that its user holds, and that it names, or that a role carries which it names: a token that was issued before a scope was
 * declared has that scope by its roles.
 * @param roles that the user has
 * @returns in the order of the realm
 */
export function grantedScopes(
  { scope, aud, auth }: Pick<AccessClaims, 'scope' | 'aud' | 'auth'>,
  roles: readonly string[],
  logins: HeldScopes,
): readonly string[] {
  const held = logins.heldScopes(aud, roles)
  if (held.length === 0) return held
  const words = new Set(scopesIn(scope))
  const named = roles.filter((role) => words.has(role) && auth.roles.includes(role))
  const carried = new Set(logins.heldScopes(aud, named))
  return held.filter((name) => words.has(name) || carried.has(name))
}

/** The roles and scopes that a token grants now, as a scope (RFC 7662 §2.2). */
export function scopeNow(
  claims: AccessClaims,
  roles: readonly string[],
  logins: HeldScopes,
): string {
  const named = roles.filter((role) => claims.auth.roles.includes(role))
  const words = scopesIn(claims.scope).filter((word) => named.includes(word))
  return [...words, ...grantedScopes(claims, roles, logins)].join(' ')
}
