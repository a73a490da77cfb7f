/** Revocation: a refresh token ends its family, an access token is refused from then on (RFC 7009). */
import { OAuthError } from '#component/errors.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import type { EndpointHandler } from '#component/gateway/handle.ts'
import type { FamilyStore } from '#component/store/family-store.ts'
import type { AccessTokens } from '#component/token/access-token.ts'
import type { RefreshTokens } from '#component/token/refresh-token-rotation.ts'
import type { Revocations } from '#component/token/revocation.ts'
import { unlessRefused } from '#component/token/token-error.ts'
import type { OAuthLogins } from './client.ts'
import { readOAuthForm } from './form.ts'
import { withOAuthErrors } from './reply.ts'

/** Dependencies of the revocation endpoint. */
export interface RevokePorts {
  readonly clients: Pick<OAuthLogins, 'client'>
  readonly accessTokens: Pick<AccessTokens, 'verify'>
  readonly refreshTokens: Pick<RefreshTokens, 'read'>
  readonly families: Pick<FamilyStore, 'find'>
  readonly revocations: Pick<Revocations, 'revokeToken' | 'revokeFamily'>
}

const done: Reply = { status: 200, headers: {}, body: { kind: 'none' } }

/**
 * POST with the field `token`; `token_type_hint` is not needed, since the kinds of token cannot be mistaken for each other.
 * A caller without client authentication may revoke any token that it has; an authenticated client only its own ones.
 */
export const revokeEndpoint = (ports: RevokePorts): EndpointHandler =>
  withOAuthErrors(async (exchange, { realm_uri }) => {
    const form = await readOAuthForm(exchange)
    const client = await ports.clients.client(exchange, form, realm_uri)
    const { token } = form
    if (token === undefined) {
      throw new OAuthError('invalid_request', 'the parameter token is missing')
    }
    const checkOwner = (client_id: string): void => {
      if (client === undefined || client.user.username === client_id) return
      throw new OAuthError('invalid_grant', 'the token was issued to another client')
    }
    const refresh = ports.refreshTokens.read(token)
    if (refresh) {
      const family = await ports.families.find(refresh.family)
      if (family?.realm_uri !== realm_uri) return done
      checkOwner(family.client_id)
      await ports.revocations.revokeFamily(family.id)
      return done
    }
    const claims = await unlessRefused(() => ports.accessTokens.verify(token, realm_uri))
    // an unknown or expired token counts as revoked (RFC 7009 §2.2)
    if (!claims) return done
    checkOwner(claims.client_id)
    await ports.revocations.revokeToken(claims.jti, claims.exp)
    return done
  })
