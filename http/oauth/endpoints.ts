/** The OAuth2 endpoints over HTTP, by the kind of route that the gateway generates for them. */
import type { McpKind, OAuthKind } from '#component/gateway/api.ts'
import type { EndpointHandler } from '#component/gateway/parts.ts'
import { type LoginPorts, OAuthLogins } from './client.ts'
import {
  type IssuedTokenPorts,
  introspectEndpoint,
  revokeEndpoint,
  verifyEndpoint,
} from './issued-tokens.ts'
import {
  jwksEndpoint,
  metadataEndpoint,
  resourceEndpoint,
  type ToolsResourcePorts,
  toolsResourceEndpoint,
} from './metadata.ts'
import { type TokenPorts, tokenEndpoint } from './token.ts'

/** Dependencies of the OAuth2 endpoints. */
export type OAuthPorts = Omit<TokenPorts & IssuedTokenPorts, 'clients'> &
  Parameters<typeof jwksEndpoint>[0] &
  Parameters<typeof resourceEndpoint>[0] &
  ToolsResourcePorts &
  LoginPorts

/** Makes the handlers of the OAuth2 endpoints. */
export function oauthEndpoints(
  ports: OAuthPorts,
): Readonly<Record<OAuthKind | McpKind, EndpointHandler>> {
  const all = { ...ports, clients: new OAuthLogins(ports) }
  return {
    'oauth.token': tokenEndpoint(all),
    'oauth.revoke': revokeEndpoint(all),
    'oauth.introspect': introspectEndpoint(all),
    'oauth.verify': verifyEndpoint(all),
    'oauth.jwks': jwksEndpoint(all),
    'oauth.metadata': metadataEndpoint(all),
    'oauth.resource': resourceEndpoint(all),
    'mcp.resource': toolsResourceEndpoint(all),
  }
}
