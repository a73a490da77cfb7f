/** What a security object asks of the user whom its scheme lets pass: roles, and names. */
import { ServiceError } from '#component/errors.ts'
import type { Identity } from '#component/identity.ts'
import { because } from '#component/login-refusal.ts'
import { dynamic, listOf, type Rule, text } from '#component/spec/rules.ts'
import { isMap } from '#component/syntax/values.ts'
import type { Protection } from './scheme.ts'

/** Of one security object; each member that is there must be met. */
export interface Demand {
  /** The user has one of them. */
  readonly roles?: ReadonlySet<string>
  /** The user is one of them. */
  readonly authids?: ReadonlySet<string>
}

const name = (what: string): Rule =>
  dynamic(text(what, (value) => (value === '' ? `it is empty, and nobody has it` : undefined)))

/** The keys of a security object that say who of its users may pass. */
export const demandKeys: Readonly<Record<keyof Demand, Rule>> = {
  roles: dynamic(listOf(name('a role of the realm'), 'a list of roles')),
  authids: dynamic(listOf(name('the name of a user'), 'a list of names of users')),
}

/** The name of what gateways of earlier versions would leave out, and so let everybody pass. */
export const demandFeature = 'security.roles'

/** Names as they are compared (RFC 8265 §3.3); what is no list, which validation has reported, names nobody. */
const namesIn = (value: unknown): ReadonlySet<string> =>
  new Set([value].flat().flatMap((one) => (typeof one === 'string' ? one.normalize() : [])))

/** @returns undefined: every user whom the scheme lets pass may pass */
export function demandOf(object: unknown): Demand | undefined {
  if (!isMap(object)) return undefined
  const { roles, authids } = object
  if (roles === undefined && authids === undefined) return undefined
  return {
    ...(roles !== undefined && { roles: namesIn(roles) }),
    ...(authids !== undefined && { authids: namesIn(authids) }),
  }
}

/** The first key of the demand that an identity does not meet; undefined: it meets all. */
function lackOf(
  { authid, authroles }: Pick<Identity, 'authid' | 'authroles'>,
  { roles, authids }: Demand,
): keyof Demand | undefined {
  if (roles && !authroles.some((role) => roles.has(role.normalize()))) return 'roles'
  if (authids && !authids.has(authid.normalize())) return 'authids'
  return undefined
}

const reasons: Readonly<Record<keyof Demand, string>> = {
  roles: 'the user has none of the roles of the path',
  authids: 'the path is for other users',
}

/**
 * The same identity where it meets what the security object asks for.
 * @throws ServiceError 403, which does not tell what is asked for
 */
export function demanded(
  identity: Identity,
  { demand, realm_uri: realm, type: authmethod }: Protection,
): Identity {
  const lack = demand && lackOf(identity, demand)
  if (lack === undefined) return identity
  const cause = because({ realm, authmethod, authid: identity.authid, reason: reasons[lack] })
  throw new ServiceError('wamp.error.not_authorized', 'this user may not use this path', cause)
}
