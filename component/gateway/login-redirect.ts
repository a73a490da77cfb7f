/** Browsers that open a page under `oidc` without a valid ticket are sent to log in, and come back to it (behaviour: OIDC). */
import type { ServiceError } from '#component/errors.ts'
import type { CompiledVersion, Rules } from './api.ts'
import { concretePath } from './concrete-path.ts'
import type { Exchange, Reply } from './exchange.ts'
import { isOwnPath } from './own-path.ts'

/** Pages are asked for by name: what accepts everything is a script, which is to be told 401. */
const isForPage = (exchange: Exchange): boolean =>
  exchange.method === 'get' &&
  /text\/html/i.test(exchange.header('accept') ?? '') &&
  exchange.negotiate(['text/html']) !== undefined

/** What was asked for, as far as a login may lead back to it. */
function ownTarget({ path, query_string }: Exchange): string {
  const whole = query_string === '' ? path : `${path}?${query_string}`
  return [whole, path].find(isOwnPath) ?? '/'
}

/**
 * The way to the login of a refused request; undefined where it is not wanted.
 * @param refused the reply that tells of the error
 */
export function loginRedirect(
  exchange: Exchange,
  { protection }: Pick<Rules, 'protection'>,
  { base }: Pick<CompiledVersion, 'base'>,
  bindings: Readonly<Record<string, string>>,
  error: ServiceError,
  refused: Reply,
): Reply | undefined {
  if (protection?.type !== 'oidc' || error.uri !== 'service.error.unauthorized') return undefined
  if (!isForPage(exchange)) return undefined
  const { provider = 'default' } = protection.object
  const query = new URLSearchParams({
    provider: String(provider),
    redirect_uri: ownTarget(exchange),
  })
  const { 'www-authenticate': _, ...headers } = refused.headers
  const location = `${concretePath(base, bindings)}/oidc/login?${query}`
  return {
    ...refused,
    status: 302,
    headers: { ...headers, location, 'cache-control': 'no-store' },
    body: { kind: 'none' },
  }
}
