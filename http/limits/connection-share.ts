/** The share of a server's connections that one network may hold; the rest stays for the others. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import { NetworkShare } from '#component/limits/network-share.ts'
import { plainAddress } from '#component/syntax/ip-address.ts'

/**
 * Closes connections beyond the share of their network when they are accepted.
 * @param most connections of one network; the network of an IPv6 address is its /64
 * @param isExempt addresses that stand for many clients: trusted proxies
 */
export function shareConnections(
  server: Server,
  most: number,
  isExempt: (address: string) => boolean,
): void {
  const share = new NetworkShare(most)
  server.on('connection', (socket: Socket) => {
    const { remoteAddress } = socket
    // absent on Unix sockets, and after the client has disconnected
    if (remoteAddress === undefined) return
    const address = plainAddress(remoteAddress)
    if (isExempt(address)) return
    if (share.tryTake(address)) socket.once('close', () => share.give(address))
    else socket.destroy()
  })
}
