/** The common part of OAuth2 endpoints that take a form: strict reading (RFC 6749 §3.2, appendix B), answers, and errors. */

import { OAuthError, ServiceError } from '#component/errors.ts'
import type { Endpoint } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { EndpointHandler } from '#component/gateway/parts.ts'
import { because, refusalIn } from '#component/login-refusal.ts'
import type { BodyLimits } from '#component/request.ts'
import { basic } from '#component/security/basic/kind.ts'
import { unauthorized } from '#component/security/scheme.ts'
import { essenceOf, isUtf8Type } from '#component/syntax/media-type.ts'
import type { TokenForm } from '#component/token/grant.ts'
import { parseStrictForm } from '#http/form.ts'

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
export async function readForm(exchange: Exchange): Promise<TokenForm> {
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

/** 200 with a JSON body. */
export const jsonReply = (value: unknown, headers: Reply['headers'] = {}): Reply => ({
  status: 200,
  headers,
  body: { kind: 'value', value, type: 'application/json' },
})

/** 200 with a body that may hold a token (RFC 6749 §5.1); generated paths set `Cache-Control: no-store` themselves. */
export const tokenReply = (value: unknown): Reply => jsonReply(value, { pragma: 'no-cache' })

/**
 * A refusal of client, owner or token, with what the log says of it; and with the challenge that RFC 6749 §5.2 requires with
 * invalid_client.
 */
function refusing(error: OAuthError, realm: string): OAuthError {
  const { error: code, message: reason } = error
  if (code !== 'invalid_client' && code !== 'invalid_grant') return error
  const isClient = code === 'invalid_client'
  const { headers } = isClient ? unauthorized({ kind: basic, realm_uri: realm }) : error
  const refusal = refusalIn(error) ?? { realm, authmethod: 'oauth2', reason }
  return new OAuthError(code, reason, { headers, ...because(refusal) })
}

/** Makes the handler of an endpoint that answers a form; each of its ServiceErrors becomes an OAuth error. */
export const formEndpoint =
  (
    answer: (
      form: TokenForm,
      exchange: Exchange,
      endpoint: Endpoint,
      bindings: Readonly<Record<string, string>>,
    ) => Promise<Reply>,
  ): EndpointHandler =>
  async (exchange, endpoint, bindings) => {
    try {
      return await answer(await readForm(exchange), exchange, endpoint, bindings)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      throw refusing(OAuthError.from(error), endpoint.realm_uri)
    }
  }
