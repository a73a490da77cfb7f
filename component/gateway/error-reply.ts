/** The reply to a request that cannot be answered as declared: `{code, message, description}` and the route's headers. */
import { describeError, type ServiceError } from '#component/errors.ts'
import type { InheritedValues, Route } from './api.ts'
import type { Exchange, Reply } from './exchange.ts'
import { reportAt } from './failure-report.ts'
import { type Headers, layOver } from './header-layers.ts'

const problemType = 'application/problem+json'

/** Errors are negotiated, even where the answers of the route are not. */
const varies: Headers = { vary: 'Accept' }

/** RFC 9457 §3.1, with our own members as extensions (§3.2). */
const problemOf = (error: ServiceError, status: number): object => ({
  title: describeError(error.uri),
  status,
  detail: error.message,
  ...error.toJSON(),
})

/** Names in lower case. */
function lowerCase(headers: Headers): Headers {
  const result: Record<string, string> = {}
  for (const [name, value] of Object.entries(headers)) result[name.toLowerCase()] = value
  return result
}

/**
 * Renders an error after a path has matched. It carries the load-time headers of the path, so that browsers can read a 401.
 * @param policy the configured CORS headers; those of the specification win
 * @param declared the headers of the specification for this answer, and its status where the specification sets one
 */
export function errorReply(
  exchange: Exchange,
  route: Route,
  { errorTypes }: InheritedValues,
  policy: Headers,
  error: ServiceError,
  declared: { readonly status?: number | undefined; readonly headers: Headers } = route.path,
): Reply {
  const { path } = route
  const { 'content-type': _own, ...ofSpec } = declared.headers
  const status = declared.status ?? error.status
  const type = exchange.negotiate(errorTypes) ?? 'application/json'
  const { languages } = path.version
  const language = languages.length > 1 && {
    'content-language': exchange.negotiateLanguage(languages),
  }
  const headers = layOver({ ...policy, ...varies, ...language }, ofSpec)
  return {
    status,
    headers: { ...headers, ...lowerCase(error.headers) },
    body: {
      kind: 'value',
      value: type === problemType ? problemOf(error, status) : error.toJSON(),
      type,
    },
    error,
    failure: reportAt(route, error),
  }
}
