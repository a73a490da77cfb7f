/** Answers of the OIDC endpoints: redirects, errors as a page or as their code, and CORS fields. */

import type { Endpoint } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { FailureReport } from '#component/gateway/failure-report.ts'
import { isForPage, type LoginPage, loginPage } from '#component/gateway/login-page.ts'
import type { EndpointHandler } from '#component/gateway/parts.ts'
import { OidcError } from '#component/oidc-error.ts'
import type { RealmPage } from '#component/realm-page.ts'

/** Dependencies of every OIDC endpoint. */
export interface OidcReplyPorts {
  /** Origins whose pages may act for the logged-in user (`gateway.ws_allowed_origins`); `*` does not count. */
  readonly pageOrigins: readonly string[]
  /** What pages say of a realm; undefined where it is not known. */
  pageOf(realm_uri: string): RealmPage | undefined
}

/** The parts of the answer to a failure. */
interface AfterFailure {
  /** Set-Cookie fields that clear the cookies of the login. */
  readonly cookies: readonly string[]
  /** Links on the error page. */
  readonly ways: LoginPage['ways']
  /** Target of a redirect that replaces the error page. */
  readonly location?: string | undefined
}

/** Decides the answer to a failure. */
type Aftermath = (
  exchange: Exchange,
  endpoint: Endpoint,
  bindings: Readonly<Record<string, string>>,
  error: OidcError,
) => AfterFailure

type Headers = Record<string, string>

/** How long browsers may cache the answer to a preflight; seconds. */
const maxAge = '600'

const setting = (cookies: readonly string[]) => cookies.length > 0 && { 'set-cookie': cookies }

/** 302; the caller has checked `location`. */
export const redirect = (location: string, cookies: readonly string[]): Reply => ({
  status: 302,
  headers: { location, ...setting(cookies) },
  body: { kind: 'none' },
})

/** The answer to HEAD where GET changes something, which HEAD must not do (RFC 9110 §9.2.1). */
export const headReply: Reply = {
  status: 200,
  headers: { 'cache-control': 'no-store' },
  body: { kind: 'none' },
}

/** CORS fields: a page of a listed origin may read the answer, and have the browser send cookies (Fetch standard). */
function corsOf(origin: string | undefined, pageOrigins: readonly string[]): Headers {
  const vary = { vary: 'Origin' }
  if (origin === undefined || origin === '*' || !pageOrigins.includes(origin)) return vary
  return {
    ...vary,
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
  }
}

/** Answers a preflight: every origin may send requests (specification: OIDC endpoints), only listed origins with cookies. */
function preflight(exchange: Exchange, allow: string, cors: Headers): Reply {
  const origin = exchange.header('origin')
  const headers = {
    allow,
    ...(origin !== undefined && { 'access-control-allow-origin': origin }),
    'access-control-allow-methods': allow,
    'access-control-allow-headers': 'content-type, x-csrf-token',
    'access-control-max-age': maxAge,
    ...cors,
  }
  return { status: 200, headers, body: { kind: 'none' } }
}

/** Answers a failure: a page for a person, or a redirect; `{error}` for a script. */
function failed(
  exchange: Exchange,
  error: OidcError,
  { cookies, ways, location }: AfterFailure,
  realm: RealmPage | undefined,
) {
  const { status, code, answer, advice } = error
  if (!isForPage(exchange)) {
    const body = { kind: 'value', value: error.toJSON(), type: 'application/json' } as const
    return { status, headers: { ...setting(cookies) }, body }
  }
  if (location !== undefined) return redirect(location, cookies)
  const providerCode = code === 'provider_error' ? answer.provider_code : undefined
  const page = loginPage(status, { reason: code, providerCode, sentence: advice, ways }, realm)
  return { ...page, headers: { ...page.headers, ...setting(cookies) } }
}

/** What the log says: of a failed login at the provider, or of our own inability to log anybody in. */
function failureOf(
  realm: string,
  { code, message: reason, status, answer }: OidcError,
): FailureReport {
  const failure = { error: code, reason, realm, ...answer }
  return status >= 500 ? failure : { ...failure, login: { realm, authmethod: 'oidc', reason } }
}

/**
 * Makes the handler of an endpoint. It answers OPTIONS, and an OidcError with a page for persons and `{error}` for scripts.
 */
export const oidcEndpoint =
  (
    { pageOrigins, pageOf }: OidcReplyPorts,
    answer: EndpointHandler,
    aftermath: Aftermath = () => ({ cookies: [], ways: [] }),
  ): EndpointHandler =>
  async (exchange, endpoint, bindings) => {
    const cors = corsOf(exchange.header('origin'), pageOrigins)
    if (exchange.method === 'options') return preflight(exchange, endpoint.path.allow, cors)
    try {
      const reply = await answer(exchange, endpoint, bindings)
      return { ...reply, headers: { ...cors, ...reply.headers } }
    } catch (error) {
      if (!(error instanceof OidcError)) throw error
      const after = aftermath(exchange, endpoint, bindings, error)
      const reply = failed(exchange, error, after, pageOf(endpoint.realm_uri))
      const headers = { ...cors, ...reply.headers, vary: 'Accept, Origin' }
      return { ...reply, headers, failure: failureOf(endpoint.realm_uri, error) }
    }
  }
