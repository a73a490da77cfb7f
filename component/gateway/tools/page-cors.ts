/** What pages of listed origins may send to an endpoint of tools, and read of it (Fetch standard, "CORS protocol"). */
import type { Exchange } from '#component/gateway/exchange.ts'
import type { Headers } from '#component/gateway/header-layers.ts'

/** The fields that clients of all revisions send. */
const sent = [
  ...['accept', 'authorization', 'content-type', 'last-event-id'],
  ...['mcp-method', 'mcp-name', 'mcp-protocol-version', 'mcp-session-id'],
]

/** The field by which clients find out where to get a token. */
const read = ['www-authenticate']

/** Whether pages of the origin may use tools. @param allowed `gateway.ws_allowed_origins`; `*`: all */
export const isAllowedPage = (origin: string, allowed: readonly string[]): boolean =>
  allowed.includes('*') || allowed.includes(origin)

function joined(list: unknown, names: readonly string[]): string {
  const known = String(list ?? '')
  const has = new Set(known.toLowerCase().split(/[\s,]+/))
  return [known, ...names.filter((name) => !has.has(name.toLowerCase()))]
    .filter((one) => one !== '')
    .join(',')
}

/** The CORS headers of an answer, as far as they come from the configuration, with what a page of a listed origin needs. */
export function forPages(
  headers: Headers,
  { method, headers: { origin } }: Pick<Exchange, 'method' | 'headers'>,
  allowed: readonly string[],
): Headers {
  if (origin === undefined || !isAllowedPage(origin, allowed)) return headers
  const own = { ...headers, 'access-control-allow-origin': origin }
  return method === 'options'
    ? {
        ...own,
        'access-control-allow-methods': joined(headers['access-control-allow-methods'], ['POST']),
        'access-control-allow-headers': joined(headers['access-control-allow-headers'], sent),
      }
    : {
        ...own,
        'access-control-expose-headers': joined(headers['access-control-expose-headers'], read),
      }
}
