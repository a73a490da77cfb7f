/** What a gateway serves TLS with, as plain data: processes send it to each other. */

import type { TlsFiles } from '#component/config/tls-files.ts'
import { type ClientAuthority, readClientAuthority } from './client-authority.ts'
import { type KeyPair, readKeyPair } from './key-pair.ts'

/** Certificates, and the authorities of client certificates. */
export interface TlsSetup {
  /** The first is the default; empty: the listener speaks plain HTTP. */
  readonly pairs: readonly KeyPair[]
  /** Absent: no client is asked for a certificate. */
  readonly clients?: ClientAuthority
  /** The configured files whose content was refused when it was last read: what was in them before holds on. */
  readonly refused: readonly string[]
}

/** @throws Error when one of the files cannot be used; the message names it */
export const readTls = ({ certificates, clients }: TlsFiles): TlsSetup => ({
  pairs: certificates.map(readKeyPair),
  ...(clients && { clients: readClientAuthority(clients) }),
  refused: [],
})
