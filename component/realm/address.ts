/** Network addresses: which belong to a CIDR range, and which are this machine. */
import { BlockList, isIP } from 'node:net'

const mapped = '::ffff:'

/** Is it asked of this many addresses? */
type IsFrom = (address: string) => boolean

/** IPv4 written as IPv6 is IPv4; the zone of a link-local address is no part of it. */
function plain(address: string): string {
  const [bare = ''] = address.split('%')
  const inner = bare.toLowerCase().startsWith(mapped) ? bare.slice(mapped.length) : ''
  return isIP(inner) === 4 ? inner : bare
}

function readPrefix(text: string | undefined, most: number): number | undefined {
  if (text === undefined) return most
  const prefix = Number(text)
  const isPlain = text.length > 0 && text.length <= 3 && String(prefix) === text
  return isPlain && Number.isInteger(prefix) && prefix >= 0 && prefix <= most ? prefix : undefined
}

/**
 * Reads `address/prefix`, or one address. `0.0.0.0/0` holds every address, IPv6 too (behaviour: Realms).
 * @returns undefined when it is neither
 */
export function parseCidr(text: string): IsFrom | undefined {
  const [network = '', prefixText, ...rest] = text.split('/')
  const version = isIP(network)
  const prefix = readPrefix(prefixText, version === 4 ? 32 : 128)
  if (version === 0 || prefix === undefined || rest.length > 0) return undefined
  if (version === 4 && prefix === 0) return (address) => isIP(plain(address)) !== 0
  const list = new BlockList()
  list.addSubnet(network, prefix, version === 4 ? 'ipv4' : 'ipv6')
  return (address) => {
    const bare = plain(address)
    const found = isIP(bare)
    return found !== 0 && found === version && list.check(bare, found === 4 ? 'ipv4' : 'ipv6')
  }
}

const loopback4 = parseCidr('127.0.0.0/8')

/** Is the address this machine's own? */
export const isLoopback = (address: string): boolean =>
  plain(address) === '::1' || loopback4?.(address) === true
