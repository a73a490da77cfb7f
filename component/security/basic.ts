/** `basic` on a path: name and password of a user of the realm (RFC 7617). */

import { createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Identity, identityOf } from '#component/identity.ts'
import type { User } from '#component/realm/documents/model.ts'
import type { Logins } from '#component/realm/logins.ts'
import { credentialsOf } from '#component/syntax/http-field.ts'
import { addressOf } from '#component/syntax/ip-address.ts'
import { type Attempts, tooManyOf } from './attempts.ts'
import { type Protection, type SecurityScheme, unauthorized } from './scheme.ts'

/** The dependencies of the scheme. */
export interface BasicPorts {
  readonly logins: Pick<Logins, 'password' | 'refusal' | 'user'>
  readonly attempts: Pick<Attempts, 'guard'>
}

/** Remembered logins at most: hashing a password takes longer than a typical request. */
const maxKnown = 10_000

/** The user and the address that a request claims. */
interface Claimed {
  readonly username: string
  readonly password: string
  readonly address: string
}

/** The user-id ends at the first colon (RFC 7617 §2). */
function read(credentials: string): Omit<Claimed, 'address'> | undefined {
  const text = Buffer.from(credentials, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) return undefined
  return { username: text.slice(0, colon), password: text.slice(colon + 1) }
}

/** Lets a request pass as the user whose password it brings. */
export class BasicScheme implements SecurityScheme {
  readonly #ports: BasicPorts
  /** By a MAC of the credentials under a key of this process. An entry holds until the realm, and so its user, is built anew. */
  readonly #known = new LRUCache<string, { readonly user: User; readonly identity: Identity }>({
    max: maxKnown,
  })
  readonly #key = randomBytes(32)

  constructor(ports: BasicPorts) {
    this.#ports = ports
  }

  readonly authenticate: SecurityScheme['authenticate'] = (request, protection) => {
    const credentials = credentialsOf(request.header('authorization'), 'basic')
    if (credentials === undefined) throw unauthorized(protection)
    const claimed = read(credentials)
    if (!claimed) throw unauthorized(protection, 'the credentials are malformed')
    const { realm_uri } = protection
    const address = addressOf(request.peername)
    const { username, password } = claimed
    const proof = createHmac('sha256', this.#key)
      .update(JSON.stringify([realm_uri, username, password, address]))
      .digest('base64')
    const known = this.#known.get(proof)
    if (known && this.#ports.logins.user(realm_uri, username)?.user === known.user) {
      return known.identity
    }
    return this.#logIn({ ...claimed, address }, protection, proof)
  }

  async #logIn(
    { username, password, address }: Claimed,
    protection: Protection,
    proof: string,
  ): Promise<Identity> {
    const { logins, attempts } = this.#ports
    const { realm_uri } = protection
    const refusal = () => logins.refusal(realm_uri, username, address, 'basic')
    const login = await attempts
      .guard(realm_uri, username, address, () =>
        logins.password(realm_uri, username, password, address),
      )
      .catch(tooManyOf(refusal))
    if (!login) {
      const { reason, authid } = refusal()
      throw unauthorized(protection, reason, authid)
    }
    const { user, roles } = login
    const identity = identityOf({ realm_uri, user, authroles: roles, authmethod: 'basic' })
    this.#known.set(proof, { user, identity })
    return identity
  }
}
