/** Absolute URLs of http and https, as documents name them. */

/** An absolute URL of the web without what would not be sent, or not be seen. */
export const isWebUrl = (value: unknown): value is string => {
  const url = typeof value === 'string' ? URL.parse(value) : null
  if (!url || url.username || url.password || url.hash) return false
  return url.protocol === 'https:' || url.protocol === 'http:'
}

/** Such a URL without a query. */
export const isPlainUrl = (value: unknown): value is string =>
  isWebUrl(value) && !value.includes('?')
