/** Derives authid and roles in the realm from the claims of a provider (behaviour: OIDC). */
import { OidcError } from '#component/oidc-error.ts'
import {
  type ClaimPath,
  isPathOf,
  namesOf,
  pathText,
} from '#component/realm/documents/info/claim-path.ts'
import type { Logins } from '#component/realm/logins.ts'
import { isMap, type JsonMap, memberOf, setOwn } from '#component/syntax/values.ts'
import type { ProviderSettings } from './settings.ts'

/** Claims whose signature, or whose way here, has been verified. */
export type Claims = Readonly<Record<string, unknown>>

/** Letters, marks, digits, punctuation, symbols and blanks within: nothing that is invisible or turns the direction. */
const printable = /^(?! )[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,256}(?<! )$/u

/** Names with a meaning of their own; no claim makes anybody one of them. */
const reserved: ReadonlySet<string> = new Set(['gateway', 'anonymous', 'all'])

/** Roles that manage this gateway: given by `role_mapping` only. */
const operators: ReadonlySet<string> = new Set(['spec_loader', 'spec_reader'])

/** Roles that a ticket, or a session, can hold. */
export const maxRoles = 256

/** Whether a claim can name a user, a role or a scope. */
export const isName = (text: string): boolean => printable.test(text)

/** Whether users can have the role: it names no one else by itself. */
export const isGivenRole = (role: string): boolean => isName(role) && !reserved.has(role)

/** The claim of this name, else what the path leads to: names with dots are claims, too (`https://example.com/roles`). */
export function claimAt(claims: Claims, path: ClaimPath): unknown {
  const names = namesIn(claims, path)
  return names.length === 0 ? undefined : names.reduce<unknown>(memberOf, claims)
}

const namesIn = (claims: Claims, path: ClaimPath): readonly string[] =>
  typeof path === 'string' && (memberOf(claims, path) ?? undefined) !== undefined
    ? [path]
    : namesOf(path)

/** Whether grants or the gateway give the name a meaning of its own. */
export const isReservedName = (name: string): boolean => reserved.has(name) || operators.has(name)

/**
 * The claims of ID token and userinfo together; the ID token wins. `email_verified` is that of the `email` beside it: one of them
 * may not vouch for the address in the other.
 */
function mergeClaims(ofIdToken: Claims, ofUserinfo: Claims): Claims {
  const { email_verified } = Object.hasOwn(ofIdToken, 'email') ? ofIdToken : ofUserinfo
  return { ...ofUserinfo, ...ofIdToken, email_verified }
}

/** What a provider has told of a user. */
export interface Told {
  /** All claims. */
  readonly claims: Claims
  /** Of those that the settings read, the ones that only an ID token has told: an answer without one says nothing of them. */
  readonly ofIdTokenOnly: Claims
}

/**
 * What a provider has told, which may be less at a refresh than at the login: its answer need not have an ID token (OpenID
 * Connect Core §12.2). Then claims stay that only an ID token has told before; what userinfo has told and tells no more is gone.
 * @param ofIdToken undefined: the answer has none
 * @param before `ofIdTokenOnly` of the answer before
 */
export function toldBy(
  ofIdToken: Claims | undefined,
  ofUserinfo: Claims,
  { role_claim, role_claim_fallback, claims: chosen }: ProviderSettings,
  before: Claims = {},
): Told {
  const paths = [role_claim, role_claim_fallback, ...chosen]
  const read = new Set<unknown>(paths.flatMap((path) => [path, namesOf(path)[0]]))
  const others = Object.entries(ofIdToken ?? before).filter(
    ([name]) => !Object.hasOwn(ofUserinfo, name),
  )
  const ofIdTokenOnly = Object.fromEntries(
    others.filter(([name]) => read.has(name) || name === 'email_verified'),
  )
  return { claims: mergeClaims(ofIdToken ?? ofIdTokenOnly, ofUserinfo), ofIdTokenOnly }
}

/** Whether the issuer vouches for the `email`; some providers say it as text (Amazon Cognito). */
export const isVerifiedEmail = ({ email_verified }: Claims): boolean =>
  email_verified === true || email_verified === 'true'

/** @throws OidcError missing_authid_claim */
export function authidOf(claims: Claims, { authid_claim }: ProviderSettings): string {
  // users may write any address into their own profile
  if (isPathOf(authid_claim, 'email') && !isVerifiedEmail(claims)) {
    const message = 'authid_claim is email, but the provider does not confirm email_verified: true'
    throw new OidcError('missing_authid_claim', message)
  }
  const authid = claimAt(claims, authid_claim) ?? claims.sub
  // as names of realm documents are compared
  if (typeof authid === 'string' && isName(authid)) return authid.normalize()
  throw new OidcError(
    'missing_authid_claim',
    `${pathText(authid_claim)}: expected 1 to 256 printable characters`,
  )
}

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string')

/**
 * The roles that are keys of a map, as Zitadel gives them. A key whose value says no gives none, nor one that holds a list: that is
 * a map of something else, such as `realm_access` of Keycloak.
 */
export const keyedRoles = (map: JsonMap): string[] =>
  Object.keys(map).filter((key) => {
    const value = map[key]
    return value !== false && value !== null && !Array.isArray(value)
  })

/** The roles that the provider gives, as it calls them. */
const givenRoles = (
  claims: Claims,
  { role_claim, role_claim_fallback }: ProviderSettings,
): readonly string[] => {
  const given = claimAt(claims, role_claim) ?? claimAt(claims, role_claim_fallback)
  return isMap(given) ? keyedRoles(given) : texts(given)
}

/** The settings whose paths lead to no claim, each with its path, for the log: a misspelt path looks like a user without rights. */
export function lostPaths(
  claims: Claims,
  { authid_claim, role_claim, role_claim_fallback, claims: chosen }: ProviderSettings,
): readonly (readonly [setting: string, path: string])[] {
  const isLost = (path: ClaimPath) => (claimAt(claims, path) ?? undefined) === undefined
  const settings: readonly (readonly [string, readonly ClaimPath[]])[] = [
    ['authid_claim', [authid_claim]],
    // one that stands in for the other need not be there
    ['role_claim', isLost(role_claim_fallback) ? [role_claim] : []],
    ['claims', chosen],
  ]
  return settings.flatMap(([setting, paths]) =>
    paths.filter(isLost).map((path) => [setting, pathText(path)] as const),
  )
}

/** The roles of the provider that a mapping does not name, for the log: those that {@link rolesOf} drops. */
export const unmappedRoles = (claims: Claims, settings: ProviderSettings): readonly string[] =>
  Object.keys(settings.role_mapping).length === 0
    ? []
    : givenRoles(claims, settings).filter(
        (role) => isName(role) && !Object.hasOwn(settings.role_mapping, role),
      )

/** The roles that the provider states, mapped: a role that the mapping does not name is dropped, unless the mapping is empty. */
export function rolesOf(claims: Claims, settings: ProviderSettings): readonly string[] {
  const { role_mapping } = settings
  const given = givenRoles(claims, settings)
  const isMapped = Object.keys(role_mapping).length > 0
  const roles = given.flatMap((role) => {
    if (!isMapped) return operators.has(role) ? [] : role
    return Object.hasOwn(role_mapping, role) ? (role_mapping[role] ?? []) : []
  })
  return [...new Set(roles.filter(isGivenRole).map((role) => role.normalize()))].slice(0, maxRoles)
}

/** Bytes of the claims that a ticket carries, as JSON. */
const maxClaims = 2_048

const sizeOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))

/**
 * The claims that the settings name, for expressions: under their names, and what a dotted path leads to in maps as deep.
 * Undefined where the settings name none.
 * @throws OidcError claims_too_large
 */
export function chosenClaims(claims: Claims, settings: Pick<ProviderSettings, 'claims'>) {
  const { claims: paths } = settings
  if (paths.length === 0) return undefined
  const chosen: Record<string, unknown> = {}
  const sizes: string[] = []
  for (const path of paths) {
    const value = claimAt(claims, path)
    if (value === undefined) continue
    sizes.push(`${pathText(path)} ${sizeOf(value)}`)
    put(chosen, namesIn(claims, path), value)
  }
  const size = sizeOf(chosen)
  if (size <= maxClaims) return chosen
  const message = `the claims for the ticket have ${size} bytes, at most ${maxClaims} are allowed: ${sizes.join(', ')}`
  throw new OidcError('claims_too_large', message)
}

/** Sets what a path of names leads to; maps on the way are copied, since the provider may have sent them. */
function put(
  map: Record<string, unknown>,
  [name = '', ...names]: readonly string[],
  value: unknown,
): void {
  const known = memberOf(map, name)
  const inner: Record<string, unknown> = isMap(known) ? { ...known } : {}
  if (names.length > 0) put(inner, names, value)
  setOwn(map, name, names.length > 0 ? inner : value)
}

/** The roles that a user of a provider has in a realm. Grants name users, too: no role makes anybody another user. */
export const rolesIn = (
  logins: Pick<Logins, 'user'>,
  realm_uri: string,
  authid: string,
  roles: readonly string[],
): readonly string[] => roles.filter((role) => role === authid || !logins.user(realm_uri, role))
