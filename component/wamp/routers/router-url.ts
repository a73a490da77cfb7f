/** The URLs at which WAMP routers are reached. */

/** What a URL of a router must be. */
const allowed = 'must be a ws: or wss: URL without a fragment'

/** What is wrong with the URL of a router, as the end of a sentence that shows nothing of it; undefined for none. */
export function routerUrlProblem(text: string): string | undefined {
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
  const { protocol, host, pathname } = new URL(text)
  return `${protocol}//${host}${pathname}`
}
