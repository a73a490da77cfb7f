/** The origin a forward goes to: reading its `host` field, and whether a request may choose it (behaviour §4). */
import { isIPv6 } from 'node:net'
import { ServiceError } from '#component/errors.ts'
import { type AddressClass, classifyAddress, readIPv4 } from './address.ts'

/** Where a forward connects to. */
export interface Origin {
  readonly protocol: 'http:' | 'https:'
  /** Lower case; a name, or an IP address in its usual spelling without brackets. */
  readonly hostname: string
  readonly port: number
  readonly isAddress: boolean
  /** `http://host:port`, IPv6 in brackets, the port left out where the scheme implies it. */
  readonly text: string
}

/** May a host computed from the request be reached? */
export interface HostPolicy {
  /** Is this host named by `forward.allowed_hosts`? */
  allows(origin: Origin): boolean
  /** Is this address of it named, so that it may be private? */
  lists(address: string, port: number): boolean
}

const ports = { 'http:': 80, 'https:': 443 } as const

const isNameCharacter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 48 && code <= 57) || code === 45 || code === 95

/** Labels of a–z, 0–9, `-`, `_`, none empty, with or without a dot at the end. */
function isName(text: string): boolean {
  if (text.length === 0 || text.length > 254) return false
  let size = 0
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index)
    if (code === 46) {
      if (size === 0) return false
      size = 0
    } else {
      if (!isNameCharacter(code)) return false
      size += 1
      if (size > 63) return false
    }
  }
  return true
}

function readPort(text: string): number | undefined {
  if (text.length === 0 || text.length > 5) return undefined
  let port = 0
  for (let index = 0; index < text.length; index += 1) {
    const digit = text.charCodeAt(index) - 48
    if (digit < 0 || digit > 9) return undefined
    port = port * 10 + digit
  }
  return port >= 1 && port <= 65_535 ? port : undefined
}

/**
 * Reads `[http://|https://]host[:port][/]`; plain http without a scheme. Undefined for anything else: another scheme,
 * user information, a path, escapes, letters beyond ASCII (write Punycode).
 */
export function readOrigin(field: string): Origin | undefined {
  const text = field.toLowerCase()
  const slashes = text.indexOf('://')
  const protocol = slashes < 0 ? 'http:' : text.slice(0, slashes + 1)
  if (protocol !== 'http:' && protocol !== 'https:') return undefined
  let authority = slashes < 0 ? text : text.slice(slashes + 3)
  if (authority.endsWith('/')) authority = authority.slice(0, -1)
  const isBracketed = authority.startsWith('[')
  const end = isBracketed ? authority.indexOf(']') + 1 : authority.indexOf(':')
  if (isBracketed && end === 0) return undefined
  const host = end <= 0 ? authority : authority.slice(0, end)
  const rest = authority.slice(host.length)
  if (rest !== '' && !rest.startsWith(':')) return undefined
  const port = rest === '' ? ports[protocol] : readPort(rest.slice(1))
  if (port === undefined) return undefined
  let hostname = isBracketed ? host.slice(1, -1) : host
  let isAddress = isBracketed
  if (isBracketed) {
    if (!isIPv6(hostname) || hostname.includes('%')) return undefined
    hostname = new URL(`http://[${hostname}]`).hostname.slice(1, -1)
  } else {
    if (!isName(hostname)) return undefined
    const address = readIPv4(hostname)
    if (address === null) return undefined
    if (address !== undefined) {
      hostname = address
      isAddress = true
    }
  }
  const shown = isBracketed ? `[${hostname}]` : hostname
  const suffix = port === ports[protocol] ? '' : `:${port}`
  return { protocol, hostname, port, isAddress, text: `${protocol}//${shown}${suffix}` }
}

const withoutDot = (host: string): string => (host.endsWith('.') ? host.slice(0, -1) : host)

/**
 * The policy of `forward.allowed_hosts`.
 * @param entries `host`, `host:port` or `*.suffix`; other entries allow nothing
 */
export function hostPolicy(entries: readonly string[]): HostPolicy {
  const hosts = new Set<string>()
  const suffixes: string[] = []
  for (const entry of entries) {
    if (entry.startsWith('*.')) suffixes.push(entry.slice(1).toLowerCase())
    else {
      const origin = readOrigin(isIPv6(entry) ? `[${entry}]` : entry)
      if (!origin) continue
      const hostname = withoutDot(origin.hostname)
      const hasPort = origin.port !== 80 || entry.endsWith(':80')
      hosts.add(hasPort ? `${hostname} ${origin.port}` : hostname)
    }
  }
  const isListed = (host: string, port: number): boolean =>
    hosts.has(host) || hosts.has(`${host} ${port}`)
  return {
    allows({ hostname, port, isAddress }) {
      const host = withoutDot(hostname)
      return (
        isListed(host, port) || (!isAddress && suffixes.some((suffix) => host.endsWith(suffix)))
      )
    },
    lists: isListed,
  }
}

/** The refusal of a host or address, whoever finds it. */
export const refusal = (message: string): ServiceError =>
  new ServiceError('wamp.error.not_authorized', message)

/** Addresses repeat, and classifying one is slow: the last ones are kept. */
const classes = new Map<string, AddressClass>()
const maxClasses = 1000

function classOf(address: string): AddressClass {
  const known = classes.get(address)
  if (known !== undefined) return known
  const found = classifyAddress(address)
  if (classes.size >= maxClasses) classes.clear()
  classes.set(address, found)
  return found
}

/**
 * Why an address must not be connected to; undefined when it may be.
 * @param policy of a host computed from the request; undefined for one fixed in the document
 */
export function refuseAddress(
  address: string,
  port: number,
  policy: HostPolicy | undefined,
): ServiceError | undefined {
  const found = classOf(address)
  if (found === 'forbidden') {
    return refusal('host: link-local and cloud-metadata addresses are not forwarded to')
  }
  if (found === 'private' && policy && !policy.lists(address, port)) {
    return refusal(
      'host: it resolves to a private address that forward.allowed_hosts does not list',
    )
  }
  return undefined
}
