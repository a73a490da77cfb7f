/** The OIDC endpoints over HTTP, by the kind of route that the gateway generates for them. */
import type { OidcKind } from '#component/gateway/api.ts'
import type { EndpointHandler } from '#component/gateway/parts.ts'
import type { OidcLogin } from '#component/oidc/login.ts'
import { type BackchannelLogoutPorts, backchannelLogoutEndpoint } from './backchannel-logout.ts'
import { type CallbackPorts, callbackEndpoint } from './callback.ts'
import { type LoginPorts, loginEndpoint } from './login.ts'
import { type LogoutPorts, logoutEndpoint } from './logout.ts'
import { type OidcReplyPorts, oidcEndpoint } from './reply.ts'

/** Dependencies of the endpoint. */
interface JwksPorts extends OidcReplyPorts {
  readonly login: Pick<OidcLogin, 'publicKeys'>
}

/** Answers 200 with the JWK Set, which is empty where the provider has no `private_key`. */
const jwksEndpoint = (ports: JwksPorts): EndpointHandler =>
  oidcEndpoint(ports, async (_exchange, { realm_uri }, { provider = '' }) => {
    const value = await ports.login.publicKeys(realm_uri, provider)
    return { status: 200, headers: {}, body: { kind: 'value', value, type: 'application/json' } }
  })

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
