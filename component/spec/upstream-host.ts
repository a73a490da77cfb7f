/** The `host` of a forward action that is fixed in the document: its syntax, and the addresses nobody may name. */
import { BlockList, isIPv6 } from 'node:net'

/** Link-local addresses, and those at which clouds serve their metadata, also as NAT64, 6to4 and IPv4-compatible. */
const forbidden = new BlockList()
forbidden.addSubnet('169.254.0.0', 16, 'ipv4')
forbidden.addAddress('100.100.100.200', 'ipv4')
forbidden.addSubnet('fe80::', 10, 'ipv6')
forbidden.addAddress('fd00:ec2::254', 'ipv6')
forbidden.addAddress('fd20:ce::254', 'ipv6')
for (const prefix of ['64:ff9b::', '::', '::ffff:0:']) {
  forbidden.addSubnet(`${prefix}a9fe:0`, 112, 'ipv6')
  forbidden.addAddress(`${prefix}6464:64c8`, 'ipv6')
}
forbidden.addSubnet('2002:a9fe::', 32, 'ipv6')
forbidden.addSubnet('2002:6464:64c8::', 48, 'ipv6')

/** Names by which clouds reach their metadata. */
const forbiddenNames = new Set([
  'instance-data',
  'instance-data.ec2.internal',
  'metadata',
  'metadata.goog',
  'metadata.google.internal',
])

const isForbidden = 'link-local and cloud-metadata addresses may not be forwarded to'

/** What is wrong with `[scheme://]host[:port]`; undefined when nothing is (behaviour: forward). */
export function upstreamHostProblem(text: string): string | undefined {
  const mark = text.indexOf('://')
  if (mark >= 0 && !['http', 'https'].includes(text.slice(0, mark).toLowerCase())) {
    return 'its scheme is neither http nor https'
  }
  const authority = mark < 0 ? text : text.slice(mark + 3)
  const end = authority.startsWith('[') ? authority.indexOf(']') + 1 : indexOrEnd(authority, ':')
  const port = authority.slice(end)
  if (port !== '' && !isPort(port)) return 'the host is not followed by a valid port'
  return authority.startsWith('[')
    ? addressProblem(authority.slice(1, end - 1))
    : nameProblem(authority.slice(0, end).toLowerCase())
}

function indexOrEnd(text: string, mark: string): number {
  const index = text.indexOf(mark)
  return index < 0 ? text.length : index
}

function isPort(text: string): boolean {
  const number = digitsIn(text.slice(1), 10)
  return text.startsWith(':') && text.length <= 6 && number > 0 && number < 65_536
}

function addressProblem(address: string): string | undefined {
  if (!isIPv6(address) || address.includes('%'))
    return 'its brackets do not contain an IPv6 address'
  return forbidden.check(address, 'ipv6') ? isForbidden : undefined
}

function nameProblem(name: string): string | undefined {
  const bare = name.endsWith('.') ? name.slice(0, -1) : name
  const labels = bare.split('.')
  if (bare.length > 253 || !labels.every(isLabel)) {
    return 'its host is neither a name of letters, digits, "-", "_" and dots nor an IP address'
  }
  if (forbiddenNames.has(bare)) return isForbidden
  const address = readIPv4(labels)
  if (address === undefined) return undefined
  if (address < 0) return 'its host is not a valid IPv4 address'
  const bytes = [24, 16, 8, 0].map((shift) => (address >>> shift) & 0xff)
  return forbidden.check(bytes.join('.'), 'ipv4') ? isForbidden : undefined
}

function isLabel(label: string): boolean {
  for (const c of label) {
    if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c !== '-' && c !== '_') return false
  }
  return label.length > 0 && label.length <= 63
}

/**
 * Reads what inet_aton and resolvers take for an IPv4 address: one to four parts, decimal, octal or hexadecimal, the
 * last one filling the rest (`127.1`, `0x7f.1`, `2130706433`). Undefined for a name; -1 where only an address can be
 * meant (the last label is a number) but none is.
 */
function readIPv4(labels: readonly string[]): number | undefined {
  const parts = labels.map(readPart)
  if (Number.isNaN(parts.at(-1))) return undefined
  if (parts.length > 4) return -1
  let address = 0
  for (const [index, part] of parts.entries()) {
    const isLast = index === parts.length - 1
    const size = isLast ? 256 ** (5 - parts.length) : 256
    if (Number.isNaN(part) || part >= size) return -1
    address += isLast ? part : part * 256 ** (3 - index)
  }
  return address
}

function readPart(label: string): number {
  if (label.startsWith('0x')) return label === '0x' ? 0 : digitsIn(label.slice(2), 16)
  return label.length > 1 && label.startsWith('0') ? digitsIn(label, 8) : digitsIn(label, 10)
}

/** The number that digits stand for; NaN where a character is none. */
function digitsIn(text: string, radix: number): number {
  let number = text === '' ? Number.NaN : 0
  for (const c of text) number = number * radix + digit(c, radix)
  return number
}

function digit(c: string, radix: number): number {
  const value = '0123456789abcdef'.indexOf(c)
  return value >= 0 && value < radix ? value : Number.NaN
}
