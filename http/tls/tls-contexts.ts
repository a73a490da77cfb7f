/** The TLS contexts of the gateway listener: the certificate is chosen by the host that the client names (SNI, RFC 6066 §3). */

import { createServer, type Server, type ServerOptions } from 'node:https'
import {
  createSecureContext,
  type SecureContext,
  type SecureContextOptions,
  type TLSSocket,
} from 'node:tls'
import { isDeepStrictEqual } from 'node:util'
import type { Clock } from '#component/clock.ts'
import { ClientCertificates } from './client-certificates.ts'
import { Handshakes } from './handshakes.ts'
import type { KeyPair } from './key-pair.ts'
import type { TlsSetup } from './tls-setup.ts'

/** The same in all contexts: OpenSSL resumes no session with a client certificate without one, or under another one. */
const sessionIdContext = 'wamp-gateway'

/** The contexts of the servers of the gateway listener, replaced together. */
export class TlsContexts {
  /** The certificates of clients; undefined: none is asked for. */
  readonly clients: ClientCertificates | undefined
  #setup: TlsSetup | undefined
  #byHost: ReadonlyMap<string, SecureContext>
  readonly #servers = new Set<Server>()
  readonly #handshakes: Handshakes

  /** @param setup undefined: without `gateway.tls` */
  constructor(setup: TlsSetup | undefined, clock: Pick<Clock, 'now' | 'after'>) {
    this.#setup = setup
    this.clients = setup?.clients && new ClientCertificates(this, clock)
    this.#byHost = contextsOf(setup)
    this.#handshakes = new Handshakes(clock)
  }

  /** What is served now. */
  get setup(): TlsSetup | undefined {
    return this.#setup
  }

  /** Whether there is a certificate to serve TLS with. */
  get isSecure(): boolean {
    return this.#first !== undefined
  }

  /**
   * A server whose connections begin with a handshake; it does not listen yet. The client has `headersTimeout` of the options to begin it, and as long
   * again to end it.
   * @param isExempt addresses that stand for many clients: trusted proxies
   * @param accept takes the connections for which `h2` was negotiated; absent: it is not offered
   */
  createServer(
    options: ServerOptions & { readonly headersTimeout: number },
    isExempt: (address: string) => boolean,
    accept?: (socket: TLSSocket) => void,
  ): Server {
    const server = createServer({
      ...options,
      ...this.#defaultOptions,
      ...(accept && { ALPNProtocols: ['h2', 'http/1.1'] }),
      // asked for, never required: other routes are served without one
      requestCert: this.clients !== undefined,
      rejectUnauthorized: false,
      handshakeTimeout: options.headersTimeout,
      SNICallback: (host, choose) => choose(null, this.contextFor(host)),
    })
    this.#servers.add(server)
    this.#divert(server, accept)
    this.clients?.watch(server)
    this.#handshakes.pace(server, options.headersTimeout, isExempt)
    server.once('close', () => this.#servers.delete(server))
    return server
  }

  /** Serves new connections with another setup; those that are open go on as they are. */
  use(setup: TlsSetup): void {
    const before = this.#setup
    this.#setup = setup
    const isSame = isDeepStrictEqual([before?.pairs, before?.clients], [setup.pairs, setup.clients])
    if (isSame || !this.isSecure) return
    this.#byHost = contextsOf(setup)
    for (const server of this.#servers) server.setSecureContext(this.#defaultOptions)
  }

  /** The context of a host: its own name goes before a wildcard, and the first pair before others; undefined: the default. */
  contextFor(host: string): SecureContext | undefined {
    const name = host.toLowerCase()
    const dot = name.indexOf('.')
    return this.#byHost.get(name) ?? (dot < 0 ? undefined : this.#byHost.get(`*${name.slice(dot)}`))
  }

  /** Whether both hosts are served with one certificate; `''` stands for a client that names none. */
  hasSameCertificate(one: string, other: string): boolean {
    const first = this.#first?.hosts[0] ?? ''
    const of = (host: string) => this.contextFor(host) ?? this.contextFor(first)
    return of(one) === of(other)
  }

  /** Closes the connections whose handshake has not ended. */
  close(): void {
    this.#handshakes.close()
  }

  /** Gives connections of HTTP/2 to `accept` in the place of node:http. */
  #divert(server: Server, accept?: (socket: TLSSocket) => void): void {
    const listeners = server.listeners('secureConnection')
    server.removeAllListeners('secureConnection')
    server.on('secureConnection', (socket: TLSSocket) => {
      if (accept && isHttp2(socket)) {
        // a session of HTTP/2 takes as long as the handshake
        this.#handshakes.end(socket, () => socket.destroyed || accept(socket))
        return
      }
      this.#handshakes.end(socket)
      for (const listener of listeners) listener.call(server, socket)
    })
  }

  get #first(): KeyPair | undefined {
    return this.#setup?.pairs[0]
  }

  /** Of the context that serves clients that name no host, or one for which there is no certificate. */
  get #defaultOptions(): SecureContextOptions & { sessionIdContext: string } {
    if (this.#first === undefined) throw new TypeError('there is no certificate')
    return contextOptions(this.#first, this.#setup)
  }
}

/** Whether TLS has negotiated HTTP/2. */
export const isHttp2 = (socket: object): boolean =>
  'alpnProtocol' in socket && socket.alpnProtocol === 'h2'

const contextOptions = ({ cert, key }: KeyPair, setup: TlsSetup | undefined) => ({
  ...({ cert, key, minVersion: 'TLSv1.2', sessionIdContext } as const),
  // not the revocation lists: an error of OpenSSL about one would break the connection, also for open paths
  ...(setup?.clients && { ca: [...setup.clients.ca] }),
})

function contextsOf(setup: TlsSetup | undefined): ReadonlyMap<string, SecureContext> {
  const byHost = new Map<string, SecureContext>()
  for (const pair of setup?.pairs ?? []) {
    const context = createSecureContext(contextOptions(pair, setup))
    for (const host of pair.hosts) if (!byHost.has(host)) byHost.set(host, context)
  }
  return byHost
}
