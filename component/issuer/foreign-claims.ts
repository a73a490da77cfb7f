/** What the claims of an access token of another issuer must say, and what they give: a name, roles and scopes. */
import {
  claimAt,
  isGivenRole,
  isName,
  isVerifiedEmail,
  keyedRoles,
  maxRoles,
} from '#component/oidc/claims.ts'
import { isPathOf, pathText } from '#component/realm/documents/info/claim-path.ts'
import { nameAt } from '#component/realm/documents/info/issuer-rules.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import { TokenError } from '#component/token/token-error.ts'
import type { IssuerSettings } from './settings.ts'

/** The claims of a token. */
export type Claims = JsonMap

/** What a token gives to its bearer. */
export interface TokenGrant {
  /** The claim `sub`; undefined where the token has none. */
  readonly sub: string | undefined
  /** The authid of the user, unless an account is bound to this subject. */
  readonly name: string
  /** Those that the realm knows, and those that bear the name of the issuer. */
  readonly roles: readonly string[]
  /** What the issuer allows the client to do. */
  readonly scopes: readonly string[]
  /** The client that it was issued to (RFC 9068 §2.2), and its id. */
  readonly client_id: string | undefined
  readonly jti: string | undefined
  /** When it was issued; seconds since the epoch. undefined: it does not say so. */
  readonly iat: number | undefined
  /** When it is refused: when it expires by the clock of the issuer, and the tolerance has passed. Milliseconds since the epoch. */
  readonly endsAt: number
}

const isTime = (value: unknown): value is number => Number.isFinite(value)

const isTimeOrAbsent = (value: unknown): value is number | undefined =>
  value === undefined || isTime(value)

const holds = (claim: unknown, wanted: unknown): boolean =>
  Array.isArray(claim) ? claim.includes(wanted) : claim === wanted

/**
 * Checks claims by the settings of the issuer (RFC 7519 §4.1, RFC 9068 §4).
 * @param now seconds since the epoch
 * @throws TokenError
 */
export function checkClaims(claims: Claims, settings: IssuerSettings, now: number): void {
  const { iss, aud, exp, nbf, iat } = claims
  const { issuer, audience, required_claims } = settings
  const { max_lifetime_secs: longest, clock_tolerance_secs: tolerance } = settings
  if (iss !== issuer) throw new TokenError('the token comes from another issuer')
  if (!audience.some((one) => holds(aud, one))) {
    throw new TokenError('the token was issued for another audience')
  }
  if (!isTime(exp) || !isTimeOrAbsent(nbf) || !isTimeOrAbsent(iat)) {
    throw new TokenError('a time claim of the token is missing or malformed')
  }
  if (exp + tolerance <= now) throw new TokenError('the token has expired')
  if (Math.max(nbf ?? 0, iat ?? 0) > now + tolerance) {
    throw new TokenError('the token is not valid yet')
  }
  if (exp - (iat ?? now) > longest) throw new TokenError('the lifetime of the token is too long')
  const lacks = required_claims.some(([path, values]) => {
    const claim = claimAt(claims, path)
    return !values.some((value) => holds(claim, value))
  })
  if (lacks) throw new TokenError('the token lacks a required claim')
}

const textOf = (claim: unknown): string | undefined =>
  typeof claim === 'string' && isName(claim) ? claim : undefined

/** The words of a claim: a list of texts, or a text with blanks between them. */
function wordsOf(claim: unknown): string[] {
  const texts = Array.isArray(claim) ? claim : typeof claim === 'string' ? claim.split(' ') : []
  return texts.filter((text): text is string => typeof text === 'string' && isName(text))
}

/** @throws TokenError */
function nameOf(claims: Claims, { name, authid_claim }: IssuerSettings): string {
  // users may write any address into their own profile
  if (isPathOf(authid_claim, 'email') && !isVerifiedEmail(claims)) {
    throw new TokenError('the token does not confirm the email address of its user')
  }
  const claim = claimAt(claims, authid_claim)
  if (typeof claim === 'string' && isName(claim)) return nameAt(name, claim)
  throw new TokenError('the claim that names the user is missing or malformed')
}

/** A role that no mapping names cannot be mistaken for one of the realm: it has the name of the issuer before it. */
function rolesOf(claims: Claims, { name, role_claim, role_mapping }: IssuerSettings): string[] {
  const given = claimAt(claims, role_claim)
  const roles = wordsOf(isMap(given) ? keyedRoles(given) : given).flatMap((role) =>
    Object.hasOwn(role_mapping, role) ? (role_mapping[role] ?? []) : nameAt(name, role),
  )
  return [...new Set(roles.filter(isGivenRole))].slice(0, maxRoles)
}

/**
 * The settings whose paths lead to no claim of a token that is accepted, each with its path, for the log: a misspelt path looks like a
 * user without rights. A token without the claim of another setting is refused.
 */
export function lostPaths(
  claims: Claims,
  { role_claim, scope_claim }: IssuerSettings,
): readonly (readonly [setting: string, path: string])[] {
  const settings = { role_claim, scope_claim }
  return Object.entries(settings).flatMap(([setting, path]) => {
    if (path === undefined || (claimAt(claims, path) ?? undefined) !== undefined) return []
    return [[setting, pathText(path)] as const]
  })
}

/** What checked claims give. @throws TokenError where they name no user */
export function grantOf(claims: Claims, settings: IssuerSettings): TokenGrant {
  const { sub, iat, exp, jti } = claims
  const { scope_claim, clock_tolerance_secs } = settings
  const scopes =
    scope_claim === undefined ? (claims.scope ?? claims.scp) : claimAt(claims, scope_claim)
  return {
    sub: textOf(sub),
    name: nameOf(claims, settings),
    roles: rolesOf(claims, settings),
    scopes: wordsOf(scopes),
    // Keycloak and Auth0 say azp, Okta cid
    client_id: textOf(claims.client_id ?? claims.azp ?? claims.cid),
    jti: textOf(jti),
    iat: typeof iat === 'number' ? iat : undefined,
    endsAt: (Number(exp) + clock_tolerance_secs) * 1000,
  }
}
