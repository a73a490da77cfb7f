/** From the claims of a provider to who somebody is in the realm: authid and roles (behaviour: OIDC). */
import { OidcError } from '#component/errors.ts'
import { isMap } from '#component/realm/rules.ts'
import type { ProviderSettings } from './settings.ts'

/** Claims whose signature, or whose way here, has been verified. */
export type Claims = Readonly<Record<string, unknown>>

/** Letters, marks, digits, punctuation, symbols and blanks within: nothing that is invisible or turns the direction. */
const printable = /^(?! )[\p{L}\p{M}\p{N}\p{P}\p{S} ]{1,256}(?<! )$/u

/** Names with a meaning of their own; no claim makes anybody one of them. */
const reserved: ReadonlySet<string> = new Set(['gateway', 'anonymous', 'all'])

/** Roles that manage this gateway: given by `role_mapping` only. */
const operators: ReadonlySet<string> = new Set(['spec_loader', 'spec_reader'])

/** Roles that a ticket can hold. */
const maxRoles = 256

const own = (value: unknown, key: string): unknown =>
  isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined

/** The claim of this name, else what the path leads to: names with dots are claims, too (`https://example.com/roles`). */
export const claimAt = (claims: Claims, path: string): unknown =>
  own(claims, path) ?? path.split('.').reduce<unknown>(own, claims)

/** Is the name one that grants give a meaning of its own? */
export const isReservedName = (name: string): boolean => reserved.has(name) || operators.has(name)

/** @throws OidcError missing_authid_claim */
export function authidOf(claims: Claims, { authid_claim }: ProviderSettings): string {
  const authid = claimAt(claims, authid_claim) ?? claims.sub
  if (typeof authid === 'string' && printable.test(authid)) return authid
  throw new OidcError(
    'missing_authid_claim',
    `${authid_claim}: expected 1 to 256 printable characters`,
  )
}

const texts = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((item) => typeof item === 'string')

/** What the provider says, by the mapping: a role that it does not name is dropped, unless the mapping is empty. */
export function rolesOf(
  claims: Claims,
  { role_claim, role_claim_fallback, role_mapping }: ProviderSettings,
): readonly string[] {
  const given = texts(claimAt(claims, role_claim) ?? claimAt(claims, role_claim_fallback))
  const isMapped = Object.keys(role_mapping).length > 0
  const roles = given.flatMap((role) => {
    if (!isMapped) return operators.has(role) ? [] : role
    return Object.hasOwn(role_mapping, role) ? (role_mapping[role] ?? []) : []
  })
  const good = roles.filter((role) => printable.test(role) && !reserved.has(role))
  return [...new Set(good)].slice(0, maxRoles)
}
