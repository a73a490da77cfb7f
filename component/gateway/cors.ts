/** The configured CORS headers (Fetch standard, "CORS protocol"); what a specification declares replaces them header by header. */
import type { Headers } from './header-layers.ts'

/** Configuration `gateway.cors`; an empty text leaves its header out. */
export interface CorsPolicy {
  readonly allow_origin: string
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
}

const without = (headers: Headers): Headers =>
  Object.freeze(Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '')))

/** The configured CORS policy as headers; a specification replaces them header by header. */
export function corsHeaders(policy: CorsPolicy): CorsHeaders {
  const answer = { 'access-control-allow-origin': policy.allow_origin }
  return {
    answer: without(answer),
    preflight: without({
      ...answer,
      'access-control-allow-methods': policy.allow_methods,
      'access-control-allow-headers': policy.allow_headers,
      'access-control-max-age': String(policy.max_age),
    }),
  }
}
