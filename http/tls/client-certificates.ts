/** The certificates of clients, from their own connection or from the proxy that has ended it, as far as they are proved and trusted. */
import type { X509Certificate } from 'node:crypto'
import type { Server, Socket } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { LRUCache } from 'lru-cache'
import type { Clock } from '#component/clock.ts'
import type { ClientCertificate, ClientProof } from '#component/security/client-proof.ts'
import { readAltNames } from '#component/syntax/alt-names.ts'
import { judgePath } from './certificate-path.ts'
import type { ClientAuthority } from './client-authority.ts'
import { readClientCert, type ToldCertificates } from './client-cert-fields.ts'
import { endsOf } from './handshakes.ts'
import type { TlsContexts } from './tls-contexts.ts'

/** A request, as far as it tells who its client is. */
export interface CertifiedRequest {
  readonly transport: { readonly connection: Socket }
  readonly headers: Readonly<Record<string, string>>
  /** Whether a trusted proxy has sent it. */
  readonly isFromProxy: boolean
}

/** At most so many certificates are remembered as trusted, and so many of authorities between them and those of `client_ca`. */
const [mostKnown, mostBetween] = [1_000, 100]

/** Milliseconds after which a certificate is judged again: a revocation list may have ended meanwhile. */
const interval = 60_000

/** A certificate that is trusted until some time; milliseconds since the epoch. */
interface Trusted {
  readonly certificate: ClientCertificate
  readonly until: number
}

/** A connection whose client has shown a certificate. */
interface Shown {
  readonly leaf: X509Certificate
  readonly certificate: ClientCertificate
  /** Why OpenSSL has refused it; undefined: it has not. */
  readonly refused: string | undefined
  /** By which authorities OpenSSL has judged it. */
  readonly judgedBy: ClientAuthority | undefined
}

/** Finds the certificates of requests. */
export class ClientCertificates {
  readonly #contexts: Pick<TlsContexts, 'setup'>
  readonly #clock: Pick<Clock, 'now'>
  readonly #shown = new WeakMap<Socket, Shown>()
  /** Authorities that clients have shown: a resumed session has forgotten them. */
  readonly #between = new LRUCache<string, X509Certificate>({ max: mostBetween })
  /** By what was judged, for one set of authorities. */
  readonly #known = new LRUCache<string, Trusted>({ max: mostKnown })
  #knownFor: ClientAuthority | undefined

  constructor(contexts: Pick<TlsContexts, 'setup'>, clock: Pick<Clock, 'now'>) {
    this.#contexts = contexts
    this.#clock = clock
  }

  /** Notes what clients show to a server of this gateway; connections of other servers have no certificate. */
  watch(server: Server): void {
    // a handshake is judged by the authorities that held when it began
    const begun = new Map<string, ClientAuthority | undefined>()
    server.on('connection', (socket: Socket) => {
      const key = endsOf(socket)
      begun.set(key, this.#contexts.setup?.clients)
      socket.once('close', () => begun.delete(key))
    })
    server.on('secureConnection', (socket: TLSSocket) => this.#note(socket, begun))
  }

  #note(socket: TLSSocket, begun: ReadonlyMap<string, ClientAuthority | undefined>): void {
    // a session of TLS 1.3 that is resumed without a certificate counts as authorized
    const leaf = socket.getPeerX509Certificate()
    if (leaf === undefined) return
    const certificate = factsOf(leaf, leaf.validToDate.getTime())
    const refused = socket.authorized ? undefined : String(socket.authorizationError)
    const judgedBy = begun.get(endsOf(socket))
    this.#shown.set(socket, { leaf, certificate, refused, judgedBy })
    if (refused !== undefined || socket.isSessionReused()) return
    for (let at = leaf.issuerCertificate; at; at = at.issuerCertificate) this.#keep(at)
  }

  #keep(issuer: X509Certificate): void {
    this.#between.set(issuer.fingerprint256, issuer)
  }

  /** The proof of a request; undefined: it has no certificate. */
  of(of: CertifiedRequest): ClientProof | undefined | Promise<ClientProof> {
    const authority = this.#contexts.setup?.clients
    if (authority === undefined) return undefined
    // the certificate of the connection is that of the proxy, which is no client
    if (of.isFromProxy) return this.#ofProxy(of.headers, authority)
    const shown = this.#shown.get(of.transport.connection)
    return shown && this.#ofConnection(shown, authority)
  }

  #ofProxy(
    { 'client-cert': cert, 'client-cert-chain': chain }: CertifiedRequest['headers'],
    authority: ClientAuthority,
  ): ClientProof | undefined | Promise<ClientProof> {
    if (cert === undefined) return undefined
    const key = `${cert}\n${chain ?? ''}`
    const known = this.#remembered(key, authority)
    if (known) return known
    const told = readClientCert(cert, chain)
    if (told) return this.#judge(key, told, authority)
    return { refused: 'Client-Cert or Client-Cert-Chain is malformed' }
  }

  #ofConnection(
    { leaf, certificate, refused, judgedBy }: Shown,
    authority: ClientAuthority,
  ): ClientProof | Promise<ClientProof> {
    if (refused !== undefined) return { refused: `the certificate was refused: ${refused}` }
    if (certificate.expiresAt <= this.#clock.now()) return { refused: 'a certificate has expired' }
    if (judgedBy === authority && authority.crl.length === 0) return { certificate }
    const key = certificate.fingerprint
    return this.#remembered(key, authority) ?? this.#judge(key, { leaf, others: [] }, authority)
  }

  #remembered(key: string, authority: ClientAuthority): ClientProof | undefined {
    if (this.#knownFor !== authority) {
      this.#known.clear()
      this.#knownFor = authority
    }
    const known = this.#known.get(key)
    return known && known.until > this.#clock.now() ? { certificate: known.certificate } : undefined
  }

  async #judge(
    key: string,
    { leaf, others }: ToldCertificates,
    authority: ClientAuthority,
  ): Promise<ClientProof> {
    const now = this.#clock.now()
    const all = [...others, ...this.#between.values()]
    const found = await judgePath(leaf, all, authority, now)
    if (typeof found === 'string') return { refused: found }
    for (const issuer of found.path.slice(1, -1)) this.#keep(issuer)
    const certificate = factsOf(leaf, found.expiresAt)
    if (this.#knownFor === authority) {
      this.#known.set(key, { certificate, until: Math.min(found.expiresAt, now + interval) })
    }
    return { certificate }
  }
}

function factsOf(leaf: X509Certificate, expiresAt: number): ClientCertificate {
  const { dns = [], uri = [] } = readAltNames(leaf.subjectAltName) ?? {}
  const { CN = [] } = leaf.toLegacyObject().subject as { readonly CN?: string | string[] }
  const fingerprint = leaf.fingerprint256.replaceAll(':', '').toLowerCase()
  return { fingerprint, commonNames: [CN].flat(), dns, uri, expiresAt }
}
