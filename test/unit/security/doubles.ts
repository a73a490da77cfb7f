/** What the tests of security schemes hand in: a request, users that can go, a table of tokens and keys. */

import { ServiceError } from '#component/errors.ts'
import type { Identity } from '#component/identity.ts'
import { SecretBox } from '#component/secret-box.ts'
import type { SecurityKind } from '#component/security/kind.ts'
import type { SecurityType } from '#component/security/kinds.ts'
import { kindOf } from '#component/security/kinds.ts'
import type { Protection, SecuredRequest } from '#component/security/scheme.ts'
import { TokenError } from '#component/token/token-error.ts'

export const realm_uri = 'com.example.realm'

/** A path under this kind of security. */
export const protectedBy = (type: SecurityType, object: object = {}): Protection => ({
  type,
  kind: kindOf(type) as SecurityKind,
  realm_uri,
  api: 'shop',
  object: { type, ...object },
  limits: { body_max_bytes: 1_000, body_read_bytes: 1_000, body_read_seconds: 1_000 },
})

/** A request with these header fields. */
export const requestWith = (
  headers: Readonly<Record<string, string>>,
  peername = '192.0.2.1:5000',
  more: Partial<SecuredRequest> = {},
): SecuredRequest => ({
  ...{ method: 'get', peername, headers, scheme: 'https', host: 'api.example.com' },
  ...{ path: '/v1/x', query_string: '' },
  header: (name) => headers[name],
  readBytes: async () => Buffer.of(),
  ...more,
})

/** A user as the realm gives it. */
export const userNamed = (
  username: string,
  groups: readonly string[] = ['staff', 'buyers'],
  meta: Readonly<Record<string, unknown>> = { locale: 'de', age: 7 },
) => ({ username, groups, meta, password: undefined, authorized_keys: [] })

/** Users of the realm; `change` builds them anew, as a load of the realm does. */
export class FakeLogins {
  #users = new Map<string, { user: ReturnType<typeof userNamed>; password: string }>()
  #proved: string | undefined
  /** Passwords that were hashed. */
  readonly asked: unknown[][] = []

  constructor(password = 'pass:word') {
    this.change({ ada: userNamed('ada'), joe: userNamed('joe', [], {}) }, password)
  }

  change(users: Readonly<Record<string, ReturnType<typeof userNamed>>>, password: string): void {
    this.#users = new Map(
      Object.entries(users).map(([name, user]) => [name, { user: { ...user }, password }]),
    )
  }

  user(realm: string, username: string) {
    const found = realm === realm_uri ? this.#users.get(username) : undefined
    return found && { user: found.user, roles: rolesOf(found.user) }
  }

  /** Scopes of the realm, by the role that has each. */
  readonly scopes: Record<string, string> = {}

  heldScopes(realm: string, roles: readonly string[]): readonly string[] {
    if (realm !== realm_uri) return []
    return Object.keys(this.scopes).filter((name) => roles.includes(this.scopes[name] ?? ''))
  }

  async password(realm: string, username: string, password: string, address: string) {
    this.asked.push([realm, username, password, address])
    const isRight = this.#users.get(username)?.password === password
    if (isRight) this.#proved = password
    return isRight ? this.user(realm, username) : undefined
  }

  again(realm: string, { username }: { readonly username: string }) {
    const isSame = this.#users.get(username)?.password === this.#proved
    return isSame ? this.user(realm, username) : undefined
  }

  refusal(realm: string, username: string, _address: string, authmethod: string) {
    const authid = this.#users.has(username) ? username : undefined
    return { realm, authmethod, authid, reason: authid ? 'wrong secret' : 'unknown user' }
  }
}

const rolesOf = ({ username, groups }: ReturnType<typeof userNamed>) =>
  groups.length > 0 ? groups : [username]

/** Lets so many failures of a user pass. */
export class FakeAttempts {
  readonly failures: unknown[][] = []
  readonly #most: number

  constructor(most = 3) {
    this.#most = most
  }

  async fail(address: string): Promise<void> {
    await this.guard(realm_uri, '', address, async () => undefined)
  }

  async guard<T>(
    realm: string,
    username: string,
    address: string,
    prove: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    if (this.failures.length >= this.#most) {
      throw new ServiceError('service.error.too_many_requests', 'later', {
        headers: { 'retry-after': '60' },
      })
    }
    const proved = await prove()
    if (proved === undefined) this.failures.push([realm, username, address])
    return proved
  }
}

/** Takes the tokens of whatever issuer. */
export const anyIssuer = { isTrusted: () => true }

/** The realm accepts no tokens of other issuers. */
export const noIssuers = {
  foreignTokens: {
    verify(): never {
      throw new TokenError('the realm accepts no tokens of the issuer of this path')
    },
  },
  foreignUsers: {
    identityOf(): never {
      throw new TokenError('the realm does not admit the user of the token')
    },
  },
}

/** Nobody has ever logged in at a provider, and no realm has senders. */
export const noLogins = {
  realms: { realm: () => undefined, openSecret: async () => undefined },
  clock: { now: () => 0 },
  authService: {
    fieldsOf: () => ({}),
    ask: () => Promise.reject(new TypeError('nobody is asked')),
  },
  tickets: {
    verify() {
      throw new TokenError('the ticket is malformed')
    },
  },
  accounts: { isKnown: () => false },
  box: new SecretBox('a store key of the tests'),
}

/** The identity, or `[status, code, WWW-Authenticate]` of the refusal. */
export async function outcomeOf(authenticate: () => Identity | Promise<Identity>) {
  try {
    return await authenticate()
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return [error.status, error.uri, error.headers['www-authenticate']]
  }
}
