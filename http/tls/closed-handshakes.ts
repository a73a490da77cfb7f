/**
 * Keeps Node from ending the process where a client closes its connection during the handshake: Node asks for the certificate of a
 * client in a turn after its hello, and throws where the socket was destroyed meanwhile, the client has named no host, and it wants to know
 * whether the certificate is revoked (`status_request`, RFC 6066 §8).
 */
import { TLSSocket } from 'node:tls'

/** What Node calls when a socket gets its session of TLS. */
interface Begun {
  _init?(...args: unknown[]): void
  readonly destroyed: boolean
  readonly ssl: { oncertcb?: (info: unknown) => void } | null
}

const begun = TLSSocket.prototype as unknown as Begun
const init = begun._init

// a later Node may have another form
if (init) {
  begun._init = function (...args) {
    init.apply(this, args)
    const session = this.ssl
    const ask = session?.oncertcb
    if (!session || !ask) return
    session.oncertcb = (info) => {
      if (!this.destroyed) ask.call(session, info)
    }
  }
}
