/** All grants, and which of them a flow serves. */
import { OAuthError } from '#component/errors.ts'
import type { AccessClaims, AccessTokens } from './access-token.ts'
import { clientCredentialsGrant } from './client-credentials-grant.ts'
import {
  type Grant,
  type GrantContext,
  type GrantType,
  required,
  type TokenAnswer,
  type TokenForm,
} from './grant.ts'
import { passwordGrant } from './password-grant.ts'
import { refreshGrant } from './refresh-grant.ts'
import type { RefreshTokens } from './refresh-token.ts'
import type { Revocations } from './revocation.ts'

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
 * Does a flow serve the grant that a token came by? Tokens of `client_credentials` alone come without a refresh token (RFC
 * 6749 §4.4.3), so that they belong to no family.
 */
export const servesToken = (flow: string, { family }: Pick<AccessClaims, 'family'>): boolean =>
  grantTypesOf(flow).includes(family === undefined ? 'client_credentials' : 'password')

/** What grants work with. */
export interface GrantPorts {
  readonly accessTokens: Pick<AccessTokens, 'issue'>
  readonly refreshTokens: Pick<RefreshTokens, 'issue' | 'rotate'>
  readonly revocations: Pick<Revocations, 'notBefore'>
}

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
    const served = grantTypesOf(context.flow)
    const grant = grants.find(({ grant_type }) => grant_type === asked)
    if (!grant || !served.includes(grant.grant_type)) {
      const allowed = served.join(', ') || 'none'
      throw new OAuthError('unsupported_grant_type', `the grants supported here: ${allowed}`)
    }
    return grant.answer(form, context)
  }
}
