/** Verification for a reverse proxy that asks before it lets a request pass (nginx `auth_request`): headers, no body. */
import type { EndpointHandler } from '#component/gateway/handle.ts'
import { type SecurityScheme, unauthorized } from '#component/security/scheme.ts'
import { credentialsOf } from '#component/syntax/http-field.ts'
import type { AccessTokens } from '#component/token/access-token.ts'
import { verified } from './access-token.ts'

/** What verification works with. */
export interface VerifyPorts {
  /** The scheme that protects paths under `oauth2`: who passes there passes here. */
  readonly bearer: SecurityScheme
  readonly accessTokens: Pick<AccessTokens, 'verify'>
}

/** Percent-encodes what no header may carry, the sign of that itself, and what separates the members of a list. */
const headerText = (text: string): string =>
  text.toWellFormed().replaceAll(/[^ -~]+|[%,]/gu, encodeURIComponent)

/** GET or HEAD with `Authorization: Bearer`: 200 and whom the token speaks for, else 401 as on a protected path. */
export const verifyEndpoint =
  ({ bearer, accessTokens }: VerifyPorts): EndpointHandler =>
  async (exchange, { realm_uri, path }) => {
    // no flow: paths of several flows may share this endpoint
    const { api } = path.version
    const protection = { type: 'oauth2', realm_uri, api, object: {} } as const
    const identity = await bearer.authenticate(exchange, protection)
    const token = credentialsOf(exchange.header('authorization'), 'bearer') ?? ''
    const claims = await verified(accessTokens, token, realm_uri)
    if (!claims) throw unauthorized(protection, 'the token has just expired or was revoked')
    const { authid, authroles, authmethod } = identity
    return {
      status: 200,
      headers: {
        'x-service-authid': headerText(authid),
        'x-service-authrealm': headerText(realm_uri),
        'x-service-authroles': authroles.map(headerText).join(','),
        'x-service-authmethod': headerText(authmethod),
        'x-service-expires-at': String(claims.exp),
      },
      body: { kind: 'none' },
    }
  }
