/** `jwt` on a path: an access token of another issuer in `Authorization: Bearer` (RFC 6750 §2.1), and nowhere else. */
import type { Identity } from '#component/identity.ts'
import type { ForeignToken, ForeignTokens } from '#component/issuer/foreign-tokens.ts'
import type { ForeignUsers } from '#component/issuer/foreign-users.ts'
import { issuersOf } from '#component/issuer/settings.ts'
import type { Realms } from '#component/realm/realms.ts'
import { bearerOf } from '#component/security/bearer-of.ts'
import {
  type AlternativeScheme,
  admitByToken,
  insufficientScope,
  type Protection,
  type SecuredRequest,
  type SecurityScheme,
  unauthorized,
} from '#component/security/scheme.ts'
import { scopesOf } from '#component/security/scopes.ts'
import { addressOf } from '#component/syntax/ip-address.ts'
import { issuerNameOf } from './kind.ts'

/** The dependencies of the scheme. */
export interface JwtPorts {
  readonly foreignTokens: Pick<ForeignTokens, 'verify'>
  readonly foreignUsers: Pick<ForeignUsers, 'identityOf'>
  readonly realms: Pick<Realms, 'realm'>
}

/** Lets a request pass as the user of its token, with the roles that the issuer gives. */
export class JwtScheme implements AlternativeScheme {
  readonly #ports: JwtPorts

  constructor(ports: JwtPorts) {
    this.#ports = ports
  }

  readonly isBrought: AlternativeScheme['isBrought'] = ({ token }, { realm_uri, object }) => {
    if (token?.iss === undefined || token.isTicket) return false
    const issuers = issuersOf(this.#ports.realms.realm(realm_uri))
    return issuers.get(issuerNameOf(object))?.issuer === token.iss
  }

  readonly authenticate: SecurityScheme['authenticate'] = (request, protection) => {
    const text = bearerOf(request)
    if (text === undefined) throw unauthorized(protection)
    const { realm_uri, object } = protection
    return admitByToken(
      protection,
      () => this.#ports.foreignTokens.verify(text, realm_uri, issuerNameOf(object)),
      (token) => this.#admit(token, request, protection),
    )
  }

  #admit(token: ForeignToken, request: SecuredRequest, protection: Protection): Identity {
    const identity = this.#ports.foreignUsers.identityOf(token, addressOf(request.peername))
    const scopes = scopesOf(protection.object)
    if (scopes.every((scope) => token.scopes.includes(scope))) return identity
    throw insufficientScope(protection, scopes, identity.authid)
  }
}
