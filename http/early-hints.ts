/** 103 (Early Hints) of an upstream on its way to the client (RFC 8297). */
import { hasProxyFields } from '#component/syntax/page-origin.ts'
import type { HttpExchange } from './read-request.ts'

/**
 * Sends links ahead of the answer, as long as it has not begun. HTTP/1.0 has no 1xx (RFC 9110 §15.2). They are left out for proxies,
 * some of which take 103 for the answer (nginx before 1.29), and for a client that has not yet taken what was sent before.
 * @param links values of `Link` that Node takes
 * @returns whether they were sent
 */
export function sendEarlyHints(
  { headers, isAnswered, request, response }: HttpExchange,
  links: readonly string[],
): boolean {
  if (request.httpVersion !== '1.1' || hasProxyFields(headers)) return false
  if (isAnswered || response.headersSent || response.destroyed) return false
  if (request.socket.writableNeedDrain) return false
  response.writeEarlyHints({ link: [...links] })
  return true
}
