/** What OIDC endpoints answer: redirects, errors as a page or as their code, and which pages of other origins may read it. */
import { OidcError } from '#component/errors.ts'
import type { Endpoint } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { EndpointHandler } from '#component/gateway/handle.ts'
import { isForPage, type LoginPage, loginPage } from '#component/gateway/login-page.ts'
import type { Log } from '#component/log.ts'

/** What every OIDC endpoint works with. */
export interface OidcReplyPorts {
  /** Origins whose pages may act as who has logged in (`gateway.ws_allowed_origins`); `*` is none of them. */
  readonly pageOrigins: readonly string[]
  readonly log: Pick<Log, 'info'>
}

/** What follows a failure. */
interface AfterFailure {
  /** Set-Cookie fields that clear what the login has left. */
  readonly cookies: readonly string[]
  /** Where a person can go on. */
  readonly ways: LoginPage['ways']
  /** Where a person is sent instead of being told. */
  readonly location?: string | undefined
}

/** What is told of a failure. */
type Aftermath = (
  exchange: Exchange,
  endpoint: Endpoint,
  bindings: Readonly<Record<string, string>>,
  error: OidcError,
) => AfterFailure

type Headers = Record<string, string>

/** How long browsers may go by the answer to a preflight; seconds. */
const maxAge = '600'

const setting = (cookies: readonly string[]) => cookies.length > 0 && { 'set-cookie': cookies }

/** 302; what is in `location` has been checked. */
export const redirect = (location: string, cookies: readonly string[]): Reply => ({
  status: 302,
  headers: { location, ...setting(cookies) },
  body: { kind: 'none' },
})

/** A page of a listed origin may read the answer, and have the browser send its cookies (Fetch standard: CORS protocol). */
function corsOf(origin: string | undefined, pageOrigins: readonly string[]): Headers {
  const vary = { vary: 'Origin' }
  if (origin === undefined || origin === '*' || !pageOrigins.includes(origin)) return vary
  return {
    ...vary,
    'access-control-allow-origin': origin,
    'access-control-allow-credentials': 'true',
  }
}

/** Every origin is told that it may ask (specification: OIDC endpoints); only listed ones that they may with cookies. */
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

/** A person gets a page or is sent on; a script gets `{error}`. */
function failed(exchange: Exchange, error: OidcError, { cookies, ways, location }: AfterFailure) {
  const { status, code, answer, advice } = error
  if (!isForPage(exchange)) {
    const body = { kind: 'value', value: error.toJSON(), type: 'application/json' } as const
    return { status, headers: { ...setting(cookies) }, body }
  }
  if (location !== undefined) return redirect(location, cookies)
  const providerCode = code === 'provider_error' ? answer.provider_code : undefined
  const page = loginPage(status, { reason: code, providerCode, sentence: advice, ways })
  return { ...page, headers: { ...page.headers, ...setting(cookies) } }
}

/**
 * Makes the handler of an endpoint: OPTIONS is answered, and what fails as expected is told to persons by a page and to
 * scripts as `{error}`.
 */
export const oidcEndpoint =
  (
    { pageOrigins, log }: OidcReplyPorts,
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
      const { code, message: reason } = error
      log.info(
        { realm: endpoint.realm_uri, error: code, reason, ...error.answer },
        'a login failed',
      )
      const reply = failed(exchange, error, aftermath(exchange, endpoint, bindings, error))
      return { ...reply, headers: { ...cors, ...reply.headers, vary: 'Accept, Origin' } }
    }
  }
