/** The certificate of a client, as its listener tells it to the scheme `mtls`. */

/** A certificate whose key the client has, and that an authority of `gateway.tls.client_ca` has issued. */
export interface ClientCertificate {
  /** SHA-256 of the certificate; lower-case hex without colons. */
  readonly fingerprint: string
  /** The common names of its subject. */
  readonly commonNames: readonly string[]
  /** Its subject alternative names of these kinds. */
  readonly dns: readonly string[]
  readonly uri: readonly string[]
  /** When it ends; milliseconds since the epoch. */
  readonly expiresAt: number
}

/** The certificate that a request proves, or why the one that it shows proves nothing, for the log. */
export type ClientProof =
  | { readonly certificate: ClientCertificate; readonly refused?: undefined }
  | { readonly refused: string }
