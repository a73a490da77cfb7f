/** Derives authid and roles in the realm from the claims of a provider (behaviour: OIDC). */
import { OidcError } from '#component/oidc-error.ts'
import type { Logins } from '#component/realm/logins.ts'
import { isMap, memberOf, setOwn } from '#component/syntax/values.ts'
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
export const claimAt = (claims: Claims, path: string): unknown =>
  memberOf(claims, path) ?? path.split('.').reduce<unknown>(memberOf, claims)

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

/** The first name of a path. */
const rootOf = (path: string): string => path.split('.')[0] ?? path

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
  const read = new Set(paths.flatMap((path) => [path, rootOf(path)]))
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
  if (authid_claim === 'email' && !isVerifiedEmail(claims)) {
    const message = 'authid_claim is email, but the provider does not confirm email_verified: true'
    throw new OidcError('missing_authid_claim', message)
  }
  const authid = claimAt(claims, authid_claim) ?? claims.sub
  if (typeof authid === 'string' && isName(authid)) return authid
  throw new OidcError(
    'missing_authid_claim',
    `${authid_claim}: expected 1 to 256 printable characters`,
  )
}

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string')

/** The roles that the provider gives, as it calls them. */
const givenRoles = (
  claims: Claims,
  { role_claim, role_claim_fallback }: ProviderSettings,
): readonly string[] => texts(claimAt(claims, role_claim) ?? claimAt(claims, role_claim_fallback))

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
  return [...new Set(roles.filter(isGivenRole))].slice(0, maxRoles)
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
    sizes.push(`${path} ${sizeOf(value)}`)
    const names = Object.hasOwn(claims, path) ? [path] : path.split('.')
    put(chosen, names, value)
  }
  const size = sizeOf(chosen)
  if (size <= maxClaims) return chosen
  const message = `the claims for the ticket have ${size} bytes, at most ${maxClaims} are allowed: ${sizes.join(', ')}`
  throw new OidcError('claims_too_large', message)
}

/** Sets what a path of names leads to; maps on the way are copied, since the provider may have sent them. */
function put(map: Record<string, unknown>, [name = '', ...names]: string[], value: unknown): void {
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
