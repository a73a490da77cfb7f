/** The OIDC endpoints over HTTP, by the kind of route that the gateway generates for them. */
import type { OidcKind } from '#component/gateway/api.ts'
import type { EndpointHandler } from '#component/gateway/parts.ts'
import { type BackchannelLogoutPorts, backchannelLogoutEndpoint } from './backchannel-logout.ts'
import { type CallbackPorts, callbackEndpoint } from './callback.ts'
import { type JwksPorts, jwksEndpoint } from './jwks.ts'
import { type LoginPorts, loginEndpoint } from './login.ts'
import { type LogoutPorts, logoutEndpoint } from './logout.ts'

/** Dependencies of the OIDC endpoints. */
export type OidcEndpointPorts = LoginPorts &
  CallbackPorts &
  JwksPorts &
  LogoutPorts &
  BackchannelLogoutPorts

/** Makes the handlers of the OIDC endpoints. */
export const oidcEndpoints = (
  ports: OidcEndpointPorts,
): Readonly<Record<OidcKind, EndpointHandler>> => ({
  'oidc.login': loginEndpoint(ports),
  'oidc.callback': callbackEndpoint(ports),
  'oidc.jwks': jwksEndpoint(ports),
  'oidc.logout': logoutEndpoint(ports),
  'oidc.backchannel_logout': backchannelLogoutEndpoint(ports),
})
