/** The connections of the listeners: those beyond the share of their network are closed when they are accepted. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { LimitUsage } from '#component/limits/limit-usage.ts'
import { NetworkShare } from '#component/limits/network-share.ts'
import { plainAddress } from '#component/syntax/ip-address.ts'
import { pipelineOf } from './pipeline.ts'

/** The limits on connections, of each listener. */
export interface ConnectionBounds {
  readonly max_connections: number
  /** Absent: half of {@link max_connections}. */
  readonly connections_per_address?: number
  /** 0: any number. */
  readonly max_requests_per_socket: number
}

const maxRequests = 'limits.max_requests_per_socket'
const timeouts = { headers: 'limits.headers_timeout', request: 'limits.request_timeout' }

/** What one listener holds. */
interface Held {
  open: number
  readonly share: NetworkShare
}

/** Of all listeners of a process. */
export class Connections {
  readonly #bounds: ConnectionBounds
  readonly #usage: LimitUsage
  readonly #held: Held[] = []
  readonly #perAddress: number

  constructor(bounds: ConnectionBounds, usage: LimitUsage) {
    const { max_connections } = bounds
    this.#bounds = bounds
    this.#usage = usage
    this.#perAddress = bounds.connections_per_address ?? Math.ceil(max_connections / 2)
    const most = (of: (held: Held) => number) => Math.max(0, ...this.#held.map(of))
    usage.declare('limits.max_connections', max_connections, () => most(({ open }) => open))
    usage.declare('limits.connections_per_address', this.#perAddress, () =>
      most(({ share }) => share.most),
    )
    usage.declare(maxRequests, bounds.max_requests_per_socket || undefined)
    for (const key of Object.values(timeouts)) usage.declare(key, undefined)
  }

  /** Connections that are open at all listeners. */
  get open(): number {
    return this.#held.reduce((sum, { open }) => sum + open, 0)
  }

  /**
   * Limits the connections of a server; the network of an IPv6 address is its /64.
   * @param isExempt addresses that stand for many clients: trusted proxies
   */
  limit(server: Server, isExempt: (address: string) => boolean): void {
    const held: Held = {
      open: 0,
      share: new NetworkShare(this.#perAddress, {
        onRefused: () => this.#usage.refuse('limits.connections_per_address'),
      }),
    }
    this.#held.push(held)
    server.maxRequestsPerSocket = this.#bounds.max_requests_per_socket
    server.maxConnections = this.#bounds.max_connections
    // surplus connections are closed, not handed to another process
    Object.assign(server, { dropMaxConnection: true })
    server.on('drop', () => this.#usage.refuse('limits.max_connections'))
    server.on('dropRequest', () => this.#usage.refuse(maxRequests))
    server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Socket) => {
      if (code !== 'ERR_HTTP_REQUEST_TIMEOUT') return
      const isInBody = pipelineOf(socket)?.isReceiving === true
      this.#usage.refuse(isInBody ? timeouts.request : timeouts.headers)
    })
    // Node makes a parser or a TLS session of a connection: of those that are refused it makes none
    const accepting = server.listeners('connection')
    server.removeAllListeners('connection')
    server.on('connection', (socket: Socket) => {
      if (!admit(socket, held, isExempt)) return
      for (const accept of accepting) accept.call(server, socket)
    })
  }
}

/** Whether the connection stays; it is closed otherwise. */
function admit(socket: Socket, held: Held, isExempt: (address: string) => boolean): boolean {
  const { remoteAddress } = socket
  // absent on Unix sockets, and after the client has disconnected
  const address = remoteAddress === undefined ? undefined : plainAddress(remoteAddress)
  const isShared = address !== undefined && !isExempt(address)
  if (isShared && !held.share.tryTake(address)) {
    socket.destroy()
    return false
  }
  held.open += 1
  socket.on('close', () => {
    held.open -= 1
    if (isShared) held.share.give(address)
  })
  return true
}
