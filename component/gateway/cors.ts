/** The configured CORS policy as headers; a specification replaces them header by header. */

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
  readonly answer: Readonly<Record<string, string>>
  /** On answers to OPTIONS (Fetch standard, CORS-preflight request). */
  readonly preflight: Readonly<Record<string, string>>
}

const without = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.freeze(Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== '')))

/** Builds the headers once. */
export function corsHeaders(policy: CorsPolicy): CorsHeaders {
  const answer = {
    'access-control-allow-origin': policy.allow_origin,
  }
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
