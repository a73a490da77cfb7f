/** What a login remembers while the browser is at the provider: sealed in a cookie of this browser, so that any node can finish it. */
import { createHash } from 'node:crypto'
import { OidcError } from '#component/errors.ts'
import { type SecretBox, UnsealError } from '#component/secret-box.ts'

/** A login that has begun. */
export interface LoginState {
  readonly realm_uri: string
  readonly provider: string
  /** `state`, as the provider was given it: 32 random bytes, base64url. */
  readonly state: string
  readonly nonce: string
  /** PKCE (RFC 7636 §4.1). */
  readonly code_verifier: string
  /** The redirect URI that the provider was given. */
  readonly callback: string
  /** Where the browser goes in the end. */
  readonly redirect_uri: string
  readonly client_id: string
  readonly device_id: string
  /** Seconds since the epoch. */
  readonly iat: number
}

/** How the names of login cookies begin. */
export const loginCookiePrefix = '__Host-service_login_'

/** How long a login may take. Seconds. */
export const stateLifetime = 300

/** Longer than a login may take, so that one who is late is told so. Seconds. */
export const loginCookieMaxAge = 900

/** Logins that may be under way in one browser. */
const maxLogins = 5

const purpose = 'oidc login'

/** The name of the cookie that belongs to a `state`: without the cookie nobody knows the state, nor the reverse. */
export const loginCookieName = (state: string): string =>
  loginCookiePrefix + createHash('sha256').update(state).digest('hex').slice(0, 16)

type Box = Pick<SecretBox, 'seal' | 'open'>

/** The value of the cookie. */
export const sealState = (box: Box, state: LoginState): string =>
  box.seal(JSON.stringify(state), purpose)

/** What a cookie says; undefined when this gateway, or one with the same `store.key`, has not made it. */
function openState(box: Box, value: string): LoginState | undefined {
  try {
    return JSON.parse(box.open(value, purpose)) as LoginState
  } catch (error) {
    if (error instanceof UnsealError) return undefined
    throw error
  }
}

/**
 * The login that a browser comes back from.
 * @param at the callback: its realm, the provider of its path, the time in seconds since the epoch
 * @throws OidcError invalid_state, realm_mismatch, state_expired
 */
export function readState(
  box: Box,
  state: string,
  cookieOf: (name: string) => string | undefined,
  at: { readonly realm_uri: string; readonly provider: string; readonly now: number },
): LoginState {
  const cookie = cookieOf(loginCookieName(state))
  const found = cookie === undefined ? undefined : openState(box, cookie)
  if (!found || found.state !== state) {
    throw new OidcError('invalid_state', 'no login of this browser has this state')
  }
  if (found.realm_uri !== at.realm_uri) {
    throw new OidcError('realm_mismatch', 'the login was begun for another realm')
  }
  if (found.provider !== at.provider) {
    throw new OidcError('invalid_state', 'the login was begun at another provider')
  }
  if (at.now - found.iat > stateLifetime) {
    throw new OidcError('state_expired', `the login took longer than ${stateLifetime} seconds`)
  }
  return found
}

/** Names of login cookies that must go so that one more login can be under way: those nobody can read, then the oldest. */
export function surplusCookies(box: Box, cookies: ReadonlyMap<string, string>): string[] {
  const ages = [...cookies]
    .filter(([name]) => name.startsWith(loginCookiePrefix))
    .map(([name, value]) => ({ name, iat: openState(box, value)?.iat ?? 0 }))
    .sort((a, b) => b.iat - a.iat)
  return ages.flatMap(({ name, iat }, index) => (iat === 0 || index >= maxLogins - 1 ? name : []))
}
