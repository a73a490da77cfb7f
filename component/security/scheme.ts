/** The port of a security scheme: may this request pass, and as whom? Until a scheme exists, it refuses everybody. */
import { ServiceError } from '#component/errors.ts'
import type { Identity } from '#component/identity.ts'
import type { Method } from '#component/request.ts'

/** The types of security (specification: Security object). */
const securityTypes = ['basic', 'api_key', 'oauth2', 'oidc'] as const
export type SecurityType = (typeof securityTypes)[number]

/** Is the value one of the types? */
export const isSecurityType = (value: unknown): value is SecurityType =>
  securityTypes.some((type) => type === value)

/** What protects a path: its folded security object and the realm whose users may pass. */
export interface Protection {
  readonly type: SecurityType
  readonly realm_uri: string
  readonly object: Readonly<Record<string, unknown>>
}

/** What a scheme may see of a request. */
interface SecuredRequest {
  readonly method: Method
  readonly peername: string
  header(name: string): string | undefined
}

/** Lets a request pass by telling whom it acts for, or throws ServiceError: 401 with `WWW-Authenticate`, 403, 429. */
export interface SecurityScheme {
  authenticate(request: SecuredRequest, protection: Protection): Identity | Promise<Identity>
}

/** A quoted-string (RFC 9110 §5.6.4); what no header may carry is left out. */
function quoted(text: string): string {
  let result = '"'
  for (const character of text) {
    if (character < ' ' || character > '~') continue
    result += character === '"' || character === '\\' ? `\\${character}` : character
  }
  return `${result}"`
}

/** RFC 6750 §3: `error` only when a token was sent. */
const bearer = (realm: string, request: SecuredRequest): string => {
  const challenge = `Bearer realm=${quoted(realm)}`
  return request.header('authorization')?.toLowerCase().startsWith('bearer ')
    ? `${challenge}, error="invalid_token", error_description="the token is not valid here"`
    : challenge
}

/** The challenge of each type: RFC 7617 §2, RFC 6750 §3; RFC 9110 §11.6.1 wants one with every 401. */
const challenges: Readonly<
  Record<SecurityType, (realm: string, request: SecuredRequest) => string>
> = {
  basic: (realm) => `Basic realm=${quoted(realm)}, charset="UTF-8"`,
  api_key: (realm) => `ApiKey realm=${quoted(realm)}`,
  oauth2: bearer,
  oidc: bearer,
}

/** Refuses every request with the challenge of its type. */
const closed: SecurityScheme = {
  authenticate(request, { type, realm_uri }) {
    throw new ServiceError(
      'service.error.unauthorized',
      'valid credentials are required for this path',
      { headers: { 'www-authenticate': challenges[type](realm_uri, request) } },
    )
  },
}

/** Every type, closed: 401 for every request. */
export const closedSchemes: Readonly<Record<SecurityType, SecurityScheme>> = {
  basic: closed,
  api_key: closed,
  oauth2: closed,
  oidc: closed,
}
