/** Operators: users with the role `spec_loader` or `spec_reader`, who manage by access token or API key (behaviour: Management). */
import { RefusedLogin } from '#component/login-refusal.ts'
import type { Logins } from '#component/realm/logins.ts'
import type { AccessTokens } from '#component/token/access-token.ts'
import type { ApiKeys } from '#component/token/api-key.ts'
import { TokenError } from '#component/token/token-error.ts'

/** A user with valid credentials. */
export interface Operator {
  readonly realm_uri: string
  readonly authid: string
  /** Those that the credentials have. */
  readonly roles: readonly string[]
  /** Change things, or only see them; undefined: neither. */
  readonly access: 'load' | 'read' | undefined
  /** The realm whose things only are meant; absent: everything. */
  readonly within?: string
  /** When the credentials end by themselves; seconds since the epoch. */
  readonly expires_at?: number
}

/** The dependencies of {@link Operators}. */
export interface OperatorPorts {
  readonly accessTokens: Pick<AccessTokens, 'verify'>
  readonly apiKeys: Pick<ApiKeys, 'find'>
  readonly logins: Pick<Logins, 'user'>
  /** `admin.realm`: its users manage everything. */
  readonly adminRealm: string | undefined
  /** `wamp.realm`: the right to change what belongs to it allows everything, so that being one of its users is not enough. */
  readonly componentRealm: string
}

/** The user whose credentials they are, and the roles that they carry; absent: all roles of the user. */
interface Bearer {
  readonly realm_uri: string
  readonly authid: string
  readonly roles?: readonly string[]
  readonly expires_at?: number
}

/** The credentials are bad. */
const refused = (reason: string, realm?: string, authid?: string): RefusedLogin =>
  new RefusedLogin({ realm, authmethod: 'bearer', authid, reason })

/** The realm that a token says it is for, verified or not. */
function realmOf(token: string): string | undefined {
  try {
    const claims: unknown = JSON.parse(
      Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'),
    )
    const aud = typeof claims === 'object' && claims !== null && 'aud' in claims && claims.aud
    return typeof aud === 'string' ? aud : undefined
  } catch {
    return undefined
  }
}

/** Finds out who sends an access token or an API key. */
export class Operators {
  readonly #ports: OperatorPorts

  constructor(ports: OperatorPorts) {
    this.#ports = ports
  }

  /**
   * The user whose credentials they are, with what it may do; for bad credentials the reason, for the log.
   * @param text an access token or an API key
   * @throws ServiceError when it cannot be found out now
   */
  async authenticate(text: string): Promise<Operator | RefusedLogin> {
    const bearer = this.#keyHolder(text) ?? (await this.#tokenHolder(text))
    if (typeof bearer === 'string') return refused(bearer)
    const { realm_uri, authid, expires_at } = bearer
    const login = this.#ports.logins.user(realm_uri, authid)
    if (!login) {
      return refused('the user of the credentials is disabled or deleted', realm_uri, authid)
    }
    // roles that the user has lost since the token was issued do not count
    const roles = bearer.roles?.filter((role) => login.roles.includes(role)) ?? login.roles
    const { adminRealm, componentRealm } = this.#ports
    const isWhole = realm_uri === adminRealm
    const isOperator = isWhole || realm_uri !== componentRealm
    return {
      realm_uri,
      authid,
      roles,
      access: isOperator ? accessOf(roles) : undefined,
      ...(!isWhole && { within: realm_uri }),
      ...(expires_at !== undefined && { expires_at }),
    }
  }

  #keyHolder(text: string): Bearer | undefined {
    const key = this.#ports.apiKeys.find(text)
    return (
      key && {
        ...{ realm_uri: key.realm_uri, authid: key.username },
        ...(key.exp !== undefined && { expires_at: key.exp }),
      }
    )
  }

  /** The holder of a token, or why the text is none. */
  async #tokenHolder(text: string): Promise<Bearer | string> {
    const realm_uri = realmOf(text)
    if (realm_uri === undefined) return 'neither a valid API key nor an access token'
    try {
      const { sub, auth, exp } = await this.#ports.accessTokens.verify(text, realm_uri)
      return { realm_uri, authid: sub, roles: auth.roles, expires_at: exp }
    } catch (cause) {
      if (cause instanceof TokenError) return cause.reason
      throw cause
    }
  }
}

function accessOf(roles: readonly string[]): Operator['access'] {
  if (roles.includes('spec_loader')) return 'load'
  return roles.includes('spec_reader') ? 'read' : undefined
}
