/** What `jwt` is: its row. */
import { securityKind } from '#component/security/kind.ts'
import { resourceRow } from '#component/security/resource-metadata.ts'
import { scopes, scopesOf } from '#component/security/scopes.ts'
import { string } from '#component/spec/rules.ts'
import type { JsonMap } from '#component/syntax/values.ts'

/** The issuer that a security object names. */
export const issuerNameOf = ({ issuer }: JsonMap): string => String(issuer)

/** An access token of another issuer, whom the metadata name. */
export const jwt = securityKind({
  type: 'jwt',
  keys: { issuer: string, scopes },
  required: { issuer: 'the name of an issuer in info.jwt_issuers of the realm' },
  challenge: (realm) => `Bearer realm=${realm}`,
  describe: (object) => [
    [
      {
        name: 'jwt',
        scheme: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
        // of a scheme other than oauth2 these are what its credentials must allow (OpenAPI 3.1 §4.8.30)
        scopes: scopesOf(object),
      },
    ],
  ],
  cost: 1,
  inAuthorization: () => true,
  exampleMethod: 'jwt',
  endpoints: {
    rows: [resourceRow],
    key: () => '',
    purpose: () => '',
    headers: { 'cache-control': 'no-store' },
  },
  party: { is: 'issuer', nameOf: issuerNameOf },
  tokens: 'foreign',
})
