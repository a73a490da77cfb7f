/** The address by which browsers reach the documents that are served here: for callbacks, and for what counts as this origin. */
import type { Endpoint } from '#component/gateway/api.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import { parseHostPattern } from '#component/syntax/host-pattern.ts'

/** What the address is made of. */
export interface PublicAddressPorts {
  /** `gateway.public_base_url`, else the address that is listened at; without a slash at the end. */
  readonly issuerBase: () => string
  /** Whether `gateway.public_base_url` is set. */
  readonly hasPublicUrl: boolean
}

/** Whether a host pattern has no wildcard: a request that matches it names a host that the document names. */
function hasFixedHosts(pattern: string): boolean {
  const host = parseHostPattern(pattern)
  if ('problem' in host || host.kind === 'any') return false
  return host.forms.flat().every((label) => label !== undefined)
}

/**
 * Whether the callbacks of a document follow the address that is listened at although browsers may be at another host.
 * @param isLocal whether only this machine can reach the listener
 */
export const isGuessedFor = (
  pattern: string,
  { hasPublicUrl, isLocal }: { readonly hasPublicUrl: boolean; readonly isLocal: boolean },
): boolean => !hasPublicUrl && !hasFixedHosts(pattern) && !(isLocal && pattern === '_')

const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' }

/**
 * The address, without a slash at the end: the configured one, else that of the request where the document fixes its host,
 * else the one that is listened at.
 */
export function publicAddress(
  { issuerBase, hasPublicUrl }: PublicAddressPorts,
  { scheme, host, port }: Pick<Exchange, 'scheme' | 'host' | 'port'>,
  endpoint: Pick<Endpoint, 'host'>,
): string {
  if (hasPublicUrl || !hasFixedHosts(endpoint.host)) return issuerBase()
  return `${scheme}://${host}${port === defaultPorts[scheme] ? '' : `:${port}`}`
}

/** The path of an address, which a proxy takes away; without a slash at the end. */
export const publicPath = (address: string): string =>
  (URL.parse(address)?.pathname ?? '').replace(/\/$/, '')
