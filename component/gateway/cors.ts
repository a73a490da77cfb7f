/** The configured CORS headers (Fetch standard, "CORS protocol"); what a specification declares replaces them header by header. */
import type { Reply } from './exchange.ts'
import { type Headers, joinVary } from './header-layers.ts'

/** Configuration `gateway.cors`; an empty text leaves its header out. */
export interface CorsPolicy {
  /** One value for all, or a list of origins, of which the one that asks is answered. */
  readonly allow_origin: string | readonly string[]
  readonly allow_methods: string
  readonly allow_headers: string
  /** Seconds. */
  readonly max_age: number
}

/** The headers of the policy, lower-case. */
export interface CorsHeaders {
  /** On every answer of a routed path. */
  readonly answer: Headers
  /** On answers to OPTIONS (Fetch standard, CORS-preflight request). */
  readonly preflight: Headers
  /** The origins of a list; undefined where one value holds for all. */
  readonly origins: ReadonlySet<string> | undefined
}

const without = (headers: Headers): Headers =>
  Object.freeze(Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '')))

/** The configured CORS policy as headers; a specification replaces them header by header. */
export function corsHeaders(policy: CorsPolicy): CorsHeaders {
  const { allow_origin } = policy
  const answer: Headers =
    typeof allow_origin === 'string' ? { 'access-control-allow-origin': allow_origin } : {}
  return {
    origins: typeof allow_origin === 'string' ? undefined : new Set(allow_origin),
    answer: without(answer),
    preflight: without({
      ...answer,
      'access-control-allow-methods': policy.allow_methods,
      'access-control-allow-headers': policy.allow_headers,
      'access-control-max-age': String(policy.max_age),
    }),
  }
}

/** The headers with the origin that asks, where it is one of the list. */
export function withOrigin(
  headers: Headers,
  origins: ReadonlySet<string>,
  origin: string | undefined,
): Headers {
  return origin !== undefined && origins.has(origin)
    ? { ...headers, 'access-control-allow-origin': origin }
    : headers
}

/** The reply with `Origin` added to its `Vary`: it may differ by origin, also for one that is not of the list. */
export function varyByOrigin(reply: Reply): Reply {
  const { vary } = reply.headers
  const names = joinVary(String(vary ?? ''), 'Origin')
  return { ...reply, headers: { ...reply.headers, vary: names } }
}
