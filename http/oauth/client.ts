/** Authentication at the OAuth2 endpoints: of clients (RFC 6749 §2.3.1), and of resource owners by their passwords. */

import { Buffer, isUtf8 } from 'node:buffer'
import { OAuthError } from '#component/errors.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import { RefusedLogin } from '#component/login-refusal.ts'
import type { Login, Logins } from '#component/realm/logins.ts'
import { type Attempts, tooManyOf } from '#component/security/attempts.ts'
import { credentialsOf } from '#component/syntax/http-field.ts'
import { addressOf } from '#component/syntax/ip-address.ts'
import { percentDecode } from '#component/syntax/request-target.ts'
import { type TokenForm, wrongOwner } from '#component/token/grant.ts'

/** Dependencies of {@link OAuthLogins}. */
export interface LoginPorts {
  readonly logins: Pick<Logins, 'password' | 'refusal'>
  readonly attempts: Pick<Attempts, 'guard'>
}

/** Behaviour, Realms: both groups exist in every realm. */
const clients = 'api_clients'
const owners = 'resource_owners'

/** Keeps a login only when its user is in the group. */
const oneOf =
  (group: string) =>
  (login: Login | undefined): Login | undefined =>
    login?.user.groups.includes(group) ? login : undefined

/** Keeps the login of a client, which may act for resource owners. */
export const onlyClients = oneOf(clients)
/** Keeps the login of a resource owner, for whom clients may act. */
export const onlyOwners = oneOf(owners)

/** An authenticated client may act on its own tokens only. @throws OAuthError invalid_grant */
export function checkIssuedTo(client: Login | undefined, client_id: string): void {
  if (client === undefined || client.user.username === client_id) return
  throw new OAuthError('invalid_grant', 'the token was issued to another client')
}

interface Credentials {
  readonly client_id: string
  readonly client_secret: string
}

/** RFC 4648 §4, padded or not. */
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** One error for every reason, so that a caller does not learn which clients exist. */
const invalidClient = (cause?: ErrorOptions) =>
  new OAuthError('invalid_client', 'the client could not be authenticated', cause)

/**
 * Reads Basic credentials. RFC 6749 §2.3.1 has both parts form-encoded before they are joined; curl, Authlib and others join
 * them unencoded. Returns every possible reading, the standard's first; an empty array for malformed text.
 */
function readBasic(credentials: string): readonly Credentials[] {
  if (!base64.test(credentials)) return []
  const bytes = Buffer.from(credentials, 'base64')
  const text = bytes.toString()
  const colon = text.indexOf(':')
  if (colon < 0 || !isUtf8(bytes)) return []
  const written = [text.slice(0, colon), text.slice(colon + 1)]
  const decoded = written.map((part) => percentDecode(part.replaceAll('+', ' ')))
  const isPlain = decoded.every((part, at) => part === written[at])
  return (isPlain ? [written] : [decoded, written]).flatMap(([client_id, client_secret]) =>
    client_id && client_secret !== undefined ? [{ client_id, client_secret }] : [],
  )
}

/**
 * Every reading of the credentials that a client has sent; empty when it has sent none.
 * @throws OAuthError invalid_client for malformed credentials, invalid_request for more than one method
 */
function readCredentials(exchange: Exchange, form: TokenForm): readonly Credentials[] {
  const authorization = exchange.header('authorization')
  const { client_id, client_secret } = form
  const isBasic = authorization !== undefined && /^basic(?: |$)/i.test(authorization)
  if (isBasic) {
    const readings = readBasic(credentialsOf(authorization, 'basic') ?? '')
    if (readings.length === 0) throw invalidClient()
    const named = readings.filter((one) => client_id === undefined || client_id === one.client_id)
    if (client_secret !== undefined || named.length === 0) {
      const message =
        'a client must authenticate by one method: the Authorization field or the form'
      throw new OAuthError('invalid_request', message)
    }
    return named
  }
  if (client_secret === undefined) return []
  if (client_id === undefined) {
    throw new OAuthError('invalid_request', 'client_secret requires client_id')
  }
  return [{ client_id, client_secret }]
}

/** What one login is about. */
interface Attempt {
  readonly realm_uri: string
  readonly username: string
  /** IP address of the client. */
  readonly address: string
  /** The group that the user must be in. */
  readonly group: string
  readonly alsoBy?: 'oauth2'
}

/** Authenticates clients and resource owners; the number of attempts is limited. */
export class OAuthLogins {
  readonly #ports: LoginPorts

  constructor(ports: LoginPorts) {
    this.#ports = ports
  }

  /**
   * The client that authenticates itself; undefined when it does not try to.
   * @throws OAuthError invalid_client, invalid_request; ServiceError too_many_requests
   */
  async client(exchange: Exchange, form: TokenForm, realm_uri: string): Promise<Login | undefined> {
    const all = readCredentials(exchange, form)
    const [first] = all
    if (!first) return undefined
    const address = addressOf(exchange.peername)
    const username = first.client_id.normalize()
    const attempt = { realm_uri, username, address, group: clients }
    const found = await this.#logIn(
      attempt,
      all.map(({ client_id, client_secret }) => [client_id.normalize(), client_secret]),
    )
    if (found instanceof RefusedLogin) throw invalidClient({ cause: found })
    return found
  }

  /** Like {@link client}, but a client that does not authenticate itself is invalid_client. */
  async knownClient(exchange: Exchange, form: TokenForm, realm_uri: string): Promise<Login> {
    const login = await this.client(exchange, form, realm_uri)
    if (login) return login
    throw invalidClient()
  }

  /**
   * The resource owner with this password.
   * @param address IP address of the client
   * @throws OAuthError invalid_grant for a wrong password and for a user who is not a resource owner; ServiceError
   *   too_many_requests
   */
  async owner(
    realm_uri: string,
    username: string,
    password: string,
    address: string,
  ): Promise<Login> {
    const attempt = { realm_uri, username, address, group: owners, alsoBy: 'oauth2' } as const
    const found = await this.#logIn(attempt, [[username, password]])
    if (found instanceof RefusedLogin) throw wrongOwner({ cause: found })
    return found
  }

  /** @param readings of the credentials, which count as one attempt together */
  async #logIn(
    { realm_uri, username, address, group, alsoBy }: Attempt,
    readings: readonly (readonly [username: string, password: string])[],
  ): Promise<Login | RefusedLogin> {
    const { logins, attempts } = this.#ports
    const refusal = () => logins.refusal(realm_uri, username, address, 'oauth2', alsoBy)
    const others: Login[] = []
    const prove = async (): Promise<Login | undefined> => {
      for (const [name, password] of readings) {
        const login = await logins.password(realm_uri, name, password, address, alsoBy)
        if (login?.user.groups.includes(group)) return login
        if (login) others.push(login)
      }
      return undefined
    }
    const login = await attempts
      .guard(realm_uri, username, address, prove)
      .catch(tooManyOf(refusal))
    if (login) return login
    const reason = `the user is not in the group ${group}`
    return new RefusedLogin({ ...refusal(), ...(others.length > 0 && { reason }) })
  }
}
