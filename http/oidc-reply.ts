/** What OIDC endpoints answer: redirects, errors by their code alone, and which pages of other origins may read it. */
import { OidcError } from '#component/errors.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { EndpointHandler } from '#component/gateway/handle.ts'
import type { Log } from '#component/log.ts'

/** What every OIDC endpoint works with. */
export interface OidcReplyPorts {
  /** Origins whose pages may act as who has logged in (`gateway.ws_allowed_origins`); `*` is none of them. */
  readonly pageOrigins: readonly string[]
  readonly log: Pick<Log, 'info'>
}

type Headers = Record<string, string>

/** How long browsers may go by the answer to a preflight; seconds. */
const maxAge = '600'

/** 302; what is in `location` has been checked. */
export const redirect = (location: string, cookies: readonly string[]): Reply => ({
  status: 302,
  headers: { location, ...(cookies.length > 0 && { 'set-cookie': cookies }) },
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

/**
 * Makes the handler of an endpoint: OPTIONS is answered, and what fails as expected is told as `{error}`.
 * @param leftover cookies that a failure clears
 */
export const oidcEndpoint =
  (
    { pageOrigins, log }: OidcReplyPorts,
    answer: EndpointHandler,
    leftover: (exchange: Exchange) => readonly string[] = () => [],
  ): EndpointHandler =>
  async (exchange, endpoint, bindings) => {
    const cors = corsOf(exchange.header('origin'), pageOrigins)
    if (exchange.method === 'options') return preflight(exchange, endpoint.path.allow, cors)
    try {
      const reply = await answer(exchange, endpoint, bindings)
      return { ...reply, headers: { ...cors, ...reply.headers } }
    } catch (error) {
      if (!(error instanceof OidcError)) throw error
      const { code, message: reason, status } = error
      log.info({ realm: endpoint.realm_uri, error: code, reason }, 'a login has failed')
      const cookies = leftover(exchange)
      return {
        status,
        headers: { ...cors, ...(cookies.length > 0 && { 'set-cookie': cookies }) },
        body: { kind: 'value', value: error.toJSON(), type: 'application/json' },
      }
    }
  }
