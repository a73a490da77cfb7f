/** The OAuth2 endpoints over HTTP, by the kind of route that the gateway generates for them. */
import type { OAuthKind } from '#component/gateway/api.ts'
import type { EndpointHandler } from '#component/gateway/handle.ts'
import type { Logins } from '#component/realm/logins.ts'
import type { Attempts } from '#component/security/attempts.ts'
import { OAuthLogins } from './client.ts'
import { type IntrospectPorts, introspectEndpoint } from './introspect.ts'
import { jwksEndpoint, metadataEndpoint } from './metadata.ts'
import { type RevokePorts, revokeEndpoint } from './revoke.ts'
import { type TokenPorts, tokenEndpoint } from './token.ts'
import { type VerifyPorts, verifyEndpoint } from './verify.ts'

/** Dependencies of the OAuth2 endpoints. */
export type OAuthPorts = Omit<
  TokenPorts & RevokePorts & IntrospectPorts & VerifyPorts & Parameters<typeof jwksEndpoint>[0],
  'clients' | 'logins'
> & {
  readonly logins: Pick<Logins, 'password' | 'user'>
  readonly attempts: Pick<Attempts, 'guard'>
}

/** Makes the handlers of the OAuth2 endpoints. */
export function oauthEndpoints(ports: OAuthPorts): Readonly<Record<OAuthKind, EndpointHandler>> {
  const all = { ...ports, clients: new OAuthLogins(ports) }
  return {
    'oauth.token': tokenEndpoint(all),
    'oauth.revoke': revokeEndpoint(all),
    'oauth.introspect': introspectEndpoint(all),
    'oauth.verify': verifyEndpoint(all),
    'oauth.jwks': jwksEndpoint(all),
    'oauth.metadata': metadataEndpoint(all),
  }
}
