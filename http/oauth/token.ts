/** The token endpoint: exchanges a grant for tokens (RFC 6749 §3.2). */
import type { EndpointHandler } from '#component/gateway/parts.ts'
import type { LoginCounts } from '#component/login-counts.ts'
import type { Login, Logins } from '#component/realm/logins.ts'
import { flowsServed } from '#component/security/oauth2/kind.ts'
import { addressOf } from '#component/syntax/ip-address.ts'
import type { GrantContext, Owner } from '#component/token/grant.ts'
import type { AnswerTokenRequest } from '#component/token/grants.ts'
import { type OAuthLogins, onlyClients, onlyOwners } from './client.ts'
import { formEndpoint, tokenReply } from './form-endpoint.ts'
import { issuerOf } from './metadata.ts'

/** Dependencies of the token endpoint. */
export interface TokenPorts {
  readonly grants: AnswerTokenRequest
  readonly clients: Pick<OAuthLogins, 'client' | 'owner'>
  readonly logins: Pick<Logins, 'heldScopes' | 'rolesOfScopes' | 'user'>
  readonly counts: Pick<LoginCounts, 'add'>
  /** Without a slash at the end. */
  readonly issuerBase: () => string
}

const ownerIn = (
  { user, roles }: Login,
  realm_uri: string,
  logins: Pick<Logins, 'heldScopes'>,
): Owner => {
  const scopes = logins.heldScopes(realm_uri, roles)
  return {
    authid: user.username,
    roles,
    ...(scopes.length > 0 && { scopes }),
    ...(user.scopes && { allowed: user.scopes }),
  }
}

/** POST with the form of a grant. Credentials of a client must be valid even where the grant needs none. */
export const tokenEndpoint = ({
  grants,
  clients,
  logins,
  counts,
  issuerBase,
}: TokenPorts): EndpointHandler =>
  formEndpoint(async (form, exchange, endpoint, bindings) => {
    const { realm_uri, security } = endpoint
    const ownerOf = (login: Login | undefined) => login && ownerIn(login, realm_uri, logins)
    const client = ownerOf(await clients.client(exchange, form, realm_uri))
    const address = addressOf(exchange.peername)
    const context: GrantContext = {
      realm_uri,
      iss: issuerOf(issuerBase(), endpoint, bindings),
      flows: flowsServed(security),
      ...(client && { client }),
      async authenticateOwner(username, password) {
        return ownerOf(await clients.owner(realm_uri, username, password, address))
      },
      ownerNow: (authid) => ownerOf(onlyOwners(logins.user(realm_uri, authid))),
      clientNow: (client_id) => ownerOf(onlyClients(logins.user(realm_uri, client_id))),
      rolesOfScopes: (names) => logins.rolesOfScopes(realm_uri, names),
    }
    const answer = await grants(form, context)
    counts.add('oauth2', 'ok')
    return tokenReply(answer)
  })
