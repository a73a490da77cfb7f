/** The public address of a document: the base of its callback URLs, and the origin that counts as this gateway's. */
import type { Endpoint } from '#component/gateway/api.ts'
import type { Exchange } from '#component/gateway/exchange.ts'
import { parseHostPattern } from '#component/syntax/host-pattern.ts'

/** Settings that the address is derived from. */
export interface PublicAddressPorts {
  /** `gateway.public_base_url`, else the listening address; without a slash at the end. */
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
 * Whether the callbacks of a document use the listening address although browsers may use another host.
 * @param isLocal whether only this machine can reach the listener
 */
export const isGuessedFor = (
  pattern: string,
  { hasPublicUrl, isLocal }: { readonly hasPublicUrl: boolean; readonly isLocal: boolean },
): boolean => !hasPublicUrl && !hasFixedHosts(pattern) && !(isLocal && pattern === '_')

const defaultPorts: Readonly<Record<string, string>> = { http: '80', https: '443' }

/**
 * The address, without a slash at the end: the configured one, else that of the request where the document fixes its host,
 * else the listening address.
 */
export function publicAddress(
  { issuerBase, hasPublicUrl }: PublicAddressPorts,
  { scheme, host, port }: Pick<Exchange, 'scheme' | 'host' | 'port'>,
  endpoint: Pick<Endpoint, 'host'>,
): string {
  if (hasPublicUrl || !hasFixedHosts(endpoint.host)) return issuerBase()
  return requestAddress({ scheme, host, port })
}

/** The address at which a request has reached the gateway, without a slash at the end. */
export const requestAddress = ({
  scheme,
  host,
  port,
}: Pick<Exchange, 'scheme' | 'host' | 'port'>): string =>
  `${scheme}://${host}${port === defaultPorts[scheme] ? '' : `:${port}`}`

/** The path of an address, which a proxy removes from requests; without a slash at the end. */
export const publicPath = (address: string): string =>
  (URL.parse(address)?.pathname ?? '').replace(/\/$/, '')
