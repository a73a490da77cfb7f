/** Access tokens: JWTs by which a client acts for a user at routes (RFC 9068; behaviour: OAuth2). */
import { randomUUID } from 'node:crypto'
import type { Family } from '#component/store/family-store.ts'
import { isScopeToken } from '#component/syntax/scope-token.ts'
import { type RegisteredClaims, SignedTokens, type TokenPorts } from './signed-tokens.ts'

/** The user and the client of a token. */
export interface Subject {
  readonly authid: string
  readonly roles: readonly string[]
  /** The roles and scopes that the token is for. */
  readonly words: readonly string[]
  readonly authmethod: string
  readonly client_id: string
  readonly device_id: string
}

/** The claims of an access token. */
export interface AccessClaims extends RegisteredClaims {
  readonly client_id: string
  /** The roles and scopes that the token is for, as far as they can stand in a scope; separated by blanks. */
  readonly scope: string
  readonly auth: {
    readonly realm: string
    readonly roles: readonly string[]
    readonly client_id: string
    readonly device_id: string
    readonly authmethod: string
  }
}

/** The longest that can be configured: the lifetime may have been another one when a token was issued. Seconds. */
const maxLifetime = 86_400

/** Issues and verifies access tokens. */
export class AccessTokens extends SignedTokens<AccessClaims> {
  readonly #ttl: number

  /** @param ports `ttl`: how long a token is valid; seconds, at most a day */
  constructor({ ttl, ...ports }: TokenPorts & { readonly ttl: number }) {
    super(ports, { typ: 'at+jwt', maxLifetime })
    this.#ttl = ttl
  }

  /**
   * @param iss the issuer's URL
   * @param family the refresh tokens that it is issued with; it ends with them
   * @throws TokenError when the roles do not fit in a token; `service.error.unavailable`
   */
  issue(
    realm_uri: string,
    iss: string,
    subject: Subject,
    family?: Pick<Family, 'id' | 'created_at'>,
  ): Promise<{ readonly token: string; readonly claims: AccessClaims }> {
    const { authid, roles, words, authmethod, client_id, device_id } = subject
    const { iat, ...issued } = this.issuedNow(realm_uri, authid)
    const claims: AccessClaims = {
      iss,
      sub: authid,
      aud: realm_uri,
      exp: iat + this.#ttl,
      iat,
      jti: randomUUID(),
      client_id,
      // the role `a b` would read as the roles a and b
      scope: words.filter(isScopeToken).join(' '),
      ...(family ? { family: family.id, auth_time: Math.floor(family.created_at / 1000) } : issued),
      auth: { realm: realm_uri, roles, client_id, device_id, authmethod },
    }
    return this.sign(realm_uri, () => claims)
  }
}
