/** The origin of an upstream, `[scheme://]host[:port]`: what an author may write and a request may name. */
import { isIPv4, isIPv6 } from 'node:net'
import { type AddressClass, classifyAddress } from './forbidden-addresses.ts'
import { isHostLabel } from './host-pattern.ts'
import type { Problem } from './path-pattern.ts'

/** Where a forward connects to. */
export interface Origin {
  readonly protocol: 'http:' | 'https:'
  /** Lower case; a name, or an IP address in its usual spelling without brackets. */
  readonly hostname: string
  readonly port: number
  /** Of an IP address, or of a name that clouds serve their metadata at; undefined for a name that has to be resolved. */
  readonly addressClass: AddressClass | undefined
  readonly isAddress: boolean
  /** `http://host:port`, IPv6 in brackets, the port left out where the scheme implies it. */
  readonly text: string
}

const ports = { 'http:': 80, 'https:': 443 } as const

/** Names by which clouds reach their metadata. */
const metadataNames = new Set([
  'instance-data',
  'instance-data.ec2.internal',
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
])

/** A port from 1; undefined for other texts. */
function readPort(text: string): number | undefined {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : 0
  return port >= 1 && port <= 65_535 ? port : undefined
}

type Host = Pick<Origin, 'hostname' | 'addressClass' | 'isAddress'>

const addressHost = (hostname: string): Host => ({
  hostname,
  addressClass: classifyAddress(hostname),
  isAddress: true,
})

function readBracketed(address: string): Host | Problem {
  if (!isIPv6(address) || address.includes('%')) {
    return { problem: 'its brackets do not contain an IPv6 address' }
  }
  return addressHost(new URL(`http://[${address}]`).hostname.slice(1, -1))
}

/** @param name lower case */
function readName(name: string): Host | Problem {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name
  if (bare.length > 253 || !bare.split('.').every(isHostLabel)) {
    const problem =
      'its host is neither a name of letters, digits, "-", "_" and dots nor an IP address'
    return { problem }
  }
  // an IPv4 address in any spelling (`127.1`, `0x7f.1`, `2130706433`) ends in a number, and no name does (WHATWG URL §3.5)
  if (/(?:^|\.)(?:\d+|0x[^.]*)$/.test(bare)) {
    const address = URL.parse(`http://${bare}`)?.hostname ?? ''
    return isIPv4(address)
      ? addressHost(address)
      : { problem: 'its host is not a valid IPv4 address' }
  }
  const addressClass = metadataNames.has(bare) ? 'forbidden' : undefined
  return { hostname: name, addressClass, isAddress: false }
}

/**
 * Reads `[http://|https://]host[:port]`; plain http without a scheme. Anything else is a problem: another scheme, user information,
 * a path, escapes, letters beyond ASCII (international names are written in Punycode).
 */
export function readOrigin(field: string): Origin | Problem {
  const text = field.toLowerCase()
  const mark = text.indexOf('://')
  const protocol = mark < 0 ? 'http:' : text.slice(0, mark + 1)
  if (protocol !== 'http:' && protocol !== 'https:') {
    return { problem: 'its scheme is neither http nor https' }
  }
  const authority = mark < 0 ? text : text.slice(mark + 3)
  const isBracketed = authority.startsWith('[')
  const end = isBracketed ? authority.indexOf(']') + 1 : authority.indexOf(':')
  const name = end < 0 ? authority : authority.slice(0, end)
  const rest = authority.slice(name.length)
  const port = rest === '' ? ports[protocol] : readPort(rest.slice(1))
  if (port === undefined || (rest !== '' && !rest.startsWith(':'))) {
    return { problem: 'the host is not followed by a valid port' }
  }
  const host = isBracketed ? readBracketed(name.slice(1, -1)) : readName(name)
  if ('problem' in host) return host
  const shown = host.hostname.includes(':') ? `[${host.hostname}]` : host.hostname
  const suffix = port === ports[protocol] ? '' : `:${port}`
  return { protocol, ...host, port, text: `${protocol}//${shown}${suffix}` }
}

/** Why an author may not write a text as the host of a forward: the end of a sentence about it; undefined when it may stand. */
export function originProblem(text: string): string | undefined {
  const origin = readOrigin(text)
  if ('problem' in origin) return origin.problem
  return origin.addressClass === 'forbidden'
    ? 'link-local and cloud-metadata addresses may not be forwarded to'
    : undefined
}
