/** The client of a request: the socket's peer, or the client that trusted proxies report. */
import { isIP } from 'node:net'
import {
  type IpRange,
  isInRanges,
  peerName,
  plainAddress,
  readRange,
} from '#component/syntax/ip-address.ts'
import { type Authority, parseAuthority } from '#component/syntax/request-target.ts'
import { isRequestId } from './request-id.ts'

/** Facts about a request that trusted proxies report; absent keys are not reported. */
export interface Forwarded {
  /** `ip:port`; port 0 where it is not reported. */
  readonly peername?: string
  readonly scheme?: 'http' | 'https'
  readonly authority?: Authority
  /** `X-Request-Id`, where it is a safe token. */
  readonly id?: string
}

/** Header fields in which proxies report the client; `forwarded` is RFC 7239. */
export type ForwardedHeader = 'x-forwarded-for' | 'forwarded'

/** Proxies whose `X-Forwarded-*` or `Forwarded` fields are trusted; a client can forge each field that a proxy does not set. */
export class TrustedProxies {
  readonly #ranges: readonly IpRange[]
  readonly #header: ForwardedHeader
  readonly isEmpty: boolean

  /** @throws TypeError for text that is neither an address nor a CIDR range */
  constructor(ranges: readonly string[], header: ForwardedHeader = 'x-forwarded-for') {
    this.#header = header
    this.isEmpty = ranges.length === 0
    this.#ranges = ranges.map((text) => {
      const range = readRange(text)
      if (range) return range
      throw new TypeError(`expected an address or CIDR range, got ${text}`)
    })
  }

  has(address: string): boolean {
    return !this.isEmpty && isInRanges(address, this.#ranges)
  }

  /** The facts in the fields of a request from `peer`; undefined unless `peer` is a trusted proxy. */
  read(peer: string, headers: Readonly<Record<string, string>>): Forwarded | undefined {
    if (!this.has(peer)) return undefined
    const hops =
      this.#header === 'forwarded' ? parseForwarded(headers.forwarded ?? '') : xForwarded(headers)
    // each proxy appends the address of its peer: the first untrusted address from the right is the client
    let index = hops.length - 1
    while (index > 0 && this.has(hops[index]?.address ?? '')) index--
    const hop = hops[index]
    const id = headers['x-request-id']
    const kept = isRequestId(id) ? { id } : undefined
    if (!hop) return { ...kept }
    const authority = hop.host === undefined ? undefined : parseAuthority(hop.host)
    return {
      ...kept,
      ...(isIP(hop.address) !== 0 && { peername: peerName(hop.address, hop.port) }),
      ...((hop.proto === 'http' || hop.proto === 'https') && { scheme: hop.proto }),
      ...(authority && { authority }),
    }
  }
}

/** The fields of a request, with the Host that a trusted proxy reports: what is told of the request, and compared with `Origin`, is public. */
export function withPublicHost(
  headers: Readonly<Record<string, string>>,
  forwarded: Forwarded | undefined,
): Readonly<Record<string, string>> {
  if (!forwarded?.authority) return headers
  const { host, port } = forwarded.authority
  const text = port === '' ? host : `${host}:${port}`
  return headers.host === text ? headers : { ...headers, host: text }
}

interface Hop {
  readonly address: string
  readonly port: string
  readonly proto?: string | undefined
  readonly host?: string | undefined
}

/** A reported port; 0 for text that is not a port, such as an obfuscated one (RFC 7239 §6.3). */
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
