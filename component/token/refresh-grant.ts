/** `refresh_token`: the next tokens for one that can be used once (RFC 6749 §6). */
import { OAuthError } from '#component/errors.ts'
import type { Family } from '#component/store/family-store.ts'
import type { AccessTokens } from './access-token.ts'
import {
  answerWith,
  type Grant,
  type GrantContext,
  narrow,
  required,
  type TokenForm,
} from './grant.ts'
import type { RefreshTokens } from './refresh-token-rotation.ts'
import { TokenError } from './token-error.ts'

/** The dependencies of the grant. */
interface RefreshGrantPorts {
  readonly accessTokens: Pick<AccessTokens, 'issue'>
  readonly refreshTokens: Pick<RefreshTokens, 'rotate'>
}

const refused = (reason: string) => new OAuthError('invalid_grant', reason)

/** The granted roles that the user still has, narrowed to the scope of the request. */
function rolesNow(family: Family, form: TokenForm, context: GrantContext): readonly string[] {
  const owner = context.ownerNow(family.authid)
  const roles = owner?.roles.filter((role) => family.scope.includes(role)) ?? []
  if (roles.length === 0) throw refused('the user no longer has any of the granted roles')
  return narrow(roles, form)
}

/** A token is good for the client that it was issued to, as long as that is one. */
function checkClient({ client_id }: Family, form: TokenForm, context: GrantContext): void {
  const named = context.client?.authid ?? form.client_id ?? client_id
  if (named !== client_id) throw refused('the refresh token was issued to another client')
  if (!context.clientNow(client_id)) throw refused('the client no longer exists')
}

/** Opens the grant. It needs no client authentication; a client that does authenticate must be the token's. */
export const refreshGrant = (ports: RefreshGrantPorts): Grant => ({
  grant_type: 'refresh_token',
  async answer(form, context) {
    const token = required(form, 'refresh_token')
    const admit = (family: Family) => {
      checkClient(family, form, context)
      rolesNow(family, form, context)
    }
    try {
      const refresh = await ports.refreshTokens.rotate(token, context.realm_uri, admit)
      const { authid, authmethod, client_id, device_id } = refresh.family
      const roles = rolesNow(refresh.family, form, context)
      const subject = { authid, roles, authmethod, client_id, device_id }
      return await answerWith(ports.accessTokens, context, subject, refresh)
    } catch (cause) {
      if (cause instanceof TokenError) {
        throw new OAuthError('invalid_grant', cause.reason, { cause })
      }
      throw cause
    }
  },
})
