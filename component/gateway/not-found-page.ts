/** The HTML page for a person who opens an address at which nothing is served. */
import type { ServiceError } from '#component/errors.ts'
import type { RealmPage } from '#component/realm-page.ts'
import type { Exchange } from './exchange.ts'
import { personPage, prefersPage } from './html-page.ts'
import { isForPage } from './login-page.ts'

/** The page in place of the error. @param realm to which the address belongs alone; undefined where none does */
export function notFoundPage(
  error: ServiceError,
  realm: RealmPage | undefined,
): ReturnType<typeof personPage> {
  const body = [
    '<p>There is no page at this address. Check the address, or go back to where you came from.</p>',
  ]
  return {
    ...personPage(error.status, { title: 'Page not found', body, code: error.uri }, realm),
    error,
  }
}

/** Whether the client is a browser that shows a page to a person: it names text/html, and does not prefer JSON. */
export const isForPerson = (exchange: Exchange): boolean =>
  isForPage(exchange) && prefersPage(exchange)
