/** Addresses of listeners as URLs. */
import { peerName } from '#component/syntax/ip-address.ts'

/** An address a listener is bound to. */
interface Address {
  readonly host: string
  readonly port: number
}

/** `host:port`; a listener on every address is reached by the loopback one. */
const authority = ({ host, port }: Address): string =>
  peerName(host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host, port)

/** Base URLs of a listener, without a slash at the end. */
export const addressUrls = (addresses: readonly Address[], isSecure: boolean): readonly string[] =>
  addresses.map((address) => `${isSecure ? 'https' : 'http'}://${authority(address)}`)

/** The URL of a router at a path of an address. */
export const routerUrlAt = (address: Address, path: string, isSecure: boolean): string =>
  `${isSecure ? 'wss' : 'ws'}://${authority(address)}${path}`
