/** The configured CORS headers (Fetch standard, "CORS protocol"); what a specification declares replaces them header by header. */

import type { VersionCors } from '#component/spec/model.ts'
import type { EndpointKind, Route } from './api.ts'
import type { Exchange, Reply } from './exchange.ts'
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

/** The CORS policy of a version: where it is silent, the configured one holds. */
export function corsOf(configured: CorsPolicy, version: VersionCors): FullCorsPolicy {
  const { origins, methods, headers, expose = [], credentials = false, max_age } = version
  return {
    allow_origin: origins,
    allow_methods: methods ? joined(methods) : configured.allow_methods,
    allow_headers: headers ? joined(headers) : configured.allow_headers,
    max_age: max_age ?? configured.max_age,
    expose_headers: joined(expose),
    credentials,
  }
}

const joined = (names: string | readonly string[]): string =>
  typeof names === 'string' ? names : names.join(',')

/** What only versions declare. */
interface FullCorsPolicy extends CorsPolicy {
  readonly expose_headers?: string
  readonly credentials?: boolean
}

/** The headers of the policy, lower-case. */
export interface CorsHeaders {
  /** On every answer of a routed path. */
  readonly answer: Headers
  /** On answers to OPTIONS (Fetch standard, CORS-preflight request). */
  readonly preflight: Headers
  /** The origins of a list; undefined where one value holds for all. */
  readonly origins: ReadonlySet<string> | undefined
  /** On answers to an origin of the list, beside its name. */
  readonly listed: Headers
}

const without = (headers: Headers): Headers =>
  Object.freeze(Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '')))

/** The configured CORS policy as headers; a specification replaces them header by header. */
export function corsHeaders(policy: FullCorsPolicy): CorsHeaders {
  const { allow_origin, expose_headers = '', credentials = false } = policy
  const answer: Headers =
    typeof allow_origin === 'string' ? { 'access-control-allow-origin': allow_origin } : {}
  return {
    origins: typeof allow_origin === 'string' ? undefined : new Set(allow_origin),
    listed: credentials ? { 'access-control-allow-credentials': 'true' } : {},
    answer: without({ ...answer, 'access-control-expose-headers': expose_headers }),
    preflight: without({
      ...answer,
      'access-control-allow-methods': policy.allow_methods,
      'access-control-allow-headers': policy.allow_headers,
      'access-control-max-age': String(policy.max_age),
    }),
  }
}

/** The headers of the policy for the answer to a request: of a list of origins with the one that asks, where it is of the list. */
export function headersFor(
  { answer, preflight, origins, listed }: CorsHeaders,
  exchange: Pick<Exchange, 'method' | 'header'>,
): Headers {
  const headers = exchange.method === 'options' ? preflight : answer
  const origin = origins && exchange.header('origin')
  return origin !== undefined && origins?.has(origin)
    ? { ...headers, ...listed, 'access-control-allow-origin': origin }
    : headers
}

/** Of headers that may differ by origin, also for one that is not of the list. */
export const variesByOrigin: Headers = { vary: 'Origin' }

/** The reply with `Origin` added to its `Vary`. */
export function varyByOrigin(reply: Reply): Reply {
  const { vary } = reply.headers
  const names = joinVary(String(vary ?? ''), 'Origin')
  return { ...reply, headers: { ...reply.headers, vary: names } }
}

/**
 * The headers of an answer of another service, without its CORS headers where the version declares `cors`: its own for one origin
 * would join those of the version for another.
 */
export function withinCors<H extends Readonly<Record<string, unknown>>>(
  headers: H,
  { cors }: { readonly cors?: VersionCors | undefined },
): Readonly<Record<string, H[string]>> {
  if (cors === undefined) return headers as Readonly<Record<string, H[string]>>
  const kept = Object.entries(headers).filter(([name]) => !name.startsWith('access-control-'))
  return Object.fromEntries(kept) as Record<string, H[string]>
}

/** What programs read of a version before they use it, and its tools. */
const aboutVersions: ReadonlySet<EndpointKind> = new Set([
  'openapi.document',
  'oauth.resource',
  'mcp',
  'mcp.resource',
])

/** Whether pages of other origins may read answers: of what the document declares, and about it; not of tokens and logins. */
export const isWithinCors = ({ kind }: Route): boolean =>
  kind === undefined || aboutVersions.has(kind)
