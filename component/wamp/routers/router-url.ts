/** The URLs at which WAMP routers are reached: by WebSocket (`ws:`, `wss:`), and by RawSocket over TCP (`rs:`), TLS (`rss:`) and a Unix socket (`unix:`). */
import { Buffer } from 'node:buffer'

/** What a URL of a router must be. */
const allowed =
  'must be a ws: or wss: URL without a fragment, rs://host:port, rss://host:port, or unix: and an absolute path of at most 107 bytes'

/** Longest path of a Unix socket; bytes (unix(7)). */
const longestPath = 107

/** Where RawSocket is spoken. */
export type RawSocketAddress =
  | { readonly path: string }
  | { readonly host: string; readonly port: number; readonly isSecure: boolean }

/** The path of `unix:/path` and `unix:///path`, as it stands; undefined for one that no socket can have. */
function socketPath(text: string): string | undefined {
  const path = /^unix:(?:\/\/(?=\/))?(\/(?!\/)[^\0]*)$/i.exec(text)?.[1]
  return path !== undefined && Buffer.byteLength(path) <= longestPath ? path : undefined
}

/** The address of a URL of RawSocket; undefined for any other text. */
export function rawSocketAddress(text: string): RawSocketAddress | undefined {
  const path = socketPath(text)
  if (path !== undefined) return { path }
  const [, scheme, bracketed, name, digits] =
    /^(rss?):\/\/(?:\[([\da-f:.]+)\]|([a-z\d._-]+)):(\d{1,5})\/?$/i.exec(text) ?? []
  const [host, port] = [bracketed ?? name, Number(digits)]
  if (host === undefined || !URL.canParse(text) || port < 1) return undefined
  return { host, port, isSecure: scheme?.toLowerCase() === 'rss' }
}

/** What is wrong with the URL of a router, as the end of a sentence that shows nothing of it; undefined for none. */
export function routerUrlProblem(text: string): string | undefined {
  if (rawSocketAddress(text)) return undefined
  const isRight = /^wss?:\/\/[^/]/i.test(text) && URL.canParse(text) && !text.includes('#')
  return isRight ? undefined : allowed
}

/** What is wrong with the URLs of routers together: the index of the first wrong one, and {@link routerUrlProblem}. */
export function routerUrlsProblem(
  urls: readonly string[],
): { readonly index: number; readonly problem: string } | undefined {
  for (const [index, url] of urls.entries()) {
    const isTwice = urls.indexOf(url) < index
    const problem = isTwice ? 'stands in the list before' : routerUrlProblem(url)
    if (problem !== undefined) return { index, problem }
  }
  return undefined
}

/** The URL of a router without credentials and query, which hold secrets. */
export function shownRouterUrl(text: string): string {
  const path = socketPath(text)
  if (path !== undefined) return `unix:${path}`
  const { protocol, host, pathname } = new URL(text)
  return `${protocol}//${host}${pathname}`
}
