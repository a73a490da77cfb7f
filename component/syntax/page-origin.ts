/** The origin of a page as browsers send it in `Origin` (RFC 6454 §6.2): without a path, the host in lower case. */
import { parseAuthority } from './request-target.ts'

/** The text of a regular expression without anchors. */
export const pageOrigin = 'https?://[a-z0-9.\\-_\\[\\]:]+'

/** Whether the Origin field names this very origin; true without the field, since such a request comes from no page. */
export function isOwnOrigin(headers: Readonly<Record<string, string>>): boolean {
  const { origin, host = '' } = headers
  if (origin === undefined) return true
  const scheme = origin.indexOf('://')
  return scheme > 0 && origin.slice(scheme + 3).toLowerCase() === host.toLowerCase()
}

const localNames = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Fields that only proxies add. */
const isProxyField = (name: string): boolean =>
  name === 'forwarded' || name === 'via' || name === 'x-real-ip' || name.startsWith('x-forwarded-')

/** Whether a proxy has forwarded the request: the socket's peer is not the client then. */
export const hasProxyFields = (headers: Readonly<Record<string, string>>): boolean =>
  Object.keys(headers).some(isProxyField)

/** Whether the Host field is a loopback name: any other name may point at this machine by DNS rebinding. */
export const hasLocalHost = ({ host = '' }: Readonly<Record<string, string>>): boolean =>
  localNames.has(parseAuthority(host)?.host ?? '')
