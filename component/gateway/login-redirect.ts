/** Browsers that open a page under `oidc` without a valid ticket are sent to log in, and come back to it (behaviour: OIDC). */
import type { ServiceError } from '#component/errors.ts'
import type { RealmPage } from '#component/realm-page.ts'
import { returnProblem } from '#component/security/login-return.ts'
import type { Protection } from '#component/security/scheme.ts'
import { UnprovedError } from '#component/security/unproved.ts'
import { isOwnPath } from '#component/syntax/own-path.ts'
import type { InheritedValues } from './api.ts'
import type { Exchange, Reply } from './exchange.ts'
import { isForPage, loginPage } from './login-page.ts'

/** The target of the request if a login may lead back to it, else its path or `/`. */
function ownTarget({ path, query_string }: Exchange): string {
  const whole = query_string === '' ? path : `${path}?${query_string}`
  return [whole, path].find(isOwnPath) ?? '/'
}

/** The address of a version's login for a browser. */
interface LoginAddress {
  /** The path of `public_base_url`, which a proxy removes; without a slash at the end. */
  readonly prefix: string
  /** Of the version, concrete. */
  readonly base: string
}

/** The place and the time of a refusal. */
interface Place extends LoginAddress {
  pageOf(realm_uri: string): RealmPage | undefined
  /** Seconds since the epoch. */
  readonly now: number
}

/** The address of a login that leads to a page. @param provider undefined: the person chooses @param more other parameters of its query */
export const loginLocation = (
  { prefix, base }: LoginAddress,
  provider: string | undefined,
  redirect_uri?: string,
  more: Readonly<Record<string, string>> = {},
): string => {
  const query = new URLSearchParams({
    ...(provider !== undefined && { provider }),
    ...(redirect_uri && { redirect_uri }),
    ...more,
  })
  return `${prefix}${base}/oidc/login?${query}`
}

/** The member of the security by whose login the refused request would pass; undefined: no login helps. */
function loginOf(protection: Protection, error: ServiceError): Protection | undefined {
  if (error instanceof UnprovedError) return error.login
  return protection.kind.hasLogin && error.uri === 'service.error.unauthorized'
    ? protection
    : undefined
}

/** Whether the page is there without a login, too. */
const isOpenToAll = (error: ServiceError): boolean =>
  error instanceof UnprovedError && error.isOptional

/**
 * The answer to a person in place of a refusal: a redirect to the login, or a page where a login has just failed to help.
 * Undefined for requests that no person makes.
 * @param refused the reply with the error
 */
export function loginRedirect(
  exchange: Exchange,
  { protection }: InheritedValues,
  { base, prefix, now, pageOf }: Place,
  error: ServiceError,
  refused: Reply,
): Reply | undefined {
  const login = protection && loginOf(protection, error)
  if (login === undefined || !isForPage(exchange)) return undefined
  const { realm_uri } = login
  const provider = String(login.object.provider ?? 'default')
  const target = prefix + ownTarget(exchange)
  const isChoice = error instanceof UnprovedError && error.isChoice
  const location = loginLocation({ prefix, base }, isChoice ? undefined : provider, target)
  const { 'www-authenticate': _, ...headers } = refused.headers
  const problem = isOpenToAll(error)
    ? 'ticket_ended'
    : returnProblem(exchange.header('cookie'), { realm_uri, provider }, now)
  if (problem !== undefined) {
    const again = { text: 'Log in again', href: location }
    const ways = problem === 'two_tickets' ? [again] : [{ text: 'Continue', href: target }, again]
    const page = loginPage(error.status, { reason: problem, ways }, pageOf(realm_uri))
    return { ...refused, ...page, headers: { ...headers, ...page.headers } }
  }
  return {
    ...refused,
    status: 302,
    headers: { ...headers, location, 'cache-control': 'no-store' },
    body: { kind: 'none' },
  }
}
