/** What may be shown of the configuration: secrets are masked. */

import { isMap } from '#component/syntax/values.ts'
import { shownRouterUrl } from '#component/wamp/routers/router-url.ts'

const secretKeys = new Set(['secret', 'key', 'proxy_password'])

/** The configuration with secrets masked, fit for a log. */
export function maskConfig(value: unknown, key = ''): unknown {
  if (typeof value === 'string' && secretKeys.has(key)) return '[masked]'
  if (key === 'headers') return maskHeaders(value)
  if (typeof value === 'string') return maskUrl(value)
  if (Array.isArray(value)) return value.map((member) => maskConfig(member))
  if (!isMap(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, maskConfig(member, name)]),
  )
}

/** Header fields for a peer: their names may be seen. */
const maskHeaders = (value: unknown): unknown =>
  isMap(value)
    ? Object.fromEntries(Object.keys(value).map((name) => [name, '[masked]']))
    : '[masked]'

/**
 * Hides the password of a URL, also of a malformed one: passwords are where URLs are most often malformed. The URL of a router shows
 * nothing of who logs in.
 */
function maskUrl(text: string): string {
  if (/^(wss?|rss?|unix):/i.test(text) && URL.canParse(text)) return shownRouterUrl(text)
  return text
    .replace(/^([a-z][a-z0-9+.-]*:[^:@]*):.*@/is, '$1:masked@')
    .replace(/([?&][a-z_]*password=)[^&]*/gi, '$1masked')
}
