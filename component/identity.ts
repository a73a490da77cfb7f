/** The identity that a request acts for. */

/** A user of a realm by name. */
export interface UserName {
  readonly realm_uri: string
  readonly authid: string
}

/** The keys that an identity adds to the `security` of the API Context (behaviour: Realms, OAuth2), and `expires_at`. */
export interface Identity extends UserName {
  readonly authmethod: string
  readonly authroles: readonly string[]
  readonly groups: readonly string[]
  readonly meta: Readonly<Record<string, unknown>>
  /** The user of the realm; absent for an anonymous request. */
  readonly username?: string
  /** The OAuth2 client that acts for the user. */
  readonly client_id?: string
  /** The id (`jti`) of the token that the request came with. */
  readonly session?: string
  readonly locale?: string
  /** The scopes that the token of the request grants. */
  readonly granted_scopes?: readonly string[]
  /** The claims of an identity provider about the user that its settings name. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** The id of a webhook, as its sender names it. */
  readonly webhook_id?: string
  /** When a webhook was signed; seconds since the epoch. */
  readonly webhook_timestamp?: number
  /** The name of the alternative that has let the request pass; present where the path has alternatives. */
  readonly via?: string
  /** Whom the proofs beside it have named; present with {@link via}. */
  readonly proofs?: readonly { readonly name: string; readonly authid: string }[]
  /**
   * When the credentials of the request expire; milliseconds since the epoch. Absent: they do not. It is not enumerable, so that
   * `security`, which is spread from an identity, does not have it.
   */
  readonly expires_at?: number
  /**
   * The access token that an identity provider has given for the user, as it is now; undefined where it is not passed on. It is not
   * enumerable, either. TokenError, at once or as a rejection, where there is none that holds; ServiceError `service.error.unavailable`.
   */
  readonly providerToken?: (() => ProviderToken) | undefined
}

/** The access token of a provider, once it is known. */
export type ProviderToken = undefined | string | Promise<string>

/** The names of the keys of an {@link Identity}. */
export const identityKeys: readonly (keyof Identity)[] = [
  'realm_uri',
  'authid',
  'authmethod',
  'authroles',
  'groups',
  'meta',
  'username',
  'client_id',
  'session',
  'locale',
  'claims',
]

/** What an identity has beside them of a webhook, as far as its sender tells it. */
export const webhookKeys = [
  'webhook_id',
  'webhook_timestamp',
] as const satisfies readonly (keyof Identity)[]

/** What an identity has beside them where the path has alternatives. */
export const alternativeKeys = ['via', 'proofs'] as const satisfies readonly (keyof Identity)[]

/** The identity of a request on an open path. */
export const anonymous = (realm_uri: string): Identity => ({
  realm_uri,
  authid: 'anonymous',
  authmethod: 'anonymous',
  authroles: ['anonymous'],
  groups: [],
  meta: {},
})

/** A logged-in user of a realm, and the login. */
export interface LoggedIn {
  readonly realm_uri: string
  readonly user: {
    readonly username: string
    readonly groups: readonly string[]
    readonly meta: Readonly<Record<string, unknown>>
  }
  readonly authroles: readonly string[]
  readonly authmethod: string
  readonly client_id?: string
  readonly session?: string
  readonly granted_scopes?: readonly string[]
  readonly claims?: Readonly<Record<string, unknown>>
  readonly webhook_id?: string
  readonly webhook_timestamp?: number
  readonly expires_at?: number
  readonly providerToken?: (() => ProviderToken) | undefined
}

/**
 * A user to whom others than the realm give roles. They are its groups, too, where the realm declares none of it.
 * @param declared by the realm
 */
export const givenRoles = (
  username: string,
  authroles: readonly string[],
  declared: LoggedIn['user'] | undefined,
): LoggedIn['user'] => ({
  username,
  groups: declared && declared.groups.length > 0 ? declared.groups : authroles,
  meta: declared?.meta ?? {},
})

/** The identity of a user, frozen: one is shared by many requests. The locale is the one in the user's meta. */
export function identityOf({
  user,
  authroles,
  expires_at,
  providerToken,
  ...login
}: LoggedIn): Identity {
  const { username, groups, meta } = user
  const identity = {
    ...login,
    ...{ username, authid: username, groups, meta },
    authroles: Object.freeze([...authroles]),
    ...(typeof meta.locale === 'string' && { locale: meta.locale }),
  }
  if (expires_at !== undefined) Object.defineProperty(identity, 'expires_at', { value: expires_at })
  if (providerToken) Object.defineProperty(identity, 'providerToken', { value: providerToken })
  return Object.freeze(identity)
}
