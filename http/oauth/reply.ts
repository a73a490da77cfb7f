/** Answers of the OAuth2 endpoints: JSON, and errors with the codes of RFC 6749. */
import { OAuthError, ServiceError } from '#component/errors.ts'
import type { Reply } from '#component/gateway/exchange.ts'
import type { EndpointHandler } from '#component/gateway/handle.ts'
import { unauthorized } from '#component/security/scheme.ts'

/** 200 with a JSON body. */
export const jsonReply = (value: unknown, headers: Reply['headers'] = {}): Reply => ({
  status: 200,
  headers,
  body: { kind: 'value', value, type: 'application/json' },
})

/** 200 with a body that may hold a token (RFC 6749 §5.1); generated paths set `Cache-Control: no-store` themselves. */
export const tokenReply = (value: unknown): Reply => jsonReply(value, { pragma: 'no-cache' })

/** Adds the challenge that RFC 6749 §5.2 requires with invalid_client. */
function challenging(error: OAuthError, realm_uri: string): OAuthError {
  if (error.error !== 'invalid_client') return error
  const { headers } = unauthorized({ type: 'basic', realm_uri })
  return new OAuthError(error.error, error.message, { headers, cause: error })
}

/** Turns each ServiceError of an endpoint into an OAuth error. */
export const withOAuthErrors =
  (handle: EndpointHandler): EndpointHandler =>
  async (exchange, endpoint, bindings) => {
    try {
      return await handle(exchange, endpoint, bindings)
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      throw challenging(OAuthError.from(error), endpoint.realm_uri)
    }
  }
