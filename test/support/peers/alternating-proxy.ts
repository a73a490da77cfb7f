/** One address in front of several: an HTTP proxy that sends each request to the next of them, as a load balancer without stickiness does. */
import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** One that listens. */
export class AlternatingProxy {
  /** How many requests each of them got, in their order. */
  readonly counts: number[]
  readonly #targets: readonly string[]
  readonly #server: Server
  #next = 0

  private constructor(targets: readonly string[]) {
    this.#targets = targets
    this.counts = targets.map(() => 0)
    this.#server = createServer((incoming, response) => {
      const at = this.#next++ % this.#targets.length
      this.counts[at] = (this.counts[at] ?? 0) + 1
      const outgoing = request(`${this.#targets[at]}${incoming.url}`, {
        method: incoming.method,
        headers: incoming.headers,
        agent: false,
      })
      incoming.pipe(outgoing)
      outgoing.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(response)
      })
      outgoing.on('error', () => response.destroy())
      response.on('close', () => outgoing.destroy())
    })
  }

  /** @param targets base addresses */
  static async open(targets: readonly string[]): Promise<AlternatingProxy> {
    const proxy = new AlternatingProxy(targets)
    await once(proxy.#server.listen(0, '127.0.0.1'), 'listening')
    return proxy
  }

  /** The address of all. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
