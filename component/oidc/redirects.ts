/** The requests and answers of the three OIDC endpoints: login, callback and logout. */

import type { TicketClaims } from '#component/token/ticket.ts'
import type { LoginParameters } from './login-parameters.ts'
import type { LoginCookie } from './login-state.ts'
import type { ProviderSettings } from './settings.ts'

/** A login that begins. */
export interface LoginRequest {
  readonly realm_uri: string
  /** `provider` of the query. */
  readonly provider?: string | undefined
  /** `provider` of the security object; `default` when absent. */
  readonly routeProvider?: string | undefined
  /** Where the browser goes in the end; checked by the caller. */
  readonly redirect_uri: string
  readonly client_id: string
  readonly device_id: string
  /** The query, of which the parameters go on to the provider that its settings list. */
  readonly query?: LoginParameters | undefined
  /** The absolute URL of the route's callback, unless the settings name one. */
  callbackUrl(provider: string): string
  /** The cookies of the request whose names begin with `loginCookiePrefix`: logins that have begun in this browser. */
  readonly loginCookies?: ReadonlyMap<string, string> | undefined
}

/** A login that has begun: the redirect to the provider, and the cookies that the browser must bring back. */
export interface BegunLogin {
  /** The provider's authorization endpoint. */
  readonly location: string
  /**
   * To be set with `Path=/; Secure; HttpOnly; SameSite=Lax`, which `__Host-` wants in part: those of this login, and those of
   * older ones that change. An empty value clears.
   */
  readonly cookies: readonly LoginCookie[]
  readonly settings: ProviderSettings
}

/** A browser that comes back from the provider. */
export interface CallbackRequest {
  readonly realm_uri: string
  /** The provider of the path. */
  readonly provider: string
  /** The URL of the request; of it only the query is used. */
  readonly url: string
  /** The value of a cookie, if the request has exactly one of the name. */
  cookieOf(name: string): string | undefined
  /** The issuer's URL, for the ticket. */
  readonly issuer: string
  /** The IP address of the browser, for the realm's `sources`. */
  readonly address: string
}

/** A finished login. */
export interface FinishedLogin {
  readonly redirect_uri: string
  readonly ticket: string
  readonly claims: TicketClaims
  /** The value of the CSRF cookie. */
  readonly csrf: string
  /** Of both cookies, in seconds. */
  readonly maxAge: number
  readonly settings: ProviderSettings
  /** The cookies of the login, to be set as those of one that begins: they remember its page, and clear the rest. */
  readonly loginCookies: readonly LoginCookie[]
}

/** A logout. */
export interface LogoutRequest {
  readonly realm_uri: string
  /** The ticket cookie, if the request has exactly one. */
  readonly ticket?: string | undefined
  /** False for a POST without a valid CSRF header: then nothing ends, here or at the provider. */
  readonly mayRevoke: boolean
  /** Where the browser goes in the end; checked by the caller. */
  readonly redirect_uri: string
  /** The public origin of the gateway, for a `redirect_uri` that is a path: the provider needs an absolute one. */
  readonly origin: string
  readonly routeProvider?: string | undefined
}

/** Where the browser is sent after a logout. */
export interface LoggedOut {
  readonly location: string
  /** Of the provider that the ticket names, else of the route's; absent when the realm has neither. */
  readonly settings?: ProviderSettings
}
