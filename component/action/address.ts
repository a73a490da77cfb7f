/** IP addresses: reading every spelling of one, and which of them a forward may connect to (reliability F13, SSRF). */
import { isIPv4, isIPv6 } from 'node:net'

/** Link-local and cloud-metadata addresses are reached by nobody; private ones only where they are fixed or listed. */
export type AddressClass = 'forbidden' | 'private' | 'public'

type Range = readonly [network: string, bits: number, className: AddressClass]

/** IANA special-purpose registries: what is not globally reachable. The first range that holds the address decides. */
const ranges4: readonly Range[] = [
  ['169.254.0.0', 16, 'forbidden'], // link-local, and the metadata service of most clouds
  ['100.100.100.200', 32, 'forbidden'], // metadata service of Alibaba Cloud
  ['168.63.129.16', 32, 'forbidden'], // platform service of Azure
  ['192.0.0.192', 32, 'forbidden'], // metadata service of Oracle Cloud
  ['0.0.0.0', 8, 'private'],
  ['10.0.0.0', 8, 'private'],
  ['100.64.0.0', 10, 'private'],
  ['127.0.0.0', 8, 'private'],
  ['172.16.0.0', 12, 'private'],
  ['192.0.0.0', 24, 'private'],
  ['192.0.2.0', 24, 'private'],
  ['192.88.99.0', 24, 'private'],
  ['192.168.0.0', 16, 'private'],
  ['198.18.0.0', 15, 'private'],
  ['198.51.100.0', 24, 'private'],
  ['203.0.113.0', 24, 'private'],
  ['224.0.0.0', 3, 'private'], // multicast, reserved, broadcast
]
const ranges6: readonly Range[] = [
  ['fe80::', 10, 'forbidden'], // link-local
  ['fd00:ec2::254', 128, 'forbidden'], // metadata service of AWS
  ['fd20:ce::254', 128, 'forbidden'], // metadata service of Google Cloud
  ['::', 127, 'private'], // unspecified, loopback
  ['64:ff9b:1::', 48, 'private'], // local-use NAT64
  ['100::', 64, 'private'],
  ['2001::', 23, 'private'], // protocol assignments, Teredo
  ['2001:db8::', 32, 'private'],
  ['3fff::', 20, 'private'],
  ['5f00::', 16, 'private'],
  ['fc00::', 7, 'private'],
  ['fec0::', 10, 'private'],
  ['ff00::', 8, 'private'],
]

/** Prefixes whose addresses carry an IPv4 address, and the bit where it begins. */
const carriers: readonly (readonly [network: string, bits: number, offset: bigint])[] = [
  ['::ffff:0:0', 96, 0n], // IPv4-mapped
  ['::ffff:0:0:0', 96, 0n], // IPv4-translated
  ['64:ff9b::', 96, 0n], // NAT64
  ['2002::', 16, 80n], // 6to4
  ['::', 96, 0n], // IPv4-compatible
]

const number4 = (address: string): bigint =>
  address.split('.').reduce((sum, part) => sum * 256n + BigInt(part), 0n)

function number6(address: string): bigint {
  const [text = ''] = address.split('%')
  const dotted = text.lastIndexOf(':') + 1
  const plain = text.includes('.')
    ? `${text.slice(0, dotted)}${(number4(text.slice(dotted)) >> 16n).toString(16)}:${(number4(text.slice(dotted)) & 0xffffn).toString(16)}`
    : text
  const [left = '', right] = plain.split('::')
  const head = left ? left.split(':') : []
  const tail = right ? right.split(':') : []
  const zeros = right === undefined ? 0 : 8 - head.length - tail.length
  return [...head, ...new Array<string>(zeros).fill('0'), ...tail].reduce(
    (sum, group) => sum * 65536n + BigInt(`0x${group}`),
    0n,
  )
}

const isWithin = (address: bigint, network: bigint, bits: number, width: number): boolean =>
  address >> BigInt(width - bits) === network >> BigInt(width - bits)

const prepared4 = ranges4.map(([net, bits, name]) => [number4(net), bits, name] as const)
const prepared6 = ranges6.map(([net, bits, name]) => [number6(net), bits, name] as const)
const preparedCarriers = carriers.map(([net, bits, at]) => [number6(net), bits, at] as const)

const classify4 = (address: bigint): AddressClass =>
  prepared4.find(([network, bits]) => isWithin(address, network, bits, 32))?.[2] ?? 'public'

/** The class of an address in its usual spelling, as resolvers and sockets give it. */
export function classifyAddress(address: string): AddressClass {
  if (isIPv4(address)) return classify4(number4(address))
  if (!isIPv6(address)) return 'forbidden'
  const number = number6(address)
  const own = prepared6.find(([network, bits]) => isWithin(number, network, bits, 128))
  if (own) return own[2]
  const carrier = preparedCarriers.find(([network, bits]) => isWithin(number, network, bits, 128))
  return carrier ? classify4((number >> carrier[2]) & 0xffffffffn) : 'public'
}

/** One number of an IPv4 address as `inet_aton` reads it: decimal, octal after `0`, hexadecimal after `0x`. */
function readNumber(text: string): number | undefined {
  const isHex = text.startsWith('0x')
  const digits = isHex ? text.slice(2) : text
  const base = isHex ? 16 : digits.length > 1 && digits.startsWith('0') ? 8 : 10
  if (digits === '') return isHex ? 0 : undefined
  let number = 0
  for (const character of digits) {
    const digit = '0123456789abcdef'.indexOf(character)
    if (digit < 0 || digit >= base) return undefined
    number = number * base + digit
    if (number > 0xffffffff) return undefined
  }
  return number
}

/**
 * The usual spelling of a host in lower case that is an IPv4 address in any spelling (`127.1`, `0x7f.1`,
 * `2130706433`, `0`: F13). Undefined for a name; null for what ends in a number and is no address (WHATWG URL §3.5).
 */
export function readIPv4(host: string): string | undefined | null {
  const parts = host.split('.')
  if (parts.length > 1 && parts.at(-1) === '') parts.pop()
  const last = parts.at(-1) ?? ''
  const first = last.charCodeAt(0)
  if (!(first >= 48 && first <= 57)) return undefined
  const numbers = parts.map(readNumber)
  const tail = numbers.at(-1)
  if (tail === undefined) return isAllDigits(last) || last.startsWith('0x') ? null : undefined
  if (numbers.length > 4 || tail >= 256 ** (5 - numbers.length)) return null
  let address = tail
  for (let index = 0; index < numbers.length - 1; index += 1) {
    const number = numbers[index]
    if (number === undefined || number > 255) return null
    address += number * 256 ** (3 - index)
  }
  return [24, 16, 8, 0].map((shift) => Math.floor(address / 2 ** shift) % 256).join('.')
}

function isAllDigits(text: string): boolean {
  for (const character of text) if (character < '0' || character > '9') return false
  return true
}
