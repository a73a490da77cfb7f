/** Strict reader of the form in a request to an OAuth2 endpoint (RFC 6749 §3.2, appendix B). */
import { OAuthError } from '#component/errors.ts'
import type { BodyLimits, Exchange } from '#component/gateway/exchange.ts'
import { essenceOf, isUtf8Type } from '#component/syntax/media-type.ts'
import { parseStrictForm } from '#http/form.ts'

/** The parameters that have a value; without prototype. */
export type OAuthForm = Readonly<Record<string, string>>

const formType = 'application/x-www-form-urlencoded'

/** 64 KiB hold every token. The time is in milliseconds. */
const limits: BodyLimits = {
  body_max_bytes: 65_536,
  body_read_bytes: 65_536,
  body_read_seconds: 15_000,
}

/** Whether the media type is `application/x-www-form-urlencoded` with UTF-8 as its charset. */
const isFormType = (type = ''): boolean => essenceOf(type) === formType && isUtf8Type(type)

/**
 * Reads the form. A parameter without a value counts as left out (RFC 6749 §3.2).
 * @throws OAuthError invalid_request for another media type, a repeated parameter, bad escapes, and for anything in
 *   the query: credentials in URLs end up in logs; ServiceError 400, 408, 413 for the body
 */
export async function readOAuthForm(exchange: Exchange): Promise<OAuthForm> {
  if (exchange.query_string !== '') {
    throw new OAuthError('invalid_request', 'parameters must be in the form, not in the URL')
  }
  if (!isFormType(exchange.header('content-type'))) {
    throw new OAuthError('invalid_request', `expected a body of type ${formType}`)
  }
  const fields = parseStrictForm(await exchange.readText(limits))
  const form: Record<string, string> = Object.create(null)
  for (const [name, value] of Object.entries(fields)) if (value !== '') form[name] = value
  return form
}
