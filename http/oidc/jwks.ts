/** GET `<base_path>/oidc/<provider>/jwks`: the public key of the gateway as a client of the provider (RFC 7517 §5). */
import type { EndpointHandler } from '#component/gateway/parts.ts'
import type { OidcLogin } from '#component/oidc/login.ts'
import { type OidcReplyPorts, oidcEndpoint } from './reply.ts'

/** Dependencies of the endpoint. */
export interface JwksPorts extends OidcReplyPorts {
  readonly login: Pick<OidcLogin, 'publicKeys'>
}

/** Answers 200 with the JWK Set, which is empty where the provider has no `private_key`. */
export const jwksEndpoint = (ports: JwksPorts): EndpointHandler =>
  oidcEndpoint(ports, async (_exchange, { realm_uri }, { provider = '' }) => {
    const value = await ports.login.publicKeys(realm_uri, provider)
    return { status: 200, headers: {}, body: { kind: 'value', value, type: 'application/json' } }
  })
