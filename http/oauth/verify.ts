/** Verification for a reverse proxy that authorizes each request by a subrequest (nginx `auth_request`): headers, no body. */
import type { EndpointHandler } from '#component/gateway/handle.ts'
import { type SecurityScheme, unauthorized } from '#component/security/scheme.ts'
import { credentialsOf } from '#component/syntax/http-field.ts'
import type { AccessTokens } from '#component/token/access-token.ts'
import { unlessRefused } from '#component/token/token-error.ts'

/** Dependencies of the verification endpoint. */
export interface VerifyPorts {
  /** The scheme that protects paths under `oauth2`: a request that passes there passes here. */
  readonly bearer: SecurityScheme
  readonly accessTokens: Pick<AccessTokens, 'verify'>
}

/** Percent-encodes all but printable ASCII, and also the percent sign and the comma, which separates roles. */
const headerText = (text: string): string =>
  text.toWellFormed().replaceAll(/[^ -~]+|[%,]/gu, encodeURIComponent)

/** GET or HEAD with `Authorization: Bearer`: 200 with the identity of the token in headers, else 401 as on a protected path. */
export const verifyEndpoint =
  ({ bearer, accessTokens }: VerifyPorts): EndpointHandler =>
  async (exchange, { realm_uri, path }) => {
    // no flow: paths of several flows may share this endpoint
    const { api } = path.version
    const protection = { type: 'oauth2', realm_uri, api, object: {} } as const
    const identity = await bearer.authenticate(exchange, protection)
    const token = credentialsOf(exchange.header('authorization'), 'bearer') ?? ''
    const claims = await unlessRefused(() => accessTokens.verify(token, realm_uri))
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
