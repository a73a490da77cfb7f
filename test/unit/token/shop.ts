/** A realm with an owner and a client, as the token endpoint knows it, for the tests of the grants. */
import { OAuthError } from '#component/errors.ts'
import type { GrantContext, Owner } from '#component/token/grant.ts'
import { iss, realm_uri } from './doubles.ts'

/** Users that a test may change; each has the password `correct`. */
export interface Shop {
  readonly users: Map<string, Owner>
}

const usersOf = (users: readonly Owner[]) => new Map(users.map((user) => [user.authid, user]))

/** Ada, who has two roles, and the clients app and other. */
export const shop = (): Shop => ({
  users: usersOf([
    { authid: 'ada', roles: ['editors', 'readers'] },
    { authid: 'app', roles: ['api_clients'] },
    { authid: 'other', roles: ['api_clients'] },
  ]),
})

/** A request by the client app to an API for password logins. */
export const contextOf = ({ users }: Shop): GrantContext & { readonly client: Owner } => ({
  realm_uri,
  iss,
  flows: ['resource_owner_password_credentials'],
  client: { authid: 'app', roles: ['api_clients'] },
  authenticateOwner: async (username, password) =>
    password === 'correct' ? users.get(username) : undefined,
  ownerNow: (authid) => users.get(authid),
  clientNow: (client_id) => users.get(client_id),
  rolesOfScopes: () => new Set(),
})

/** The error that a token request is answered with. Any other failure is passed on. */
export async function failureOf(answer: Promise<unknown>): Promise<OAuthError> {
  const error = await answer.then(
    () => new Error('expected an error'),
    (reason: unknown) => reason,
  )
  if (error instanceof OAuthError) return error
  throw error
}
