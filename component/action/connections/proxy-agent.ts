/** Requests of node:http that leave by a proxy, for libraries that make their own. */
import { Agent, type ClientRequest } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Clock } from '#component/clock.ts'
import type { Origin } from '#component/syntax/upstream-origin.ts'
import { connectorOf, type Lookup } from './connector.ts'
import type { EgressProxy } from './egress.ts'

/** Milliseconds for a connection, proxy and TLS included. */
const connectMs = 10_000

/** What Agent calls for each request, which its types leave out. */
interface Adding {
  addRequest(request: ClientRequest, ...rest: unknown[]): void
}

/** The requests to one origin. */
class ProxyAgent extends Agent {
  readonly #connect: ReturnType<typeof connectorOf>
  readonly #proxy: EgressProxy
  readonly #origin: Origin

  constructor(origin: Origin, proxy: EgressProxy, ports: ProxyAgentPorts) {
    super({ keepAlive: true })
    // as https.Agent says it
    Object.assign(this, { protocol: origin.protocol })
    this.#connect = connectorOf(
      { ...ports, ca: undefined, unixSockets: [] },
      undefined,
      connectMs,
      undefined,
      proxy,
    )
    this.#proxy = proxy
    this.#origin = origin
  }

  override createConnection(
    _options: unknown,
    callback?: (error: Error | null, stream: Duplex) => void,
  ): undefined {
    const { hostname, protocol, port } = this.#origin
    this.#connect({ hostname, protocol, port: String(port) }, (error, socket) =>
      callback?.(error, socket as Duplex),
    )
  }

  /** A proxy is asked for http by the whole URL (RFC 9112 §3.2.2). */
  addRequest(request: ClientRequest, ...rest: unknown[]): void {
    if (this.#origin.protocol === 'http:') {
      request.path = `${this.#origin.text}${request.path}`
      const authorization = this.#proxy.authorization?.()
      if (typeof authorization === 'string') request.setHeader('proxy-authorization', authorization)
    }
    const { addRequest } = Agent.prototype as unknown as Adding
    addRequest.call(this, request, ...rest)
  }
}

/** What the connections of an agent depend on. */
interface ProxyAgentPorts {
  readonly clock: Pick<Clock, 'after'>
  readonly lookup: Lookup
}

/** An agent for the requests to an origin. @param proxy of the configuration: its password is known */
export const proxyAgent = (origin: Origin, proxy: EgressProxy, ports: ProxyAgentPorts): Agent =>
  new ProxyAgent(origin, proxy, ports)
