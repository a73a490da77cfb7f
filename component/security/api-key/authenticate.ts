/** `api_key` on a path: an API key of a user of the realm, in a header of the document's choice. */

import type { ServiceError } from '#component/errors.ts'
import { type Identity, identityOf } from '#component/identity.ts'
import type { User } from '#component/realm/documents/model.ts'
import type { Logins } from '#component/realm/logins.ts'
import { type Attempts, tooManyOf } from '#component/security/attempts.ts'
import {
  type AlternativeScheme,
  type Protection,
  type SecuredRequest,
  type SecurityScheme,
  unauthorized,
} from '#component/security/scheme.ts'
import { credentialsOf } from '#component/syntax/http-field.ts'
import { addressOf } from '#component/syntax/ip-address.ts'
import type { ApiKeyOwner, ApiKeys } from '#component/token/api-key.ts'

/** The dependencies of the scheme. */
export interface ApiKeyPorts {
  readonly apiKeys: Pick<ApiKeys, 'find'>
  readonly logins: Pick<Logins, 'user'>
  readonly attempts: Pick<Attempts, 'guard'>
}

/** Failures of a wrong key are counted by at most this many of its characters: `gk_` and the id. */
const nameLength = 15

/** The header that has the key; lower case. */
const headerOf = ({ object: { header_name = 'authorization' } }: Protection): string =>
  String(header_name).toLowerCase()

/** How keys begin. */
const keyPrefix = 'gk_'

/** The key in the header; `Authorization` may name `ApiKey` or `Bearer` before it. */
function keyIn(request: SecuredRequest, protection: Protection): string | undefined {
  const name = headerOf(protection)
  const value = request.header(name)
  if (name !== 'authorization') return value || undefined
  return credentialsOf(value, 'apikey') ?? credentialsOf(value, 'bearer') ?? (value || undefined)
}

const unknownKey = 'the API key is unknown, expired or revoked'
const otherRealm = 'the API key belongs to another realm'
const noUser = 'the user of the API key is disabled or deleted'

/** The owner of a key of this realm. */
const ownerIn = (realm_uri: string, key: ApiKeyOwner | undefined): string | undefined =>
  key?.realm_uri === realm_uri ? key.username : undefined

function refusal(key: ApiKeyOwner | undefined, protection: Protection): ServiceError {
  const authid = ownerIn(protection.realm_uri, key)
  const reason = authid === undefined ? (key ? otherRealm : unknownKey) : noUser
  return unauthorized(protection, reason, authid)
}

/** Lets a request pass as the user whose key it brings. */
export class ApiKeyScheme implements AlternativeScheme {
  readonly #ports: ApiKeyPorts
  /** By user, who is built anew with the realm, and id of the key. */
  readonly #known = new WeakMap<User, Map<string, Identity>>()

  constructor(ports: ApiKeyPorts) {
    this.#ports = ports
  }

  readonly isBrought: AlternativeScheme['isBrought'] = (
    { request, authorization, bearer },
    protection,
  ) => {
    const name = headerOf(protection)
    if (name !== 'authorization') return !!request.header(name)
    if (authorization === undefined) return false
    // other tokens are those of others
    if ((bearer ?? authorization).startsWith(keyPrefix)) return true
    return credentialsOf(authorization, 'apikey') !== undefined
  }

  readonly authenticate: SecurityScheme['authenticate'] = (request, protection) =>
    this.#authenticate(request, protection, true)

  readonly authenticateAgain: SecurityScheme['authenticate'] = (request, protection) =>
    this.#authenticate(request, protection, false)

  #authenticate(
    request: SecuredRequest,
    protection: Protection,
    isCounted: boolean,
  ): Identity | Promise<Identity> {
    const text = keyIn(request, protection)
    if (text === undefined) throw unauthorized(protection)
    const { realm_uri } = protection
    const key = this.#ports.apiKeys.find(text)
    const login =
      key?.realm_uri === realm_uri ? this.#ports.logins.user(realm_uri, key.username) : undefined
    if (!key || !login) {
      if (isCounted) return this.#refuse(text, key, request, protection)
      throw refusal(key, protection)
    }
    const { user, roles } = login
    const known = this.#known.get(user)?.get(key.id)
    if (known) return known
    const identity = identityOf({
      ...{ realm_uri, user, authroles: roles, authmethod: 'api_key', session: key.id },
      ...(key.exp !== undefined && { expires_at: key.exp * 1_000 }),
    })
    this.#known.set(user, (this.#known.get(user) ?? new Map()).set(key.id, identity))
    return identity
  }

  /** Counts the failure. Only wrong keys are counted, so that guesses never lock out a valid key. */
  async #refuse(
    text: string,
    key: ApiKeyOwner | undefined,
    request: SecuredRequest,
    protection: Protection,
  ): Promise<never> {
    const { realm_uri: realm, type: authmethod } = protection
    const authid = ownerIn(realm, key)
    const name = text.slice(0, nameLength)
    const nobody = () => Promise.resolve(undefined)
    await this.#ports.attempts
      .guard(realm, name, addressOf(request.peername), nobody)
      .catch(tooManyOf(() => ({ realm, authmethod, authid })))
    throw refusal(key, protection)
  }
}
