/** The listening sockets, which the primary keeps open while workers come and go; each connection goes to one worker, in turn. */
import { createServer, type Server, type Socket } from 'node:net'
import { connectionOptions, listen } from '#http/node-server.ts'
import {
  type Addresses,
  clientFaces,
  type Face,
  type HttpOptions,
  parseListen,
} from '#http/options.ts'
import { listenerKey } from './ipc-messages.ts'

/** A worker that serves connections. */
export interface Recipient {
  /** Resolves with true when the recipient has the connection, with false when another may have it. Never rejects. */
  take(listener: string, socket: Socket): Promise<boolean>
}

/** A connection that no worker has taken yet. */
interface WaitingConnection {
  readonly face: Face
  readonly listener: string
  readonly socket: Socket
}

const faces: readonly Face[] = ['health', 'admin', 'gateway', 'router']

/** Every listener of the gateway. */
export class ListeningSockets {
  /** Where it listens. */
  readonly addresses: Addresses = { admin: [], gateway: [], health: [], router: [] }
  readonly #servers: { readonly face: Face; readonly server: Server }[] = []
  readonly #recipients = new Set<Recipient>()
  /** Recipients that can take a connection now; each is offered at most one at a time. */
  readonly #free: Recipient[] = []
  readonly #waiting: WaitingConnection[] = []
  readonly #closed = new Set<Face>()

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
          // the recipient handles errors of the client
          socket.on('error', () => {})
          this.#waiting.push({ face, listener: listenerKey(face, index), socket })
          this.#handOver()
        })
        this.addresses[face].push(await listen(server, address))
        this.#servers.push({ face, server })
      }
    }
  }

  /** Adds a recipient. */
  admit(recipient: Recipient): void {
    if (this.#recipients.has(recipient)) return
    this.#recipients.add(recipient)
    this.#free.push(recipient)
    this.#handOver()
  }

  /** Removes a recipient. */
  dismiss(recipient: Recipient): void {
    this.#recipients.delete(recipient)
    const index = this.#free.indexOf(recipient)
    if (index >= 0) this.#free.splice(index, 1)
  }

  /** Accepts no more connections of clients; waiting ones are ended. */
  closeToClients(): void {
    this.#close(clientFaces)
  }

  /** Accepts no more connections; waiting ones are ended. */
  close(): void {
    this.#close(faces)
  }

  #close(closing: readonly Face[]): void {
    for (const face of closing) this.#closed.add(face)
    for (const { face, server } of this.#servers) if (this.#closed.has(face)) server.close()
    for (const connection of this.#waiting.splice(0)) {
      if (this.#closed.has(connection.face)) connection.socket.destroy()
      else this.#waiting.push(connection)
    }
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
    // closing it here leaves the worker's copy open
    if (isTaken || this.#closed.has(connection.face)) connection.socket.destroy()
    else {
      this.dismiss(recipient)
      this.#waiting.unshift(connection)
    }
    if (this.#recipients.has(recipient)) this.#free.push(recipient)
    this.#handOver()
  }
}
