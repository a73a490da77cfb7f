/** Which URLs the endpoint of a user may have. */
import { type HostPolicy, refuseOrigin } from '#component/action/connections/origin.ts'
import { readOrigin } from '#component/syntax/upstream-origin.ts'

/** Characters of the longest URL. */
const maxUrl = 2_048

/** A URL that requests may go to. */
export interface EndpointUrl {
  /** As URLs are written by WHATWG: equal places have one text. */
  readonly text: string
  readonly origin: string
  /** Path and query. */
  readonly path: string
}

/**
 * Reads the URL of an endpoint: `https`, a public host, no user, no fragment. The addresses of a name are judged where it is connected to.
 * @param hosts those that may be private, and reached by `http` (`deliveries.endpoint_hosts`)
 * @returns a text: what is wrong, as the end of a sentence
 */
export function readEndpointUrl(value: unknown, hosts: HostPolicy): EndpointUrl | string {
  if (typeof value !== 'string' || value === '') return 'it is no text'
  if (value.length > maxUrl) return `it has more than ${maxUrl} characters`
  const url = URL.parse(value)
  if (url === null) return 'it is malformed'
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'its scheme is not https'
  if (url.username !== '' || url.password !== '') return 'it holds a user or a password'
  if (url.hash !== '') return 'it has a fragment'
  const origin = readOrigin(`${url.protocol}//${url.host}`)
  if ('problem' in origin) return origin.problem
  if (url.protocol === 'http:' && !hosts.allows(origin)) return 'its scheme is not https'
  if (refuseOrigin(origin, hosts)) return 'its address is not public'
  return { text: url.href, origin: origin.text, path: `${url.pathname}${url.search}` }
}
