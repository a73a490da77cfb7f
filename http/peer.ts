/** Who sent a request: the address of the socket, or of the client behind proxies that are trusted. */
import { BlockList, isIP, isIPv6 } from 'node:net'
import type { Authority } from './target.ts'
import { parseAuthority } from './target.ts'

/** An IP address without the disguise of IPv4 as IPv6 (`::ffff:127.0.0.1`). */
export const plainAddress = (address: string): string =>
  address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Is the IP address, or the name `localhost`, this machine's loopback? */
export const isLoopback = (address: string): boolean => {
  if (address === '127.0.0.1' || address === 'localhost') return true
  const plain = plainAddress(address)
  return isIP(plain) !== 0 && loopback.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4')
}

/** What trusted proxies told about a request; absent keys were not told. */
export interface Forwarded {
  /** `ip:port`; port 0 where it was not told. */
  readonly peername?: string
  readonly scheme?: 'http' | 'https'
  readonly authority?: Authority
}

/** `ip:port`, IPv6 in brackets. */
export const peerName = (address: string, port: string | number): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`

/** By which fields proxies tell who the client is; `forwarded` is RFC 7239. */
export type ForwardedHeader = 'x-forwarded-for' | 'forwarded'

/** Ranges whose fields are believed: `X-Forwarded-*`, or `Forwarded`; what a proxy does not set itself, a client can. */
export class TrustedProxies {
  readonly #ranges = new BlockList()
  readonly #header: ForwardedHeader
  readonly isEmpty: boolean

  /** @throws TypeError for text that is no address and no CIDR range */
  constructor(ranges: readonly string[], header: ForwardedHeader = 'x-forwarded-for') {
    this.#header = header
    this.isEmpty = ranges.length === 0
    for (const range of ranges) {
      const [address = '', bits] = range.split('/')
      const family = isIP(address)
      const most = family === 6 ? 128 : 32
      const length = bits === undefined ? most : Number(bits)
      if (family === 0 || bits === '' || !Number.isInteger(length) || length < 0 || length > most) {
        throw new TypeError(`expected an address or CIDR range, got ${range}`)
      }
      this.#ranges.addSubnet(address, length, family === 6 ? 'ipv6' : 'ipv4')
    }
  }

  has(address: string): boolean {
    return (
      !this.isEmpty &&
      isIP(address) !== 0 &&
      this.#ranges.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
    )
  }

  /** What may be believed of the fields of a request from `peer`; undefined when nothing. */
  read(peer: string, headers: Readonly<Record<string, string>>): Forwarded | undefined {
    if (!this.has(peer)) return undefined
    const hops =
      this.#header === 'forwarded' ? parseForwarded(headers.forwarded ?? '') : xForwarded(headers)
    // each proxy appends whom it heard from: the first stranger from the right is the client
    let index = hops.length - 1
    while (index > 0 && this.has(hops[index]?.address ?? '')) index--
    const hop = hops[index]
    if (!hop) return {}
    const authority = hop.host === undefined ? undefined : parseAuthority(hop.host)
    return {
      ...(isIP(hop.address) !== 0 && { peername: peerName(hop.address, hop.port) }),
      ...((hop.proto === 'http' || hop.proto === 'https') && { scheme: hop.proto }),
      ...(authority && { authority }),
    }
  }
}

interface Hop {
  readonly address: string
  readonly port: string
  readonly proto?: string | undefined
  readonly host?: string | undefined
}

/** A port as it was told; 0 for what is none, such as the obfuscated ones of RFC 7239 §6.3. */
function portOf(text: string): string {
  const port = Number(text)
  return Number.isInteger(port) && port > 0 && port <= 65_535 ? String(port) : '0'
}

/** `1.2.3.4`, `1.2.3.4:5`, `::1`, `[::1]:5`. */
function parseNode(text: string): { readonly address: string; readonly port: string } {
  if (text.startsWith('[')) {
    const end = text.indexOf(']')
    return { address: text.slice(1, end), port: portOf(text.slice(end + 2)) }
  }
  const colon = text.indexOf(':')
  if (colon < 0 || text.includes(':', colon + 1)) return { address: plainAddress(text), port: '0' }
  return { address: text.slice(0, colon), port: portOf(text.slice(colon + 1)) }
}

const elements = (list: string | undefined): string[] =>
  list === undefined ? [] : list.split(',').map((element) => element.trim())

function xForwarded(headers: Readonly<Record<string, string>>): Hop[] {
  const proto = elements(headers['x-forwarded-proto']).at(-1)?.toLowerCase()
  const host = elements(headers['x-forwarded-host']).at(-1)
  const nodes = elements(headers['x-forwarded-for'] ?? headers['x-real-ip'])
  if (nodes.length === 0) nodes.push('')
  return nodes.map((node) => ({ ...parseNode(node), proto, host }))
}

/** RFC 7239 §4; quoted text without escapes, which neither addresses nor hosts need. */
function parseForwarded(text: string): Hop[] {
  return elements(text).map((element) => {
    const pairs = new Map(
      element.split(';').map((pair) => {
        const [name = '', value = ''] = pair.split('=', 2)
        const isQuoted = value.startsWith('"') && value.endsWith('"') && value.length > 1
        return [name.trim().toLowerCase(), isQuoted ? value.slice(1, -1) : value.trim()]
      }),
    )
    return {
      ...parseNode(pairs.get('for') ?? ''),
      proto: pairs.get('proto')?.toLowerCase(),
      host: pairs.get('host'),
    }
  })
}
