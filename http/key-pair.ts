/** The certificate of a listener and its private key: read together, and refused unless they belong together. */
import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Server as NetServer } from 'node:net'
import { createSecureContext, Server as TlsServer } from 'node:tls'
import { messageOf } from '#component/errors.ts'

/** PEM files. */
export interface KeyFiles {
  /** Of the certificate chain. */
  readonly cert: string
  readonly key: string
}

/** What a listener proves its name with. */
export interface KeyPair {
  /** The certificate chain; PEM. */
  readonly cert: string
  /** The private key; PEM. */
  readonly key: string
  /** When the certificate ends (`notAfter`); milliseconds since the epoch. */
  readonly expiresAt: number
}

/** The options of node:tls for a pair. */
export const secureOptions = ({ cert, key }: Pick<KeyPair, 'cert' | 'key'>) =>
  ({ cert, key, minVersion: 'TLSv1.2' }) as const

/**
 * Reads the files of a pair.
 * @throws Error when one of them cannot be read, or they do not belong together
 */
export function readKeyPair(files: KeyFiles): KeyPair {
  const cert = readFileSync(files.cert, 'utf8')
  const key = readFileSync(files.key, 'utf8')
  try {
    createSecureContext(secureOptions({ cert, key }))
    return { cert, key, expiresAt: new X509Certificate(cert).validToDate.getTime() }
  } catch (cause) {
    const found = messageOf(cause)
    const reason = found.includes('key values mismatch')
      ? 'the private key does not belong to the certificate'
      : found
    throw new Error(`${files.cert}, ${files.key}: ${reason}`, { cause })
  }
}

/** Makes a server use the pair for connections from now on; does nothing to a server without TLS. */
export function useKeyPair(server: NetServer, pair: KeyPair): void {
  if (server instanceof TlsServer) server.setSecureContext(secureOptions(pair))
}
