/** The grants of the token endpoint, and which of them a flow serves. */
import { OAuthError } from '#component/errors.ts'
import type { Family } from '#component/store/family-store.ts'
import type { AccessClaims, AccessTokens, Subject } from './access-token.ts'
import {
  allowedTo,
  answerWith,
  authmethod,
  clientOf,
  deviceOf,
  firstWords,
  type Grant,
  type GrantContext,
  type GrantType,
  narrow,
  type Owner,
  required,
  rolesIn,
  type TokenAnswer,
  type TokenForm,
  wordsOf,
  wrongOwner,
} from './grant.ts'
import type { RefreshTokens } from './refresh-token-rotation.ts'
import type { Revocations } from './revocation.ts'
import { TokenError } from './token-error.ts'

/** `flow` of a security object ─▶ grants. */
const grantTypes = new Map<string, readonly GrantType[]>([
  ['resource_owner_password_credentials', ['password', 'refresh_token']],
  ['client_credentials', ['client_credentials']],
  ['authorization_code', []],
  ['implicit', []],
])

/** The grants that a flow serves. */
export const grantTypesOf = (flow: string): readonly GrantType[] => grantTypes.get(flow) ?? []

/**
 * Whether a flow serves the grant that issued a token. Tokens of `client_credentials` alone come without a refresh token (RFC
 * 6749 §4.4.3), so that they belong to no family.
 */
export const servesToken = (flow: string, { family }: Pick<AccessClaims, 'family'>): boolean =>
  grantTypesOf(flow).includes(family === undefined ? 'client_credentials' : 'password')

/** The dependencies of grants. */
export interface GrantPorts {
  readonly accessTokens: Pick<AccessTokens, 'issue'>
  readonly refreshTokens: Pick<RefreshTokens, 'issue' | 'rotate'>
  readonly revocations: Pick<Revocations, 'notBefore'>
}

/** `client_credentials`: a client acts for itself (RFC 6749 §4.4); without a refresh token, as §4.4.3 says. */
const clientCredentialsGrant = (ports: GrantPorts): Grant => ({
  grant_type: 'client_credentials',
  async answer(form, context) {
    const client = clientOf(context)
    const { authid } = client
    const words = firstWords(client, client, form)
    const subject = {
      ...{ authid, words, roles: rolesIn(words, client, context) },
      authmethod,
      client_id: authid,
      device_id: deviceOf(form),
    }
    return answerWith(ports.accessTokens, context, subject)
  },
})

/** `password`: a client sends the name and password of a resource owner (RFC 6749 §4.3). */
const passwordGrant = (ports: GrantPorts): Grant => ({
  grant_type: 'password',
  async answer(form, context) {
    const client = clientOf(context)
    const device_id = deviceOf(form)
    const username = required(form, 'username').normalize()
    const password = required(form, 'password')
    const notBefore = () => ports.revocations.notBefore(context.realm_uri, username)
    const before = notBefore()
    const owner = await context.authenticateOwner(username, password)
    // the tokens of the owner were revoked meanwhile: the password may be an old one
    if (!owner || notBefore() !== before) throw wrongOwner()
    const words = firstWords(owner, client, form)
    const { authid } = owner
    const roles = rolesIn(words, owner, context)
    const subject: Subject = {
      ...{ authid, words, roles, authmethod },
      ...{ client_id: client.authid, device_id },
    }
    const refresh = await ports.refreshTokens.issue(context.realm_uri, subject)
    return answerWith(ports.accessTokens, context, subject, refresh)
  },
})

const refused = (reason: string) => new OAuthError('invalid_grant', reason)

/** The granted roles and scopes that the user still has, and the client still may have, narrowed to the scope of the request. */
function grantedNow(
  family: Family,
  form: TokenForm,
  context: GrantContext,
): Pick<Subject, 'words' | 'roles'> {
  const client = clientNow(family, form, context)
  const owner = context.ownerNow(family.authid)
  const now = owner ? wordsOf(owner) : []
  const held = now.filter((word) => family.scope.includes(word))
  const left = allowedTo(client, held)
  if (!owner || left.length === 0) {
    throw refused('the user no longer has any of the granted roles and scopes')
  }
  const words = narrow(left, form)
  return { words, roles: rolesIn(words, owner, context) }
}

/** The client that a token was issued to: the token is good for no other one. */
function clientNow({ client_id }: Family, form: TokenForm, context: GrantContext): Owner {
  const named = context.client?.authid ?? form.client_id ?? client_id
  if (named !== client_id) throw refused('the refresh token was issued to another client')
  const client = context.clientNow(client_id)
  if (!client) throw refused('the client no longer exists')
  return client
}

/**
 * `refresh_token`: the next tokens for one that can be used once (RFC 6749 §6). It needs no client authentication; a client that
 * does authenticate must be the token's.
 */
const refreshGrant = (ports: GrantPorts): Grant => ({
  grant_type: 'refresh_token',
  async answer(form, context) {
    const token = required(form, 'refresh_token')
    const admit = (family: Family) => {
      grantedNow(family, form, context)
    }
    try {
      const refresh = await ports.refreshTokens.rotate(token, context.realm_uri, admit)
      const { authid, authmethod, client_id, device_id } = refresh.family
      const granted = grantedNow(refresh.family, form, context)
      const subject = { ...granted, authid, authmethod, client_id, device_id }
      return await answerWith(ports.accessTokens, context, subject, refresh)
    } catch (cause) {
      if (!(cause instanceof TokenError)) throw cause
      throw new OAuthError('invalid_grant', cause.reason, { cause })
    }
  },
})

/** Answers a token request. @throws OAuthError; `service.error.unavailable` */
export type AnswerTokenRequest = (form: TokenForm, context: GrantContext) => Promise<TokenAnswer>

/** Opens the grants. */
export function openGrants(ports: GrantPorts): AnswerTokenRequest {
  const grants: readonly Grant[] = [
    passwordGrant(ports),
    refreshGrant(ports),
    clientCredentialsGrant(ports),
  ]
  return async (form, context) => {
    const asked = required(form, 'grant_type')
    const served = context.flows.flatMap(grantTypesOf)
    const grant = grants.find(({ grant_type }) => grant_type === asked)
    if (!grant || !served.includes(grant.grant_type)) {
      const allowed = served.join(', ') || 'none'
      throw new OAuthError('unsupported_grant_type', `the grants supported here: ${allowed}`)
    }
    return grant.answer(form, context)
  }
}
