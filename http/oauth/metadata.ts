/** The issuer of a version's tokens and tickets: its URL, and its public documents: keys (RFC 7517), metadata (RFC 8414, RFC 9728). */
import type { CompiledOperation, DescribedVersion, Endpoint } from '#component/gateway/api.ts'
import type { Exchange, Reply } from '#component/gateway/exchange.ts'
import type { EndpointHandler } from '#component/gateway/parts.ts'
import { issuersOf } from '#component/issuer/settings.ts'
import type { Realms } from '#component/realm/realms.ts'
import { concretePath } from '#component/routes/concrete-path.ts'
import { issuerNameOf } from '#component/security/jwt/kind.ts'
import { flowsServed } from '#component/security/oauth2/kind.ts'
import { membersOf, type Protection } from '#component/security/scheme.ts'
import { scopesOf } from '#component/security/scopes.ts'
import { grantTypesOf } from '#component/token/grants.ts'
import type { RealmKeys } from '#component/token/keys.ts'
import { jsonReply } from './form-endpoint.ts'

/**
 * The issuer's URL: the public base URL and the concrete base_path (RFC 8414 §2), without a slash at the end.
 * @param issuerBase without a slash at the end
 * @param bindings of the request; base_path may have some
 */
export const issuerOf = (
  issuerBase: string,
  { base }: Pick<Endpoint, 'base'>,
  bindings: Readonly<Record<string, string>>,
): string => issuerBase + concretePath(base, bindings)

/** A realm publishes its next key for longer than this max-age before the key signs anything. */
const cached = { 'cache-control': 'public, max-age=60' }

/** Serves the JWK Set of the realm. It is never empty: a verifier that cached an empty set would refuse the first token. */
export const jwksEndpoint =
  ({ keys }: { readonly keys: Pick<RealmKeys, 'jwks' | 'signingKey'> }): EndpointHandler =>
  async (_exchange, { realm_uri }) => {
    if (keys.jwks(realm_uri).keys.length === 0) await keys.signingKey(realm_uri)
    return jsonReply(keys.jwks(realm_uri), cached)
  }

const methods = ['client_secret_basic', 'client_secret_post'] as const

/** The dependencies of {@link metadataEndpoint} and {@link resourceEndpoint}. */
interface ResourcePorts {
  readonly issuerBase: () => string
  readonly realms: Pick<Realms, 'realm'>
}

/** Serves the metadata of the issuer. */
export const metadataEndpoint =
  ({ issuerBase, realms }: ResourcePorts): EndpointHandler =>
  async (_exchange, endpoint, bindings) => {
    const scopes = realms.realm(endpoint.realm_uri)?.scopes
    const issuer = issuerOf(issuerBase(), endpoint, bindings)
    const { token_path = '/oauth/token', revoke_token_path = '/oauth/revoke' } = endpoint.security
    const metadata = {
      issuer,
      token_endpoint: `${issuer}${token_path}`,
      token_endpoint_auth_methods_supported: methods,
      grant_types_supported: flowsServed(endpoint.security).flatMap(grantTypesOf),
      // required and non-empty (RFC 8414 §2, §3.2), although the issuer has no authorization endpoint
      response_types_supported: ['none'],
      revocation_endpoint: `${issuer}${revoke_token_path}`,
      revocation_endpoint_auth_methods_supported: [...methods, 'none'],
      introspection_endpoint: `${issuer}/oauth/introspect`,
      introspection_endpoint_auth_methods_supported: methods,
      jwks_uri: `${issuer}/oauth/jwks`,
      ...(scopes && scopes.size > 0 && { scopes_supported: [...scopes.keys()] }),
    }
    return jsonReply(metadata, cached)
  }

/** The protections of operations of a version. */
const protectionsOf = (
  { entries }: DescribedVersion,
  isMeant: (operation: CompiledOperation) => boolean,
): readonly Protection[] =>
  entries
    .flatMap(({ routes }) => Object.values(routes))
    .flatMap((route) =>
      route.kind === undefined && isMeant(route) ? membersOf(route.inherited.protection) : [],
    )

/**
 * The metadata of a protected resource (RFC 9728 §2): who issues tokens for it, and which scopes they may need.
 * @param own the issuer of tokens of the gateway; undefined: it is not named
 */
function resourceReply(
  resource: string,
  own: string | undefined,
  protections: readonly Protection[],
  realm: ReturnType<Realms['realm']>,
): Reply {
  const issuers = issuersOf(realm)
  const servers = new Set<string>()
  const scopes = new Set<string>()
  for (const { kind, object } of protections) {
    const foreign =
      kind.tokens === 'foreign' ? issuers.get(issuerNameOf(object))?.issuer : undefined
    const server = kind.tokens === 'own' ? own : foreign
    if (server === undefined) continue
    servers.add(server)
    for (const scope of scopesOf(object)) scopes.add(scope)
  }
  const metadata = {
    resource,
    // a parameter without values is left out (RFC 9728 §3.2)
    ...(servers.size > 0 && { authorization_servers: [...servers] }),
    ...(scopes.size > 0 && { scopes_supported: [...scopes] }),
    bearer_methods_supported: ['header'],
  }
  return jsonReply(metadata, cached)
}

/** Serves the metadata of a version. */
export const resourceEndpoint =
  ({ issuerBase, realms }: ResourcePorts): EndpointHandler =>
  async (_exchange, endpoint, bindings) => {
    const resource = issuerOf(issuerBase(), endpoint, bindings)
    const protections = protectionsOf(endpoint.described, () => true)
    return resourceReply(resource, resource, protections, realms.realm(endpoint.realm_uri))
  }

/** The dependencies of {@link toolsResourceEndpoint}. */
export interface ToolsResourcePorts extends Pick<ResourcePorts, 'realms'> {
  /** Where a client reaches this gateway, without a slash at the end. */
  readonly baseOf: (exchange: Exchange) => string
}

/** Serves the metadata of an endpoint for language models. The gateway's own tokens need no browser, so that its issuer is not named. */
export const toolsResourceEndpoint =
  ({ baseOf, realms }: ToolsResourcePorts): EndpointHandler =>
  async (exchange, endpoint, bindings) => {
    const { described, security, realm_uri } = endpoint
    const resource = issuerOf(baseOf(exchange), endpoint, bindings) + String(security.path)
    const protections = protectionsOf(described, ({ written }) => written.tool !== undefined)
    return resourceReply(resource, undefined, protections, realms.realm(realm_uri))
  }
