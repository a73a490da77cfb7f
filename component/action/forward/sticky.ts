/** The cookie by which a client stays with a target of an upstream. */
import type { Outcome, Run } from '#component/action/action.ts'
import type { HeaderMap } from '#component/action/headers.ts'
import { cookieValues, withoutCookie } from '#component/syntax/cookie-field.ts'
import type { Target } from '#component/upstreams/target.ts'
import type { Upstream } from '#component/upstreams/upstream.ts'

/** What the client has of an upstream; empty: nothing, or several, of which somebody may have planted one. */
export function stuckTo(upstream: Upstream | undefined, { request }: Run): string {
  const { sticky } = upstream?.settings ?? {}
  const field = sticky && request.headers.cookie
  const [only, ...others] = field === undefined ? [] : cookieValues(field, sticky?.cookie ?? '')
  return only !== undefined && others.length === 0 ? only : ''
}

/** Takes the cookie out of the fields of a request: it is for the gateway. */
export function dropSticky(upstream: Upstream | undefined, headers: HeaderMap): void {
  const { sticky } = upstream?.settings ?? {}
  if (sticky === undefined || typeof headers.cookie !== 'string') return
  const rest = withoutCookie(headers.cookie, sticky.cookie)
  if (rest === undefined) delete headers.cookie
  else headers.cookie = rest
}

/** The outcome whose answer gives the client the cookie of a target that it has not. @param has what it has */
export function withSticky(
  upstream: Upstream,
  target: Target,
  has: string,
  isSecure: boolean,
  outcome: Outcome,
): Outcome {
  const { sticky } = upstream.settings
  const { answer } = outcome
  const token = sticky && upstream.tokenOf(target)
  if (sticky === undefined || answer === undefined || token === undefined || token === has) {
    return outcome
  }
  const maxAge = sticky.maxAge === undefined ? '' : `; Max-Age=${sticky.maxAge}`
  const cookie = `${sticky.cookie}=${token}; Path=/${maxAge}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  const others = [answer.headers['set-cookie'] ?? []].flat()
  const headers = { ...answer.headers, 'set-cookie': [...others, cookie] }
  return { ...outcome, answer: { ...answer, headers } }
}
