/** The network of a client, by which limits count: IPv4 addresses one by one, IPv6 addresses by /64. */
import { isIPv6 } from 'node:net'

/** IPv4 on a socket for both. */
const mapped = /^::ffff:(?=\d+\.)/i

/** The network that an IP address is counted by: an IPv4 address itself, the /64 of an IPv6 address, all of which one client holds. */
export function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  if (mapped.test(address)) return address.replace(mapped, '')
  const [head = '', tail] = address.split('%')[0]?.toLowerCase().split('::') ?? []
  const left = head.split(':')
  const missing = tail === undefined ? 0 : 8 - left.length - tail.split(':').length
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array(Math.max(missing, 0)).fill('0'), ...tail.split(':')]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group || '0', 16))
    .join(':')
}
