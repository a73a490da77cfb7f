/** The users of realms: their roles, where they may log in from, and their logins by password over HTTP. */
import type { LoginRefusal } from '#component/login-refusal.ts'
import type { Realm, User } from '#component/realm/documents/model.ts'
import { isPassword } from '#component/realm/documents/password.ts'
import type { Realms } from './realms.ts'

/** The method of users who have logged in at an identity provider, which gives them their roles (specification: Ticket). */
export const providerMethod = 'oidcrp'

/** The method of users who come with an access token of another issuer, which gives them their roles. */
export const issuerMethod = 'jwt'

/** Whether others prove the users of a method: the realm document has no credentials of theirs, and does not give them their roles. */
export const isProvedElsewhere = (authmethod: string): boolean =>
  authmethod === providerMethod || authmethod === issuerMethod

/** The role of the gateway's own sessions; users never have it. */
export const gatewayRole = 'gateway'

/** The roles of a user: the groups, never the gateway's; the username for a user without groups. */
export function rolesOf({ username, groups }: Pick<User, 'username' | 'groups'>): string[] {
  const roles = groups.filter((group) => group !== gatewayRole)
  if (roles.length === 0 && username !== gatewayRole) roles.push(username)
  return roles
}

/** Whether two versions of a user have the same password and keys. */
export const hasSameProof = (one: User, other: User): boolean =>
  one.password?.argon2id === other.password?.argon2id &&
  one.authorized_keys.toSorted().join() === other.authorized_keys.toSorted().join()

/** Whether the sources of the realm admit the user by the method from the address. A realm without sources admits every user from every address. */
export function mayUse(
  realm: Realm,
  authmethod: string,
  username: string,
  address: string,
): boolean {
  if (realm.sources === undefined) return true
  return realm.sources.some(
    (source) =>
      source.authmethod === authmethod &&
      (source.usernames === 'all' || source.usernames.includes(username)) &&
      source.isFrom(address),
  )
}

/** A login that has failed. */
export interface FailedLogin {
  /** Absent where the method needs none. */
  readonly username?: string | undefined
  /** Whether the user is known beside the realm's own: it has an account at an identity provider. */
  readonly hasAccount?: boolean
  /** The methods by one of which the user could have logged in. */
  readonly methods: readonly string[]
  /** IP address of the client. */
  readonly address: string
  /** The reason if everything but the proof was right. */
  readonly proof: string
}

/** Why a login was refused, for the log alone. The user is named only if the realm has it. */
export function explain(
  realm: Realm | undefined,
  { username, hasAccount = false, methods, address, proof }: FailedLogin,
): Pick<LoginRefusal, 'authid' | 'reason'> {
  if (!realm || realm.isPrototype) return { reason: 'the realm does not exist' }
  const name = username ?? ''
  const isDisabled = realm.disabled.has(name)
  const authid = isDisabled || hasAccount || realm.users.has(name) ? username : undefined
  const served = methods.filter((method) => realm.authmethods.includes(method))
  const isFrom = (method: string) => mayUse(realm, method, username ?? method, address)
  if (served.length === 0) {
    return { authid, reason: `the realm does not serve the authmethod ${methods.join(', ')}` }
  }
  if (authid === undefined && username !== undefined) return { reason: 'unknown user' }
  if (isDisabled) return { authid, reason: 'the user is disabled' }
  if (served.some(isFrom)) return { authid, reason: proof }
  return { authid, reason: `no source admits the user or the address by ${served.join(', ')}` }
}

/** A user of a realm with its roles. */
export interface Login {
  readonly user: User
  /** As WAMP sessions of the user have them. */
  readonly roles: readonly string[]
}

/** A user who may log in by one of these methods may do so over HTTP (behaviour: OAuth2). */
const baseMethods = ['wampcra', 'cryptosign', 'password'] as const

const loginOf = (user: User): Login => ({ user, roles: rolesOf(user) })

/** Asks the realms as they are now. */
export class Logins {
  readonly #realms: Pick<Realms, 'realm'>

  constructor({ realms }: { readonly realms: Pick<Realms, 'realm'> }) {
    this.#realms = realms
  }

  /**
   * An enabled user who knows the password and comes from where sources admit it for a base method that the realm serves.
   * Unknown users, wrong passwords and forbidden addresses take the same time.
   * @param address IP address of the client
   * @param alsoBy a method that realm and sources must admit, too
   */
  async password(
    realm_uri: string,
    username: string,
    password: string,
    address: string,
    alsoBy?: 'oauth2',
  ): Promise<Login | undefined> {
    const isAdmitted =
      this.#admitsByPassword(realm_uri, username, address) &&
      (alsoBy === undefined || this.mayUse(realm_uri, alsoBy, username, address))
    const user = isAdmitted ? this.#user(realm_uri, username) : undefined
    const isProved = await isPassword(password, user?.password)
    // hashing takes time: the login fails if the user is gone or has another password by then
    const now = user && this.#user(realm_uri, username)
    return isProved && user && now && hasSameProof(user, now) ? loginOf(now) : undefined
  }

  /**
   * Why {@link password} has refused a login, for the log alone.
   * @param authmethod as the log calls the login
   */
  refusal(
    realm_uri: string,
    username: string,
    address: string,
    authmethod: string,
    alsoBy?: 'oauth2',
  ): LoginRefusal {
    const realm = this.#realms.realm(realm_uri)
    const claims = { username, address, proof: 'wrong secret' }
    const first = explain(realm, { ...claims, methods: baseMethods })
    const isOfBase = alsoBy === undefined || first.reason !== claims.proof
    const why = isOfBase ? first : explain(realm, { ...claims, methods: [alsoBy] })
    return { realm: realm && realm_uri, authmethod, ...why }
  }

  /**
   * The login of now of a user who has proved a password before: the password is the same one, and realm and sources still admit
   * the user from there. Hashes nothing.
   * @param then the user as it was when the password was proved
   * @param address IP address of the client
   */
  again(realm_uri: string, then: User, address: string): Login | undefined {
    const { username, password } = then
    const now = this.#user(realm_uri, username)
    const isSame = password !== undefined && password.argon2id === now?.password?.argon2id
    return now && isSame && this.#admitsByPassword(realm_uri, username, address)
      ? loginOf(now)
      : undefined
  }

  /** The enabled user of this name with its roles, without a proof. */
  user(realm_uri: string, username: string): Login | undefined {
    const user = this.#user(realm_uri, username)
    return user && loginOf(user)
  }

  /** The scopes of the realm that a user with these roles holds. */
  heldScopes(realm_uri: string, roles: readonly string[]): readonly string[] {
    const { scopes } = this.#realm(realm_uri) ?? {}
    if (scopes === undefined || scopes.size === 0) return []
    return [...scopes.keys()].filter((name) =>
      roles.some((role) => scopes.get(name)?.roles.has(role)),
    )
  }

  /** The roles that scopes of the realm name. */
  rolesOfScopes(realm_uri: string, names: readonly string[]): ReadonlySet<string> {
    const { scopes } = this.#realm(realm_uri) ?? {}
    return new Set(names.flatMap((name) => [...(scopes?.get(name)?.roles ?? [])]))
  }

  /** Whether the realm serves the method, and its sources admit the user by it from the address. */
  mayUse(realm_uri: string, authmethod: string, username: string, address: string): boolean {
    const realm = this.#realm(realm_uri)
    if (!realm?.authmethods.includes(authmethod)) return false
    return mayUse(realm, authmethod, username.normalize(), address)
  }

  #admitsByPassword(realm_uri: string, username: string, address: string): boolean {
    return baseMethods.some((method) => this.mayUse(realm_uri, method, username, address))
  }

  #user(realm_uri: string, username: string): User | undefined {
    return this.#realm(realm_uri)?.users.get(username.normalize())
  }

  /** The realm; undefined for a prototype, which has no users of its own. */
  #realm(uri: string): Realm | undefined {
    const realm = this.#realms.realm(uri)
    return realm?.isPrototype ? undefined : realm
  }
}
