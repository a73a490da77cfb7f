/** The users of access tokens of other issuers: their authid, their roles, and whether they may still come. */
import { givenRoles, type Identity, identityOf } from '#component/identity.ts'
import { type Accounts, documentRefusal } from '#component/oidc/accounts.ts'
import { issuerOfName } from '#component/realm/documents/info/issuer-rules.ts'
import type { Realm } from '#component/realm/documents/model.ts'
import { issuerMethod, mayUse } from '#component/realm/logins.ts'
import type { Realms } from '#component/realm/realms.ts'
import type { Revocations } from '#component/token/revocation.ts'
import { TokenError } from '#component/token/token-error.ts'
import type { ForeignToken } from './foreign-tokens.ts'
import { issuersOf } from './settings.ts'

/** The dependencies of {@link ForeignUsers}. */
export interface ForeignUserPorts {
  readonly realms: Pick<Realms, 'realm'>
  /** Tells whose names subjects of the issuer have, who is an identity provider of the realm, too. */
  readonly accounts: Pick<Accounts, 'isKnown' | 'nameOf' | 'version'>
  readonly revocations: Pick<Revocations, 'notBefore'>
}

/** Of the realm and the accounts as they were when it was made. */
interface Known {
  readonly realm: Realm
  readonly version: number
  readonly identity: Identity
}

/** Finds the users of tokens. */
export class ForeignUsers {
  readonly #ports: ForeignUserPorts
  readonly #known = new WeakMap<ForeignToken, Known>()

  constructor(ports: ForeignUserPorts) {
    this.#ports = ports
  }

  /**
   * The identity that a verified token gives now.
   * @param address IP address of the client
   * @throws TokenError when the realm does not admit its user from there, or everything of the user was revoked since it was issued
   */
  identityOf(token: ForeignToken, address: string): Identity {
    const realm = this.#ports.realms.realm(token.realm_uri)
    if (!realm) throw new TokenError('the realm does not admit the user of the token')
    const identity = this.#identityIn(realm, token)
    const { authid } = identity
    if (!mayUse(realm, issuerMethod, authid, address)) {
      throw new TokenError('the sources of the realm do not admit the user of the token from there')
    }
    if (this.isRevoked(token, authid)) {
      throw new TokenError(
        token.iat === undefined
          ? 'the tokens of the user were revoked, and this one does not say when it was issued (iat)'
          : 'the token was revoked',
      )
    }
    return identity
  }

  /** The same identity for all requests, until the realm or an account changes. */
  #identityIn(realm: Realm, token: ForeignToken): Identity {
    const { accounts } = this.#ports
    const { version } = accounts
    const known = this.#known.get(token)
    if (known?.realm === realm && known.version === version) return known.identity
    const { realm_uri, settings, sub, name } = token
    const bound =
      sub === undefined ? undefined : accounts.nameOf(realm_uri, { issuer: settings.issuer, sub })
    const authid = bound ?? name
    if (!this.isKnown(realm_uri, authid)) {
      throw new TokenError('the realm does not admit the user of the token')
    }
    const identity = identityIn(realm, token, authid)
    this.#known.set(token, { realm, version, identity })
    return identity
  }

  /** Whether everything that the user was issued was revoked since the token was: of one without `iat`, at any time. */
  isRevoked({ realm_uri, iat = 0 }: ForeignToken, authid: string): boolean {
    const until = this.#ports.revocations.notBefore(realm_uri, authid)
    return until > 0 && iat <= until
  }

  /** Whether users of issuers may have this name in the realm as it is now. */
  isKnown(realm_uri: string, authid: string): boolean {
    const realm = this.#ports.realms.realm(realm_uri)
    if (!realm) return false
    const issuer = issuerOfName(realm.info, authid)
    if (issuer === undefined) {
      return issuersOf(realm).size > 0 && this.#ports.accounts.isKnown(realm_uri, authid)
    }
    return issuersOf(realm).has(issuer) && documentRefusal(realm, authid) === undefined
  }
}

function identityIn(realm: Realm, token: ForeignToken, authid: string): Identity {
  const { realm_uri, roles, endsAt, client_id, jti } = token
  // grants name users, too: no role makes anybody another user
  const authroles = roles.filter((role) => role === authid || !realm.users.has(role))
  return identityOf({
    ...{ realm_uri, authroles, authmethod: issuerMethod, expires_at: endsAt },
    ...(client_id !== undefined && { client_id }),
    ...(jti !== undefined && { session: jti }),
    user: givenRoles(authid, authroles, realm.users.get(authid)),
  })
}
