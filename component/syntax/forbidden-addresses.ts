/** The addresses that a forward may not reach (reliability F13, SSRF): link-local addresses, metadata services, and addresses that are not public. */
import { type Groups, isWithin, rangesOf, readAddress } from './ip-address.ts'

/** The rule for forwards to an address: forbidden; private, reached only where it is fixed or listed; public, reached. */
export type AddressClass = 'forbidden' | 'private' | 'public'

const forbidden = rangesOf([
  '169.254.0.0/16', // link-local, and the metadata service of most clouds
  '100.100.100.200', // metadata service of Alibaba Cloud
  '168.63.129.16', // platform service of Azure
  '192.0.0.192', // metadata service of Oracle Cloud
  'fe80::/10', // link-local
  'fd00:ec2::254', // metadata service of AWS
  'fd20:ce::254', // metadata service of Google Cloud
])

/** The addresses that are not globally reachable by the IANA special-purpose registries. */
const notPublic = rangesOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3', // multicast, reserved, broadcast
  '::/127', // unspecified, loopback
  '64:ff9b:1::/48', // local-use NAT64
  '100::/64',
  '2001::/23', // protocol assignments, Teredo
  '2001:db8::/32',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fec0::/10',
  'ff00::/8',
])

/** Ranges of IPv6 whose addresses carry an IPv4 address, and the group where it begins. */
const carriers = (
  [
    ['::ffff:0:0:0/96', 6], // IPv4-translated
    ['64:ff9b::/96', 6], // NAT64
    ['2002::/16', 1], // 6to4
    ['::/96', 6], // IPv4-compatible
  ] as const
).flatMap(([text, at]) => rangesOf([text]).map((range) => ({ range, at })))

function classify(groups: Groups): AddressClass {
  if (forbidden.some((range) => isWithin(groups, range))) return 'forbidden'
  if (notPublic.some((range) => isWithin(groups, range))) return 'private'
  const carrier = carriers.find(({ range }) => isWithin(groups, range))
  return carrier ? classify(groups.slice(carrier.at, carrier.at + 2)) : 'public'
}

/** The class of an address; what cannot be read is forbidden. */
export function classifyAddress(address: string): AddressClass {
  const groups = readAddress(address)
  return groups ? classify(groups) : 'forbidden'
}
