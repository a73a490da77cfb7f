/** A foreign TLS client, `openssl s_client`, which says what a listener serves. */
import { execFile } from 'node:child_process'
import { X509Certificate } from 'node:crypto'

/**
 * The certificate that a listener serves on a new connection.
 * @param url of the listener
 * @param servername the host that the client names (SNI); absent: none
 * @throws Error when the handshake fails
 */
export function servedCertificate(url: string, servername?: string): Promise<X509Certificate> {
  const { host } = new URL(url)
  const name = servername === undefined ? ['-noservername'] : ['-servername', servername]
  return new Promise((resolve, reject) => {
    const words = ['s_client', '-connect', host, ...name]
    const child = execFile('openssl', words, (error, output) => {
      const [block] = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/s.exec(output) ?? []
      if (block === undefined) reject(error ?? new Error(output))
      else resolve(new X509Certificate(block))
    })
    child.stdin?.end()
  })
}
