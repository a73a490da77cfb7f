/** Errors of a provider: the parts for clients, and the parts for the log. */
import type { ProviderAnswer } from '#component/oidc-error.ts'

/** A request to a provider, noted while it is sent; the last one of an exchange is the one that failed. */
export interface SentRequest {
  /** Without its query. */
  url?: string
  status?: number
}

/** RFC 6749 §4.1.2.1: characters of `error`; the length is ours. */
const code = /^[ !#-[\]-~]{1,64}$/

/** Controls, and what turns the direction of a line, would spoil a log that people read. */
const invisible = /[\p{C}\p{Zl}\p{Zp}]+/gu

/** Characters of a description in the log. */
const maxDescription = 256

/** The error code of a provider for clients; undefined for a malformed one. */
const providerCode = (text: unknown): string | undefined =>
  typeof text === 'string' && code.test(text) ? text : undefined

/** An error of a provider for the log: its code and its description, shortened and without invisible characters. */
export function answerOf(error: unknown, error_description: unknown): ProviderAnswer {
  const provider_code = providerCode(error)
  const text = typeof error_description === 'string' ? error_description : ''
  const description = text.slice(0, maxDescription).replaceAll(invisible, ' ')
  return {
    ...(provider_code !== undefined && { provider_code }),
    ...(description !== '' && { provider_description: description }),
  }
}

/**
 * The fields of the log line of a failed request.
 * @param failure the error of the library, whose causes may hold the provider's own error (RFC 6749 §5.2)
 */
export function failureOf(failure: unknown, { url, status }: SentRequest): ProviderAnswer {
  let said: ProviderAnswer = {}
  let depth = 0
  for (let at = failure; at instanceof Error && depth < 8; at = at.cause) {
    depth += 1
    if ('error' in at) said = answerOf(at.error, 'error_description' in at && at.error_description)
  }
  return { ...(url && { provider_url: url }), ...(status && { provider_status: status }), ...said }
}
