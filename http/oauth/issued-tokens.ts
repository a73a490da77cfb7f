/** The endpoints for a token that was issued: introspection (RFC 7662), revocation (RFC 7009), verification for a proxy. */

import type { Reply } from '#component/gateway/exchange.ts'
import type { EndpointHandler } from '#component/gateway/parts.ts'
import type { Logins } from '#component/realm/logins.ts'
import { oauth2 } from '#component/security/oauth2/kind.ts'
import { type SecurityScheme, unauthorized } from '#component/security/scheme.ts'
import type { FamilyStore } from '#component/store/family-store.ts'
import { credentialsOf } from '#component/syntax/http-field.ts'
import { scopesIn } from '#component/syntax/scope-token.ts'
import type { AccessTokens } from '#component/token/access-token.ts'
import { required } from '#component/token/grant.ts'
import { scopeNow } from '#component/token/granted-scopes.ts'
import type { RefreshTokens } from '#component/token/refresh-token-rotation.ts'
import type { Revocations } from '#component/token/revocation.ts'
import { unlessRefused } from '#component/token/token-error.ts'
import { checkIssuedTo, type OAuthLogins } from './client.ts'
import { formEndpoint, tokenReply } from './form-endpoint.ts'

/** Dependencies of these endpoints. */
export interface IssuedTokenPorts {
  readonly clients: Pick<OAuthLogins, 'client' | 'knownClient'>
  readonly logins: Pick<Logins, 'heldScopes' | 'user'>
  readonly accessTokens: Pick<AccessTokens, 'verify'>
  readonly refreshTokens: Pick<RefreshTokens, 'read'>
  readonly families: Pick<FamilyStore, 'find'>
  readonly revocations: Pick<Revocations, 'revokeToken' | 'revokeFamily'>
  /** The scheme that protects paths under `oauth2`: a request that passes there passes verification. */
  readonly bearer: SecurityScheme
}

/** POST with the field `token`; every client of the realm may ask. Any text but a valid access token is inactive. */
export const introspectEndpoint = (ports: IssuedTokenPorts): EndpointHandler =>
  formEndpoint(async (form, exchange, { realm_uri }) => {
    await ports.clients.knownClient(exchange, form, realm_uri)
    const token = required(form, 'token')
    const claims = await unlessRefused(() => ports.accessTokens.verify(token, realm_uri))
    const login = claims && ports.logins.user(realm_uri, claims.sub)
    if (!login) return tokenReply({ active: false })
    const { iss, sub, aud, exp, iat, jti, client_id } = claims
    const scope = scopeNow(claims, login.roles, ports.logins)
    return tokenReply({
      active: true,
      token_type: 'bearer',
      username: sub,
      ...{ scope, client_id, iss, sub, aud, exp, iat, jti },
    })
  })

const done: Reply = { status: 200, headers: {}, body: { kind: 'none' } }

/**
 * POST with the field `token`: a refresh token ends its family, an access token is refused from then on. `token_type_hint` is
 * not needed, since the kinds of token cannot be mistaken for each other. A caller without client authentication may revoke
 * any token that it has; an authenticated client only its own ones.
 */
export const revokeEndpoint = (ports: IssuedTokenPorts): EndpointHandler =>
  formEndpoint(async (form, exchange, { realm_uri }) => {
    const client = await ports.clients.client(exchange, form, realm_uri)
    const token = required(form, 'token')
    const refresh = ports.refreshTokens.read(token)
    if (refresh) {
      const family = await ports.families.find(refresh.family)
      if (family?.realm_uri !== realm_uri) return done
      checkIssuedTo(client, family.client_id)
      await ports.revocations.revokeFamily(family.id)
      return done
    }
    const claims = await unlessRefused(() => ports.accessTokens.verify(token, realm_uri))
    // an unknown or expired token counts as revoked (RFC 7009 §2.2)
    if (!claims) return done
    checkIssuedTo(client, claims.client_id)
    await ports.revocations.revokeToken(claims.jti, claims.exp)
    return done
  })

/** Percent-encodes all but printable ASCII, and also the percent sign and the comma, which separates roles. */
const headerText = (text: string): string =>
  text.toWellFormed().replaceAll(/[^ -~]+|[%,]/gu, encodeURIComponent)

/**
 * GET or HEAD with `Authorization: Bearer`, for a reverse proxy that authorizes each request by a subrequest (nginx
 * `auth_request`): 200 with the identity of the token in headers, else 401 as on a protected path.
 */
export const verifyEndpoint =
  ({ bearer, accessTokens }: IssuedTokenPorts): EndpointHandler =>
  async (exchange, { realm_uri, path }) => {
    // no flow: paths of several flows may share this endpoint
    const { api } = path.version
    const { limits } = path.inherited
    const { scope } = exchange.query_params
    const object = scope === undefined ? {} : { scopes: scopesIn(scope) }
    const protection = { type: oauth2.type, kind: oauth2, realm_uri, api, object, limits }
    const identity = await bearer.authenticate(exchange, protection)
    const token = credentialsOf(exchange.header('authorization'), 'bearer') ?? ''
    const claims = await unlessRefused(() => accessTokens.verify(token, realm_uri))
    if (!claims) throw unauthorized(protection, 'the token has just expired or was revoked')
    const { authid, authroles, authmethod } = identity
    return {
      status: 200,
      headers: {
        'x-service-authid': headerText(authid),
        'x-service-authrealm': headerText(realm_uri),
        'x-service-authroles': authroles.map(headerText).join(','),
        'x-service-authmethod': headerText(authmethod),
        'x-service-expires-at': String(claims.exp),
      },
      body: { kind: 'none' },
    }
  }
