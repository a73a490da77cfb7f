/** IP addresses: reading them, ranges of them, `ip:port`, and the network that a limit counts. */
import { isIPv4, isIPv6 } from 'node:net'
import { remembered } from './remembered.ts'

/** An address as numbers of 16 bits: two for IPv4, eight for IPv6. */
export type Groups = readonly number[]

/** @param address is valid */
function groupsOfIPv4(address: string): number[] {
  let number = 0
  let part = 0
  for (let index = 0; index < address.length; index++) {
    const code = address.charCodeAt(index)
    if (code === 0x2e) {
      number = number * 256 + part
      part = 0
    } else part = part * 10 + code - 0x30
  }
  number = number * 256 + part
  return [Math.floor(number / 65_536), number % 65_536]
}

/** @param address is valid, with or without the zone of a link-local address */
function groupsOfIPv6(address: string): number[] {
  const [text = ''] = address.includes('%') ? address.split('%', 1) : [address]
  const groups: number[] = []
  let gap = 0
  for (let start = 0; start < text.length; ) {
    const colon = text.indexOf(':', start)
    const end = colon < 0 ? text.length : colon
    const group = text.slice(start, end)
    if (group === '') gap = groups.length
    else if (group.includes('.')) groups.push(...groupsOfIPv4(group))
    else groups.push(Number.parseInt(group, 16))
    start = end + 1
  }
  while (groups.length < 8) groups.splice(gap, 0, 0)
  return groups
}

/** The address as it is written, without a zone; undefined for other texts. */
function readWritten(address: string): Groups | undefined {
  if (isIPv4(address)) return groupsOfIPv4(address)
  return isIPv6(address) ? groupsOfIPv6(address) : undefined
}

/** A CIDR range. */
export interface IpRange {
  readonly network: Groups
  readonly bits: number
}

/** Whether the address is in the range. */
export function isWithin(groups: Groups, { network, bits }: IpRange): boolean {
  if (groups.length !== network.length) return false
  for (let index = 0; index * 16 < bits; index++) {
    const shift = Math.max(16 * (index + 1) - bits, 0)
    if ((groups[index] ?? 0) >> shift !== (network[index] ?? 0) >> shift) return false
  }
  return true
}

/** IPv4 written as IPv6 (RFC 4291 §2.5.5.2), as sockets for both give it. */
const mapped: IpRange = { network: [0, 0, 0, 0, 0, 0xffff, 0, 0], bits: 96 }

/** The address, IPv4 written as IPv6 as IPv4; undefined for other texts. */
export function readAddress(address: string): Groups | undefined {
  const groups = readWritten(address)
  return groups && isWithin(groups, mapped) ? groups.slice(6) : groups
}

/** The usual spelling of an IPv4 address. */
const dotted = (groups: Groups): string =>
  groups.flatMap((group) => [group >> 8, group & 0xff]).join('.')

/** The address, IPv4 written as IPv6 as IPv4; other texts come back as they are. */
export const plainAddress = (address: string): string =>
  address.charCodeAt(0) === 0x3a ? withoutPrefix(address) : address

const withoutPrefix = remembered((address) => {
  const end = address.slice(7)
  // as sockets write it
  if (address.startsWith('::ffff:') && isIPv4(end)) return end
  const groups = readAddress(address)
  return groups?.length === 2 ? dotted(groups) : address
})

function readBits(text: string | undefined, most: number): number | undefined {
  if (text === undefined) return most
  const bits = Number(text)
  return String(bits) === text && Number.isInteger(bits) && bits >= 0 && bits <= most
    ? bits
    : undefined
}

/** Reads `address/bits`, or one address; undefined for other texts. */
export function readRange(text: string): IpRange | undefined {
  const [address = '', bitsText, ...rest] = text.split('/')
  const network = address.includes('%') ? undefined : readWritten(address)
  if (network === undefined || rest.length > 0) return undefined
  const bits = readBits(bitsText, network.length * 16)
  if (bits === undefined) return undefined
  return bits >= mapped.bits && isWithin(network, mapped)
    ? { network: network.slice(6), bits: bits - mapped.bits }
    : { network, bits }
}

/** The ranges, out of `texts`, that can be read. */
export const rangesOf = (texts: readonly string[]): readonly IpRange[] =>
  texts.flatMap((text) => readRange(text) ?? [])

/** The ranges that documents name. `0.0.0.0/0` is every address, IPv6 too (behaviour: Realms). */
export const networksOf = (texts: readonly string[]): readonly IpRange[] =>
  rangesOf(texts.flatMap((text) => (text === '0.0.0.0/0' ? [text, '::/0'] : [text])))

/** Whether the text is an address of one of the ranges; IPv4 written as IPv6 is IPv4. */
export function isInRanges(address: string, all: readonly IpRange[]): boolean {
  const groups = readAddress(address)
  return groups !== undefined && all.some((range) => isWithin(groups, range))
}

const loopback = rangesOf(['127.0.0.0/8', '::1'])

/** Whether the address is one of this machine's own. */
export const isLoopback = (address: string): boolean => isInRanges(address, loopback)

/** `ip:port`, IPv6 in brackets. */
export const peerName = (address: string, port: string | number): string =>
  address.includes(':') ? `[${address}]:${port}` : `${address}:${port}`

/** The address in `ip:port`, with or without brackets. */
export function addressOf(peername: string): string {
  const end = peername.lastIndexOf(':')
  const address = end < 0 ? peername : peername.slice(0, end)
  return address.startsWith('[') ? address.slice(1, -1) : address
}

/** The network that limits count: an IPv4 address itself; of an IPv6 address the /64, all of which one client holds. */
export function networkOf(address: string): string {
  const plain = plainAddress(address)
  return plain.includes(':') ? network64(plain) : plain
}

const network64 = remembered((address) => readWritten(address)?.slice(0, 4).join(':') ?? address)
