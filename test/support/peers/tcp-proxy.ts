/** A TCP proxy whose link a test can cut, hold and heal: what a network does to a connection. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** A link to one target. */
export class TcpProxy {
  #target: number
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #state: 'open' | 'cut' | 'held' = 'open'

  private constructor(target: number) {
    this.#target = target
    this.#server = createServer((client) => this.#link(client))
  }

  /** Listens on a free port and passes on to the target port, both on 127.0.0.1. */
  static async open(target: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(target)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** Ends every connection in the middle of whatever it carries; new ones, too. */
  cut(): void {
    this.#state = 'cut'
    this.#end()
  }

  /** Leads new connections to another port; those that are there stay. */
  redirect(target: number): void {
    this.#target = target
  }

  /** Passes nothing on any more, and says nothing: the ends believe that they are connected. */
  hold(): void {
    this.#state = 'held'
    for (const socket of this.#sockets) socket.pause()
  }

  /** Passes on again. What was held is lost: no network keeps bytes that long. */
  heal(): void {
    if (this.#state === 'held') this.#end()
    this.#state = 'open'
  }

  async close(): Promise<void> {
    this.#end()
    this.#server.close()
    await once(this.#server, 'close')
  }

  // not resetAndDestroy: on a paused socket whose other end has died, Node never closes the handle, and spins at its exit
  #end(): void {
    for (const socket of this.#sockets) socket.destroy()
  }

  #link(client: Socket): void {
    this.#keep(client)
    if (this.#state === 'cut') {
      client.destroy()
      return
    }
    const target = connect(this.#target, '127.0.0.1')
    this.#keep(target)
    const end = () => {
      client.destroy()
      target.destroy()
    }
    client.once('close', end)
    target.once('close', end)
    for (const [from, to] of [
      [client, target],
      [target, client],
    ] as const) {
      from.on('data', (chunk) => to.write(chunk))
    }
    if (this.#state === 'held') {
      client.pause()
      target.pause()
    }
  }

  #keep(socket: Socket): void {
    socket.setNoDelay(true)
    socket.on('error', () => undefined) // the close that follows is what counts
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
  }
}
