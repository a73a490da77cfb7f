/** Channels over sockets, by the URL of the router: WebSocket or RawSocket. */
import { rawSocketAddress } from '#component/wamp/routers/router-url.ts'
import type { Channel } from './channel.ts'
import { RawSocketChannel } from './rawsocket-channel.ts'
import type { SocketOptions } from './serialized-channel.ts'
import { WebSocketChannel } from './websocket-channel.ts'

/** Opens connections to one router. */
export const socketChannel = (options: SocketOptions) => (): Channel => {
  const address = rawSocketAddress(options.url)
  return address ? new RawSocketChannel(options, address) : new WebSocketChannel(options)
}
