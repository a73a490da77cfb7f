/** 103 (Early Hints) of an upstream on its way to the client (RFC 8297). */
import { hasProxyFields } from '#component/syntax/page-origin.ts'
import type { HttpExchange } from './read-request.ts'

/**
 * Sends links ahead of the answer, as long as it has not begun. They are left out for proxies, some of which take 103 for the answer
 * (nginx before 1.29).
 * @param links values of `Link` that Node takes
 * @returns whether they were sent
 */
export function sendEarlyHints(
  { headers, isAnswered, transport }: HttpExchange,
  links: readonly string[],
): boolean {
  return !isAnswered && !hasProxyFields(headers) && transport.hint(links)
}
