/** Introspection: tells a client whether an access token is active, and its claims (RFC 7662). */
import { OAuthError } from '#component/errors.ts'
import type { EndpointHandler } from '#component/gateway/handle.ts'
import type { Logins } from '#component/realm/logins.ts'
import type { AccessTokens } from '#component/token/access-token.ts'
import { unlessRefused } from '#component/token/token-error.ts'
import type { OAuthLogins } from './client.ts'
import { readOAuthForm } from './form.ts'
import { tokenReply, withOAuthErrors } from './reply.ts'

/** Dependencies of the introspection endpoint. */
export interface IntrospectPorts {
  readonly clients: Pick<OAuthLogins, 'knownClient'>
  readonly accessTokens: Pick<AccessTokens, 'verify'>
  readonly logins: Pick<Logins, 'user'>
}

/** POST with the field `token`; every client of the realm may ask. Any text but a valid access token is inactive. */
export const introspectEndpoint = (ports: IntrospectPorts): EndpointHandler =>
  withOAuthErrors(async (exchange, { realm_uri }) => {
    const form = await readOAuthForm(exchange)
    await ports.clients.knownClient(exchange, form, realm_uri)
    const { token } = form
    if (token === undefined) {
      throw new OAuthError('invalid_request', 'the parameter token is missing')
    }
    const claims = await unlessRefused(() => ports.accessTokens.verify(token, realm_uri))
    if (!claims || !ports.logins.user(realm_uri, claims.sub)) return tokenReply({ active: false })
    const { iss, sub, aud, exp, iat, jti, client_id, scope } = claims
    return tokenReply({
      active: true,
      token_type: 'bearer',
      username: sub,
      ...{ scope, client_id, iss, sub, aud, exp, iat, jti },
    })
  })
