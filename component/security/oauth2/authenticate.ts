/** `oauth2` on a path: an access token in `Authorization: Bearer` (RFC 6750 §2.1), and nowhere else. */
import { type Identity, identityOf } from '#component/identity.ts'
import type { Logins } from '#component/realm/logins.ts'
import { bearerOf } from '#component/security/bearer-of.ts'
import { KnownIdentities } from '#component/security/known-identities.ts'
import {
  type AlternativeScheme,
  admitByToken,
  insufficientScope,
  type Protection,
  type SecurityScheme,
  unauthorized,
} from '#component/security/scheme.ts'
import { scopesOf } from '#component/security/scopes.ts'
import type { AccessClaims, AccessTokens } from '#component/token/access-token.ts'
import { grantedScopes } from '#component/token/granted-scopes.ts'
import { servesToken } from '#component/token/grants.ts'

/** The dependencies of the scheme. */
export interface BearerPorts {
  readonly accessTokens: Pick<AccessTokens, 'verify'>
  readonly logins: Pick<Logins, 'heldScopes' | 'user'>
  /** Whether the paths of an API accept the tokens of an issuer. */
  readonly issuers: { isTrusted(api: string, iss: string): boolean }
}

/** Lets a request pass as the user of its token, with those roles of the token that the user still has. */
export class BearerScheme implements AlternativeScheme {
  readonly #ports: BearerPorts
  readonly #identities = new KnownIdentities<AccessClaims>()

  constructor(ports: BearerPorts) {
    this.#ports = ports
  }

  readonly isBrought: AlternativeScheme['isBrought'] = ({ token }, { api }) =>
    token?.iss !== undefined && !token.isTicket && this.#ports.issuers.isTrusted(api, token.iss)

  readonly authenticate: SecurityScheme['authenticate'] = (request, protection) => {
    const token = bearerOf(request)
    if (token === undefined) throw unauthorized(protection)
    return admitByToken(
      protection,
      () => this.#ports.accessTokens.verify(token, protection.realm_uri),
      (claims) => this.#identity(claims, protection),
    )
  }

  #identity(claims: AccessClaims, protection: Protection): Identity {
    const { api, realm_uri, object } = protection
    if (!this.#ports.issuers.isTrusted(api, claims.iss)) {
      throw unauthorized(protection, 'the token was issued for another API', claims.sub)
    }
    // only the verify endpoint names no flow: paths of several flows may share it
    if (typeof object.flow === 'string' && !servesToken(object.flow, claims)) {
      const reason = 'the flow of the path does not accept tokens of this grant'
      throw unauthorized(protection, reason, claims.sub)
    }
    const { logins } = this.#ports
    const login = logins.user(realm_uri, claims.sub)
    if (!login) throw unauthorized(protection, 'the user of the token no longer exists', claims.sub)
    const { auth, client_id, jti } = claims
    const { user, roles } = login
    const identity = this.#identities.of(claims, user, () =>
      identityOf({
        ...{ realm_uri, user, authmethod: auth.authmethod, client_id, session: jti },
        authroles: auth.roles.filter((role) => roles.includes(role)),
        granted_scopes: grantedScopes(claims, roles, logins),
        expires_at: claims.exp * 1000,
      }),
    )
    const scopes = scopesOf(object)
    if (scopes.every((scope) => identity.granted_scopes?.includes(scope))) return identity
    throw insufficientScope(protection, scopes, identity.authid)
  }
}
