/** The port of a grant, and the steps that all grants share. */
import { OAuthError } from '#component/errors.ts'
import type { Family } from '#component/store/family-store.ts'
import { scopesIn } from '#component/syntax/scope-token.ts'
import type { AccessTokens, Subject } from './access-token.ts'
import { TokenError } from './token-error.ts'

/** The grants that the token endpoint serves. */
export type GrantType = 'password' | 'refresh_token' | 'client_credentials'

/** The form of a token request; a parameter without a value is absent (RFC 6749 §3.2). */
export type TokenForm = Readonly<Record<string, string | undefined>>

/** An enabled user of the realm: a resource owner or a client. */
export interface Owner {
  readonly authid: string
  readonly roles: readonly string[]
  /** Those that the user holds. */
  readonly scopes?: readonly string[]
  /** Of a client: the roles and scopes that its tokens may have; undefined: all. */
  readonly allowed?: ReadonlySet<string> | undefined
}

/** The context of a token request, beside its form. */
export interface GrantContext {
  readonly realm_uri: string
  /** The issuer's URL. */
  readonly iss: string
  /** Those of the security objects whose token endpoint it is. */
  readonly flows: readonly string[]
  /** The client that has authenticated; absent when none has tried. */
  readonly client?: Owner
  /**
   * A resource owner who knows the password, from the address of the request.
   * @throws OAuthError invalid_grant, {@link wrongOwner}; ServiceError too_many_requests
   */
  authenticateOwner(username: string, password: string): Promise<Owner | undefined>
  /** Without a proof: the resource owner as it is now, if it still is one. */
  ownerNow(authid: string): Owner | undefined
  /** Without a proof: the client as it is now, if it still is one. */
  clientNow(client_id: string): Owner | undefined
  /** The roles by which users hold these scopes. */
  rolesOfScopes(names: readonly string[]): ReadonlySet<string>
}

/** A successful answer (RFC 6749 §5.1). */
export interface TokenAnswer {
  readonly token_type: 'bearer'
  readonly access_token: string
  /** Seconds. */
  readonly expires_in: number
  readonly refresh_token?: string
  /** The roles and scopes that the token is for, as far as they can stand in a scope; separated by blanks. */
  readonly scope: string
}

/** One way to get tokens. */
export interface Grant {
  readonly grant_type: GrantType
  /** @throws OAuthError; `service.error.unavailable` */
  answer(form: TokenForm, context: GrantContext): Promise<TokenAnswer>
}

/** The `authmethod` of access tokens. */
export const authmethod = 'oauth2'

/** A `device_id`: it is stored, and put into tokens. */
const deviceIds = /^[!-~]{1,128}$/

/** A parameter that must be there. @throws OAuthError invalid_request */
export function required(form: TokenForm, name: string): string {
  const value = form[name]
  if (!value) throw new OAuthError('invalid_request', `the parameter ${name} is missing`)
  return value
}

/** The device that the client says it is on; `all` when it says nothing. @throws OAuthError invalid_request */
export function deviceOf(form: TokenForm): string {
  const device = form.device_id ?? 'all'
  if (!deviceIds.test(device)) {
    const allowed = 'at most 128 printable ASCII characters without blanks are allowed'
    throw new OAuthError('invalid_request', `device_id is malformed: ${allowed}`)
  }
  return device
}

/** The client, where the grant needs one. @throws OAuthError invalid_client */
export function clientOf({ client, realm_uri }: GrantContext): Owner {
  if (client) return client
  throw new OAuthError('invalid_client', 'the client must authenticate', {
    headers: { 'WWW-Authenticate': `Basic realm="${realm_uri}"` },
  })
}

const scopeRefused = (message: string): OAuthError => new OAuthError('invalid_scope', message)

/**
 * The roles and scopes that are asked for: all when the form names none (RFC 6749 §3.3).
 * @param words those that can be granted
 * @throws OAuthError invalid_scope when another one is asked for
 */
export function narrow(words: readonly string[], { scope = '' }: TokenForm): readonly string[] {
  const asked = scopesIn(scope)
  if (asked.length === 0) return words
  if (asked.every((word) => words.includes(word))) {
    return words.filter((word) => asked.includes(word))
  }
  throw scopeRefused('the scope contains a role or scope that cannot be granted')
}

/** All that a token can be granted for a user. */
export const wordsOf = ({ roles, scopes = [] }: Owner): readonly string[] => [...roles, ...scopes]

/** Those of the words that a client may put into its tokens. */
export const allowedTo = (client: Owner, words: readonly string[]): readonly string[] => {
  const { allowed } = client
  return allowed ? words.filter((word) => allowed.has(word)) : words
}

/**
 * The roles and scopes of a first token.
 * @param client that the token is issued to
 * @throws OAuthError invalid_scope
 */
export function firstWords(owner: Owner, client: Owner, form: TokenForm): readonly string[] {
  const words = allowedTo(client, wordsOf(owner))
  if (words.length > 0 || client.allowed === undefined) return narrow(words, form)
  throw scopeRefused('the client may be granted none of the roles and scopes of the user')
}

/** The roles of a token: those among its words, and those of the user by which it holds the scopes among them. */
export function rolesIn(
  words: readonly string[],
  { roles, scopes = [] }: Owner,
  { rolesOfScopes }: Pick<GrantContext, 'rolesOfScopes'>,
): readonly string[] {
  const named = rolesOfScopes(scopes.filter((scope) => words.includes(scope)))
  return roles.filter((role) => words.includes(role) || named.has(role))
}

/**
 * The one error for every login of a resource owner that has failed, so that a caller does not learn which users exist.
 * @param cause for the log
 */
export const wrongOwner = (cause?: ErrorOptions): OAuthError =>
  new OAuthError('invalid_grant', 'the username or the password is wrong', cause)

/** Issues an access token and answers with it. @throws OAuthError invalid_scope when the roles do not fit in a token */
export async function answerWith(
  accessTokens: Pick<AccessTokens, 'issue'>,
  { realm_uri, iss }: GrantContext,
  subject: Subject,
  refresh?: { readonly token: string; readonly family: Family },
): Promise<TokenAnswer> {
  const { token, claims } = await accessTokens
    .issue(realm_uri, iss, subject, refresh?.family)
    .catch((cause: unknown) => {
      if (!(cause instanceof TokenError)) throw cause
      throw new OAuthError('invalid_scope', 'the roles do not fit in a token', { cause })
    })
  return {
    token_type: 'bearer',
    access_token: token,
    expires_in: claims.exp - claims.iat,
    ...(refresh && { refresh_token: refresh.token }),
    scope: claims.scope,
  }
}
