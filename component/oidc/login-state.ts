/** The state of a login while the browser is at the provider: sealed in cookies of this browser, so that any node can finish the login. */
import { createHash } from 'node:crypto'
import { OidcError } from '#component/oidc-error.ts'
import type { SecretBox } from '#component/secret-box.ts'
import { type Demands, isSilent } from './login-parameters.ts'

/** A login that has begun. */
export interface LoginState {
  readonly realm_uri: string
  readonly provider: string
  /** Where the code and its verifier may be sent. */
  readonly origins: readonly string[]
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
  /** What the ID token must say of the login; absent: nothing was asked for. */
  readonly demands?: Demands
  /** Seconds since the epoch. */
  readonly iat: number
  /** It has ended well, and only its page is remembered, for a browser that goes back to the callback. */
  readonly isFinished?: true
}

/** How the names of login cookies begin. */
export const loginCookiePrefix = '__Host-service_login_'

/** How long a login may take. Seconds. */
export const stateLifetime = 300

/** Longer than a login may take, so that a late login is answered with `state_expired`. Seconds. */
export const loginCookieMaxAge = 900

/** Logins that may be under way in one browser, and older ones that may begin anew. */
const maxLogins = 5
const maxSuperseded = 5

/** Browsers drop cookies whose name, value and attributes have more than 4096 characters (RFC 6265 §6.1). */
const pieces = /.{1,3800}/g

/** Most cookies of a login that begins: enough for an address of 8 kB. */
const maxPieces = 4

/** Characters that all logins of a browser have: a request with more than 16 kB of fields would be refused. */
const maxAll = 12_000

const purpose = 'oidc login'

/** The name of the cookie that belongs to a `state`: a hash, so that the name does not reveal the state, nor the state the cookie. */
export const loginCookieName = (state: string): string =>
  loginCookiePrefix + createHash('sha256').update(state).digest('hex').slice(0, 16)

/** The cookie of the login of a realm that has ended well last in a browser. */
export const finishedCookie = (realm_uri: string): string => `__Host-service_finished_${realm_uri}`

type Box = Pick<SecretBox, 'seal' | 'open'>

/** A cookie that is to be set; to be cleared when its value is empty. */
export interface LoginCookie {
  readonly name: string
  readonly value: string
}

/** A long value has several cookies: `name`, `name.1`, `name.2`. */
const pieceName = (name: string, index: number): string => (index === 0 ? name : `${name}.${index}`)

/**
 * The cookies of a login.
 * @throws OidcError invalid_redirect_uri when it has more to remember than a browser keeps
 */
export function sealState(box: Box, state: LoginState): readonly LoginCookie[] {
  const name = loginCookieName(state.state)
  const values = box.seal(JSON.stringify(state), purpose).match(pieces) ?? []
  if (values.length > maxPieces) {
    throw new OidcError('invalid_redirect_uri', 'redirect_uri does not fit in the login cookies')
  }
  return values.map((value, index) => ({ name: pieceName(name, index), value }))
}

/** The cookies of a login that a request has, in their order. */
function piecesOf(
  name: string,
  cookieOf: (name: string) => string | undefined,
): readonly LoginCookie[] {
  const found: LoginCookie[] = []
  for (let index = 0; index < maxPieces; index++) {
    const value = cookieOf(pieceName(name, index))
    if (value === undefined) break
    found.push({ name: pieceName(name, index), value })
  }
  return found
}

const joined = (cookies: readonly LoginCookie[]): string =>
  cookies.map(({ value }) => value).join('')

const cleared = (name: string): LoginCookie => ({ name, value: '' })

/** The state that cookies hold; undefined when neither this gateway nor one with the same `store.key` has made them. */
function openState(box: Box, value: string): LoginState | undefined {
  const opened = box.open(value, purpose)
  return opened === undefined ? undefined : (JSON.parse(opened) as LoginState)
}

/** A login of which only its page is remembered: others of the browser have taken its place. */
const superseded = (state: LoginState): LoginState => ({ ...state, nonce: '', code_verifier: '' })
const isSuperseded = ({ code_verifier }: LoginState): boolean => code_verifier === ''

/** The names of the cookies that a request has of a login, to be cleared. */
export const cookiesOfLogin = (
  state: string,
  cookieOf: (name: string) => string | undefined,
): readonly string[] => piecesOf(loginCookieName(state), cookieOf).map(({ name }) => name)

/** The cookie that remembers the page of a login that has ended well; it is cleared where one cookie cannot hold that. */
export function finishedLogin(box: Box, state: LoginState): LoginCookie {
  const name = finishedCookie(state.realm_uri)
  const sealed = sealState(box, { ...superseded(state), isFinished: true })
  const [{ value } = { value: '' }] = sealed
  return { name, value: sealed.length === 1 ? value : '' }
}

/** The login of a state, as far as the browser has it. */
function stateOf(
  box: Box,
  state: string,
  cookieOf: (name: string) => string | undefined,
  realm_uri: string,
): LoginState | undefined {
  const texts = [
    joined(piecesOf(loginCookieName(state), cookieOf)),
    cookieOf(finishedCookie(realm_uri)) ?? '',
  ]
  return texts.map((text) => openState(box, text)).find((found) => found?.state === state)
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
  const found = stateOf(box, state, cookieOf, at.realm_uri)
  if (!found) {
    throw new OidcError('invalid_state', 'no login of this browser has this state')
  }
  if (found.realm_uri !== at.realm_uri) {
    throw new OidcError('realm_mismatch', 'the login was started for another realm')
  }
  if (found.provider !== at.provider) {
    throw new OidcError('invalid_state', 'the login was started at another provider')
  }
  if (found.isFinished) throw new OidcError('invalid_state', 'the login is already finished')
  if (at.now - found.iat > stateLifetime) {
    throw new OidcError('state_expired', `the login took longer than ${stateLifetime} seconds`)
  }
  if (isSuperseded(found)) {
    const message = `${maxLogins} later logins of this browser have replaced it`
    throw new OidcError('invalid_state', message)
  }
  return found
}

/** The remains of a login that has failed, or is finished. */
export interface RememberedLogin
  extends Pick<LoginState, 'realm_uri' | 'provider' | 'redirect_uri' | 'client_id' | 'device_id'> {
  /** Whether it failed since later logins of the browser have taken its place: then it may begin anew. */
  readonly isSuperseded: boolean
  /** Whether the provider was to show nothing (`prompt=none`). */
  readonly isSilent: boolean
}

/** The login that a state belongs to, as far as this browser has it. @param realm_uri of the callback */
export function rememberedLogin(
  box: Box,
  state: string,
  cookieOf: (name: string) => string | undefined,
  realm_uri: string,
): RememberedLogin | undefined {
  const found = stateOf(box, state, cookieOf, realm_uri)
  if (!found) return undefined
  const { provider, redirect_uri, client_id, device_id, isFinished, demands = {} } = found
  return {
    ...{ realm_uri: found.realm_uri, provider, redirect_uri, client_id, device_id },
    isSuperseded: isSuperseded(found) && !isFinished,
    isSilent: isSilent(demands),
  }
}

/**
 * The cookies to set when one more login begins in a browser: the newest logins stay, some older ones keep only the page that
 * they were to lead back to, and the rest is cleared.
 * @param cookies those of logins that the request has
 * @param begun those of the login that begins
 */
export function makeRoom(
  box: Box,
  cookies: ReadonlyMap<string, string>,
  begun: readonly LoginCookie[],
): readonly LoginCookie[] {
  const cookieOf = (name: string) => cookies.get(name)
  // browsers send the oldest cookie first, which tells logins of one second apart
  const logins = [...cookies.keys()]
    .filter((name) => !name.includes('.'))
    .reverse()
    .map((name) => {
      const found = piecesOf(name, cookieOf)
      return { names: found.map((one) => one.name), value: joined(found) }
    })
    .map((one) => ({ ...one, state: openState(box, one.value) }))
    .sort((a, b) => (b.state?.iat ?? 0) - (a.state?.iat ?? 0))
  const known = new Set(logins.flatMap(({ names }) => names))
  const strays = [...cookies.keys()].filter((name) => !known.has(name))
  let size = joined(begun).length
  const changed = logins.flatMap(({ names, value, state }, index) => {
    size += value.length
    const isOld = index >= maxLogins - 1
    const isOver = size > maxAll || index >= maxLogins + maxSuperseded - 1
    if (!state || isOver || (isOld && names.length > 1)) return names.map(cleared)
    return isOld && !isSuperseded(state) ? sealState(box, superseded(state)) : []
  })
  return [...changed, ...strays.map(cleared)]
}
