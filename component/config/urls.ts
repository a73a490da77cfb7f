/** Addresses as people type them. */

/** An address a listener is bound to. */
interface Address {
  readonly host: string
  readonly port: number
}

/** `host:port`, IPv6 in brackets; a listener on every address is reached by the loopback one. */
function authority({ host, port }: Address): string {
  if (host === '0.0.0.0' || host === '::') return `127.0.0.1:${port}`
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`
}

/** Base URLs of a listener, without a slash at the end. */
export const addressUrls = (addresses: readonly Address[], isSecure: boolean): readonly string[] =>
  addresses.map((address) => `${isSecure ? 'https' : 'http'}://${authority(address)}`)

/** The URL of a router at a path of an address. */
export const routerUrlAt = (address: Address, path: string, isSecure: boolean): string =>
  `${isSecure ? 'wss' : 'ws'}://${authority(address)}${path}`
