/** The listening sockets, held by the primary whatever becomes of the workers; each connection is given to one of them, in turn. */
import { createServer, type Server, type Socket } from 'node:net'
import { connectionOptions, listen } from '#http/node-server.ts'
import { type HttpOptions, parseListen } from '#http/options.ts'
import type { Addresses, Face } from '#http/server.ts'
import { listenerKey } from './ipc-messages.ts'

/** Who serves connections. */
export interface Recipient {
  /** Resolves when the connection is the recipient's; with false when it is not, and may be given to another. Never rejects. */
  take(listener: string, socket: Socket): Promise<boolean>
}

/** A connection that nobody has taken yet. */
interface WaitingConnection {
  readonly listener: string
  readonly socket: Socket
}

const faces: readonly Face[] = ['admin', 'gateway', 'router']

/** Every listener of the gateway. */
export class ListeningSockets {
  /** Where it listens. */
  readonly addresses: Addresses = { admin: [], gateway: [], router: [] }
  readonly #servers: Server[] = []
  readonly #recipients = new Set<Recipient>()
  /** Those who can be given a connection now; each has at most one that it has not taken yet. */
  readonly #free: Recipient[] = []
  readonly #waiting: WaitingConnection[] = []
  #isClosed = false

  /**
   * Opens all listeners; rejects when one of the addresses is taken.
   * @param most connections of one listener that wait to be taken; more are closed
   */
  async open(options: Pick<HttpOptions, Face>, most: number): Promise<void> {
    for (const face of faces) {
      for (const [index, address] of parseListen(options[face].listen ?? []).entries()) {
        const server = createServer({ ...connectionOptions, pauseOnConnect: true })
        server.maxConnections = most
        server.on('connection', (socket) => {
          // what a client does to it meanwhile is for its recipient to see
          socket.on('error', () => {})
          this.#waiting.push({ listener: listenerKey(face, index), socket })
          this.#handOver()
        })
        this.addresses[face].push(await listen(server, address))
        this.#servers.push(server)
      }
    }
  }

  /** Gives it connections from now on. */
  admit(recipient: Recipient): void {
    if (this.#recipients.has(recipient)) return
    this.#recipients.add(recipient)
    this.#free.push(recipient)
    this.#handOver()
  }

  /** Gives it none any more. */
  dismiss(recipient: Recipient): void {
    this.#recipients.delete(recipient)
    const index = this.#free.indexOf(recipient)
    if (index >= 0) this.#free.splice(index, 1)
  }

  /** Accepts no more connections; those that nobody has taken are ended. */
  close(): void {
    this.#isClosed = true
    for (const server of this.#servers) server.close()
    for (const { socket } of this.#waiting.splice(0)) socket.destroy()
  }

  #handOver(): void {
    while (this.#free.length > 0) {
      const connection = this.#waiting.shift()
      if (connection === undefined) return
      const recipient = this.#free.shift()
      if (recipient) void this.#offer(recipient, connection)
    }
  }

  async #offer(recipient: Recipient, connection: WaitingConnection): Promise<void> {
    const isTaken = await recipient.take(connection.listener, connection.socket)
    // what is closed here lives on where it was taken
    if (isTaken || this.#isClosed) connection.socket.destroy()
    else {
      this.dismiss(recipient)
      this.#waiting.unshift(connection)
    }
    if (this.#recipients.has(recipient)) this.#free.push(recipient)
    this.#handOver()
  }
}
