/** What an upstream trusts and shows in TLS: its authority, its certificate and its key, read again for each connection. */
import { createSecureContext, type SecureContext } from 'node:tls'
import { ServiceError } from '#component/errors.ts'
import type { TlsSettings } from './settings.ts'

/** Opens a text, `{env: …}`, `{file: …}` or a sealed text; undefined where it is not there. Rejects where a file cannot be read. */
export type OpenValue = (value: unknown) => Promise<string | undefined>

const parts = ['ca', 'cert', 'private_key'] as const

const failed = (key: string, cause?: unknown): ServiceError =>
  new ServiceError('service.error.bad_gateway', `${key} of the upstream cannot be read`, {
    cause,
  })

/**
 * @param holder the key that the settings have
 * @returns what makes the context of a connection; the one before where the texts are the same
 */
export function secureContextOf(
  tls: TlsSettings,
  open: OpenValue,
  holder = 'tls',
): () => Promise<SecureContext> {
  let known: { readonly texts: string; readonly context: SecureContext } | undefined
  return async () => {
    const read = parts.map(async (key) => {
      if (tls[key] === undefined) return undefined
      try {
        const text = await open(tls[key])
        if (text === undefined) throw failed(`${holder}.${key}`)
        return text
      } catch (error) {
        throw error instanceof ServiceError ? error : failed(`${holder}.${key}`, error)
      }
    })
    const [ca, cert, key] = await Promise.all(read)
    const texts = JSON.stringify([ca, cert, key])
    if (known?.texts === texts) return known.context
    try {
      const context = createSecureContext({
        ...(ca !== undefined && { ca }),
        ...(cert !== undefined && { cert }),
        ...(key !== undefined && { key }),
      })
      known = { texts, context }
      return context
    } catch (cause) {
      const message = `${holder} of the upstream: ca, cert or private_key is no PEM, or they do not match`
      throw new ServiceError('service.error.bad_gateway', message, { cause })
    }
  }
}
