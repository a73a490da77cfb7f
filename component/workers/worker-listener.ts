/** The listeners of a worker: servers that do not listen themselves but are given connections by the primary. */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Address, Addresses, Face } from '#http/options.ts'
import { listenerKey } from './ipc-messages.ts'

/** The dependencies of the listener. */
export interface WorkerListenerPorts {
  /** Where the primary listens. */
  readonly addresses: Addresses
  /** Every listener is open. */
  onOpen(): void
  /** A listener takes no more connections. */
  onClose(): void
}

/** Every listener of the worker. */
export class WorkerListener {
  readonly #ports: WorkerListenerPorts
  readonly #servers = new Map<string, Server>()
  readonly #connections = new Map<Server, number>()

  constructor(ports: WorkerListenerPorts) {
    this.#ports = ports
  }

  /** In the place of listening: the server gets the connections of the primary's next listener of this face. */
  readonly listen = async (server: Server, _address: Address, face: Face): Promise<Address> => {
    const { addresses, onOpen, onClose } = this.#ports
    let index = 0
    while (this.#servers.has(listenerKey(face, index))) index++
    const address = addresses[face][index]
    if (address === undefined) throw new Error(`the primary has no listener ${face}.${index}`)
    const key = listenerKey(face, index)
    this.#servers.set(key, server)
    server.once('close', () => {
      this.#servers.delete(key)
      onClose()
    })
    // node:http sets the timeouts of connections up when a server begins to listen
    server.emit('listening')
    const count = Object.values(addresses).reduce((sum, list) => sum + list.length, 0)
    if (this.#servers.size === count) onOpen()
    return address
  }

  /** Takes a connection; false when the listener is closed. */
  take(listener: string, socket: Socket): boolean {
    const server = this.#servers.get(listener)
    if (server === undefined) {
      // closes this copy only: nothing has been read, and the primary gives the connection to another worker
      socket.destroy()
      return false
    }
    const open = this.#connections.get(server) ?? 0
    if (open >= server.maxConnections) {
      server.emit('drop')
      socket.destroy()
      return true
    }
    this.#connections.set(server, open + 1)
    socket.once('close', () => {
      this.#connections.set(server, (this.#connections.get(server) ?? 1) - 1)
    })
    // as node:http accepts them
    socket.allowHalfOpen = true
    server.emit('connection', socket)
    return true
  }
}
