/** What RFC 9111 demands of a shared cache, as requests and answers: whether a second request is answered from the first. */

/** One demand. Times are relative to the moment of the answer. */
export interface CacheCase {
  readonly section: string
  readonly demand: string
  /** Fields of the first request. */
  readonly first?: Readonly<Record<string, string>>
  readonly status?: number
  /** Fields of the answer to it; `{+60}` is the HTTP-date a minute later. */
  readonly answer: Readonly<Record<string, string>>
  /** A request between the two. */
  readonly between?: { readonly method: string; readonly status: number }
  /** Fields of the second request. */
  readonly second?: Readonly<Record<string, string>>
  /** The path of the second request, where it is another one. */
  readonly path?: string
  /** Whether the second request is answered from the first. */
  readonly isReused: boolean
  /** Why another cache does otherwise; absent: it does the same. */
  readonly nginx?: string
  readonly varnish?: string
}

const fresh = { 'cache-control': 'max-age=60' }

export const cacheCases: readonly CacheCase[] = [
  { section: '3', demand: 'an answer with explicit freshness may be reused', answer: fresh, isReused: true },
  { section: '3', demand: 'no-store is not stored', answer: { 'cache-control': 'no-store, max-age=60' }, isReused: false },
  { section: '3', demand: 'no-store is not stored, wherever it stands', answer: { 'cache-control': 'max-age=60, No-Store' }, isReused: false },
  { section: '3', demand: 'private is not stored by a shared cache', answer: { 'cache-control': 'private, max-age=60' }, isReused: false },
  { section: '3', demand: 'an answer without freshness is not stored where nothing else says how long', answer: {}, isReused: false },
  { section: '3', demand: 'a status beyond those of the rule is not stored', status: 299, answer: fresh, isReused: false, nginx: 'it keeps any status that says how long it is fresh' },
  { section: '3', demand: '206 is not stored without support for ranges', status: 206, answer: { ...fresh, 'content-range': 'bytes 0-0/9' }, isReused: false, nginx: 'it keeps any status that says how long it is fresh' },
  { section: '3', demand: 'nor is 500', status: 500, answer: fresh, isReused: false, nginx: 'it keeps any status that says how long it is fresh' },
  { section: '3.5', demand: 'an answer to a request with Authorization serves no other request', first: { authorization: 'Basic YTpi' }, answer: fresh, isReused: false, nginx: 'it does not look at Authorization' },
  { section: '3.5', demand: 'unless it is public', first: { authorization: 'Basic YTpi' }, answer: { 'cache-control': 'public, max-age=60' }, isReused: true, varnish: 'it passes all requests with Authorization on' },
  { section: '3.5', demand: 'or has s-maxage', first: { authorization: 'Basic YTpi' }, answer: { 'cache-control': 's-maxage=60' }, isReused: true, varnish: 'it passes all requests with Authorization on' },
  { section: '4', demand: 'another target URI is not matched', answer: fresh, path: '/other', isReused: false },
  { section: '4', demand: 'another query is not matched', answer: fresh, path: '?a=2', isReused: false },
  { section: '4.1', demand: 'an equal selecting field matches', first: { 'x-a': '1' }, answer: { ...fresh, vary: 'X-A' }, second: { 'x-a': '1' }, isReused: true },
  { section: '4.1', demand: 'another selecting field does not match', first: { 'x-a': '1' }, answer: { ...fresh, vary: 'X-A' }, second: { 'x-a': '2' }, isReused: false },
  { section: '4.1', demand: 'an absent selecting field matches no present one', answer: { ...fresh, vary: 'X-A' }, second: { 'x-a': '1' }, isReused: false },
  { section: '4.1', demand: 'a present selecting field matches no absent one', first: { 'x-a': '1' }, answer: { ...fresh, vary: 'X-A' }, isReused: false },
  { section: '4.1', demand: 'all selecting fields must match', first: { 'x-a': '1', 'x-b': '1' }, answer: { ...fresh, vary: 'X-A, X-B' }, second: { 'x-a': '1', 'x-b': '2' }, isReused: false },
  { section: '4.1', demand: 'Vary: * matches nothing', answer: { ...fresh, vary: '*' }, isReused: false },
  { section: '4.1', demand: 'a * among names matches nothing', answer: { ...fresh, vary: 'X-A, *' }, isReused: false, nginx: 'it knows * alone only', varnish: 'it knows * alone only' },
  { section: '4.2.1', demand: 's-maxage goes before max-age', answer: { 'cache-control': 'max-age=60, s-maxage=0' }, isReused: false },
  { section: '4.2.1', demand: 's-maxage goes before a max-age of 0', answer: { 'cache-control': 'max-age=0, s-maxage=60' }, isReused: true },
  { section: '4.2.1', demand: 'max-age goes before Expires', answer: { 'cache-control': 'max-age=0', expires: '{+60}' }, isReused: false },
  { section: '4.2.1', demand: 'Expires minus Date is the lifetime', answer: { expires: '{+60}', date: '{+0}' }, isReused: true },
  { section: '4.2.1', demand: 'malformed freshness is stale', answer: { 'cache-control': 'max-age=6x' }, isReused: false },
  { section: '4.2.1', demand: 'of several the most restrictive holds', answer: { 'cache-control': 'max-age=60, max-age=0' }, isReused: false, nginx: 'it takes the first, as §4.2.1 allows', varnish: 'it takes the first, as §4.2.1 allows' },
  { section: '4.2.3', demand: 'Age counts', answer: { ...fresh, age: '60' }, isReused: false, nginx: 'it does not look at Age' },
  { section: '4.2.3', demand: 'Age below the lifetime leaves it fresh', answer: { ...fresh, age: '30' }, isReused: true },
  { section: '4.2.3', demand: 'the age by Date counts', answer: { ...fresh, date: '{-120}' }, isReused: false, nginx: 'it does not look at Date', varnish: 'it takes the age from Age alone' },
  { section: '4.2.4', demand: 'what is stale is not served', answer: { 'cache-control': 'max-age=0' }, isReused: false },
  { section: '4.4', demand: 'an unsafe request that succeeds invalidates', answer: fresh, between: { method: 'POST', status: 200 }, isReused: false, nginx: 'it invalidates nothing by itself', varnish: 'it invalidates nothing by itself' },
  { section: '4.4', demand: 'so does one that redirects', answer: fresh, between: { method: 'DELETE', status: 303 }, isReused: false, nginx: 'it invalidates nothing by itself', varnish: 'it invalidates nothing by itself' },
  { section: '4.4', demand: 'one that fails does not', answer: fresh, between: { method: 'PUT', status: 500 }, isReused: true },
  { section: '5.1', demand: 'an Age that is no number is ignored', answer: { ...fresh, age: 'abc' }, isReused: true },
  { section: '5.2', demand: 'names of directives have no case', answer: { 'cache-control': 'MAX-AGE=60' }, isReused: true },
  { section: '5.2', demand: 'an argument may be quoted', answer: { 'cache-control': 'max-age="60"' }, isReused: true, nginx: 'it does not read quoted arguments', varnish: 'it does not read quoted arguments' },
  { section: '5.2', demand: 'a directive within a quoted argument is none', answer: { 'cache-control': 'x="no-store", max-age=60' }, isReused: true, nginx: 'it finds the directive within the quotes', varnish: 'it finds the directive within the quotes' },
  { section: '5.2.2.4', demand: 'no-cache is not reused without validation', answer: { 'cache-control': 'no-cache, max-age=60' }, isReused: false },
  { section: '5.2.3', demand: 'unknown directives are ignored', answer: { 'cache-control': 'max-age=60, immutable, x=1' }, isReused: true },
  { section: '5.3', demand: 'Expires in the past is stale', answer: { expires: '{-60}' }, isReused: false },
  { section: '5.3', demand: 'Expires: 0 is stale', answer: { expires: '0' }, isReused: false },
  { section: '5.3', demand: 'a malformed Expires is stale', answer: { expires: 'tomorrow 2099' }, isReused: false },
  { section: '5.3', demand: 'an Expires in an obsolete form is read', answer: { expires: 'Sun Nov  6 08:49:37 2044' }, isReused: true },
  { section: '7.3', demand: 'Set-Cookie is for one client', answer: { ...fresh, 'set-cookie': 'a=b' }, isReused: false },
]

/** The fields of an answer at a time. @param now milliseconds since the epoch */
export const fieldsAt = (
  { answer }: CacheCase,
  now: number,
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [
      name,
      value.replace(/\{([+-]\d+)\}/, (_all, seconds: string) =>
        new Date(now + Number(seconds) * 1000).toUTCString(),
      ),
    ]),
  )
