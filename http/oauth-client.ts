/** Who asks an OAuth2 endpoint: client authentication (RFC 6749 §2.3.1), and resource owners by their passwords. */
import { Buffer, isUtf8 } from 'node:buffer'
import { OAuthError } from '#component/errors.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import type { Login, Logins } from '#component/realm/logins.ts'
import type { Attempts } from '#component/security/attempts.ts'
import { addressOf, credentialsOf } from '#component/security/scheme.ts'
import type { OAuthForm } from './oauth-form.ts'
import { percentDecode } from './target.ts'

/** What logins are checked with. */
export interface LoginPorts {
  readonly logins: Pick<Logins, 'password'>
  readonly attempts: Pick<Attempts, 'guard'>
}

/** Behaviour, Realms: both groups exist in every realm. */
const clients = 'api_clients'
const owners = 'resource_owners'

/** What a client says of itself. */
interface Credentials {
  readonly client_id: string
  readonly client_secret: string
}

/** RFC 4648 §4, padded or not. */
const base64 = /^[A-Za-z0-9+/]+={0,2}$/

/** The same for every reason, so that nobody learns who is a client. */
const invalidClient = () =>
  new OAuthError('invalid_client', 'the client could not be authenticated')

/** Both parts are form-encoded before they are joined (RFC 6749 §2.3.1); undefined for what is no such text. */
function decodeBasic(credentials: string): Credentials | undefined {
  if (!base64.test(credentials)) return undefined
  const bytes = Buffer.from(credentials, 'base64')
  const text = bytes.toString()
  const colon = text.indexOf(':')
  if (colon < 0 || !isUtf8(bytes)) return undefined
  const [client_id, client_secret] = [text.slice(0, colon), text.slice(colon + 1)].map((part) =>
    percentDecode(part.replaceAll('+', ' ')),
  )
  return client_id && client_secret !== undefined ? { client_id, client_secret } : undefined
}

/**
 * What a client has sent to authenticate itself; undefined when nothing.
 * @throws OAuthError invalid_client for malformed credentials, invalid_request for more than one method
 */
function readCredentials(exchange: Exchange, form: OAuthForm): Credentials | undefined {
  const authorization = exchange.header('authorization')
  const { client_id, client_secret } = form
  const isBasic = authorization !== undefined && /^basic(?: |$)/i.test(authorization)
  if (isBasic) {
    const basic = decodeBasic(credentialsOf(authorization, 'basic') ?? '')
    if (!basic) throw invalidClient()
    const isOther = client_id !== undefined && client_id !== basic.client_id
    if (client_secret !== undefined || isOther) {
      const message = 'a client authenticates itself in one way: by Authorization or in the form'
      throw new OAuthError('invalid_request', message)
    }
    return basic
  }
  if (client_secret === undefined) return undefined
  if (client_id === undefined) {
    throw new OAuthError('invalid_request', 'client_secret needs client_id beside it')
  }
  return { client_id, client_secret }
}

/** Checks clients and owners; all attempts are limited. */
export class OAuthLogins {
  readonly #ports: LoginPorts

  constructor(ports: LoginPorts) {
    this.#ports = ports
  }

  /**
   * The client that authenticates itself; undefined when it does not try to.
   * @throws OAuthError invalid_client, invalid_request; ServiceError too_many_requests
   */
  async client(exchange: Exchange, form: OAuthForm, realm_uri: string): Promise<Login | undefined> {
    const credentials = readCredentials(exchange, form)
    if (!credentials) return undefined
    const { client_id, client_secret } = credentials
    const address = addressOf(exchange)
    const login = await this.#logIn(realm_uri, client_id, client_secret, address, clients)
    if (login) return login
    throw invalidClient()
  }

  /** The same where a client must authenticate itself. */
  async knownClient(exchange: Exchange, form: OAuthForm, realm_uri: string): Promise<Login> {
    const login = await this.client(exchange, form, realm_uri)
    if (login) return login
    throw invalidClient()
  }

  /**
   * A resource owner who knows the password; undefined for whoever does not, or is none.
   * @param address IP address of the client
   * @throws ServiceError too_many_requests
   */
  owner(
    realm_uri: string,
    username: string,
    password: string,
    address: string,
  ): Promise<Login | undefined> {
    return this.#logIn(realm_uri, username, password, address, owners, 'oauth2')
  }

  #logIn(
    realm_uri: string,
    username: string,
    password: string,
    address: string,
    group: string,
    alsoBy?: 'oauth2',
  ): Promise<Login | undefined> {
    const { logins, attempts } = this.#ports
    return attempts.guard(realm_uri, username, address, async () => {
      const login = await logins.password(realm_uri, username, password, address, alsoBy)
      return login?.user.groups.includes(group) ? login : undefined
    })
  }
}
