/** Where a browser that has opened the console reaches the gateway listener. */
import type { Address, HttpOptions } from '#http/options.ts'

/** Names and addresses; the grammar of hosts allows characters that mean something in a policy. */
const plainHost = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])$/

/**
 * The public address, or the port of the listener at the host by which the browser knows this machine.
 * @param listening the addresses of the listener, once it is open
 * @returns undefined for a host that the browser cannot have meant
 */
export const gatewayOriginOf =
  (
    { public_base_url, tls }: Pick<HttpOptions['gateway'], 'public_base_url' | 'tls'>,
    listening: readonly Address[],
  ): ((host: string) => string | undefined) =>
  (host) => {
    if (public_base_url !== undefined) return new URL(public_base_url).origin
    const [first] = listening
    if (!first || !plainHost.test(host)) return undefined
    return `${tls === undefined ? 'http' : 'https'}://${host}:${first.port}`
  }
