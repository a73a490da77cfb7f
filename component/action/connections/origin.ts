/** Whether a forward may go to an origin, and whether a request may choose it (behaviour §4). */
import { isIPv6 } from 'node:net'
import { ServiceError } from '#component/errors.ts'
import { classifyAddress } from '#component/syntax/forbidden-addresses.ts'
import { type Origin, readOrigin } from '#component/syntax/upstream-origin.ts'

/** Which hosts computed from the request may be reached. */
export interface HostPolicy {
  /** The setting that lists them. */
  readonly setting: string
  /** Whether the setting lists the host. */
  allows(origin: Pick<Origin, 'hostname' | 'port' | 'isAddress'>): boolean
  /** Whether it lists the host by its name, not by a suffix. */
  names(origin: Pick<Origin, 'hostname' | 'port'>): boolean
  /** Whether it lists the address, which then may be private. */
  lists(address: string, port: number): boolean
}

const withoutDot = (host: string): string => (host.endsWith('.') ? host.slice(0, -1) : host)

/**
 * The policy of a list of hosts.
 * @param entries `host`, `host:port` or `*.suffix`; other entries allow nothing
 */
export function hostPolicy(
  entries: readonly string[],
  setting = 'forward.allowed_hosts',
): HostPolicy {
  const hosts = new Set<string>()
  const suffixes: string[] = []
  for (const entry of entries) {
    if (entry.startsWith('*.')) suffixes.push(entry.slice(1).toLowerCase())
    else {
      const origin = readOrigin(isIPv6(entry) ? `[${entry}]` : entry)
      if ('problem' in origin) continue
      const hostname = withoutDot(origin.hostname)
      const hasPort = origin.port !== 80 || entry.endsWith(':80')
      hosts.add(hasPort ? `${hostname} ${origin.port}` : hostname)
    }
  }
  const isListed = (host: string, port: number): boolean =>
    hosts.has(host) || hosts.has(`${host} ${port}`)
  return {
    setting,
    allows({ hostname, port, isAddress }) {
      const host = withoutDot(hostname)
      return (
        isListed(host, port) || (!isAddress && suffixes.some((suffix) => host.endsWith(suffix)))
      )
    },
    names: ({ hostname, port }) => isListed(withoutDot(hostname), port),
    lists: isListed,
  }
}

/** The refusal of a host or address. */
export const refusal = (message: string): ServiceError =>
  new ServiceError('wamp.error.not_authorized', message)

/**
 * Why an origin must not be connected to, as far as its text says; the addresses of a name are judged where it is connected to.
 * @param policy of a host computed from the request; undefined for one fixed in the document
 */
export function refuseOrigin(
  { addressClass, hostname, port }: Pick<Origin, 'addressClass' | 'hostname' | 'port'>,
  policy: HostPolicy | undefined,
): ServiceError | undefined {
  if (addressClass === 'forbidden') {
    return refusal('host: link-local and cloud-metadata addresses are not forwarded to')
  }
  if (addressClass === 'private' && policy && !policy.lists(hostname, port)) {
    return refusal(`host: it resolves to a private address that ${policy.setting} does not list`)
  }
  return undefined
}

/** The same for an address that a name has been resolved to, or that a socket is connected to. */
export const refuseAddress = (
  hostname: string,
  port: number,
  policy: HostPolicy | undefined,
): ServiceError | undefined =>
  refuseOrigin({ addressClass: classifyAddress(hostname), hostname, port }, policy)
