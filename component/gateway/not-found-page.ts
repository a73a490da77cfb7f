/** The HTML page for a person who opens an address at which nothing is served. */
import type { ServiceError } from '#component/errors.ts'
import type { Exchange } from './exchange.ts'
import { escaped, htmlReply, personStyle, prefersPage } from './html-page.ts'
import { isForPage } from './login-page.ts'

/** The page in place of the error, made once; the code of the error is for support. */
export function notFoundPage(error: ServiceError): ReturnType<typeof htmlReply> {
  const body = [
    '<h1>Page not found</h1><p>There is no page at this address. Check the address, or go back to where you came from.</p>',
    `<p><small><code>${escaped(error.uri)}</code></small></p>`,
  ]
  return {
    ...htmlReply(error.status, { title: 'Page not found', body, style: personStyle }),
    error,
  }
}

/** Whether the client is a browser that shows a page to a person: it names text/html, and does not prefer JSON. */
export const isForPerson = (exchange: Exchange): boolean =>
  isForPage(exchange) && prefersPage(exchange)
