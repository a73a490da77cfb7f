/** `basic` on a path: name and password of a user of the realm (RFC 7617). */

import { createHmac, randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { type Identity, identityOf } from '#component/identity.ts'
import { atMost } from '#component/limits/at-most.ts'
import type { LoginCounts } from '#component/login-counts.ts'
import type { User } from '#component/realm/documents/model.ts'
import type { Login, Logins } from '#component/realm/logins.ts'
import { type Attempts, tooManyOf } from '#component/security/attempts.ts'
import {
  type AlternativeScheme,
  type Protection,
  type SecuredRequest,
  type SecurityScheme,
  unauthorized,
} from '#component/security/scheme.ts'
import { credentialsOf } from '#component/syntax/http-field.ts'
import { addressOf } from '#component/syntax/ip-address.ts'
import type { Remembered } from '#component/token/remembered.ts'

/** The dependencies of the scheme. */
export interface BasicPorts {
  readonly logins: Pick<Logins, 'again' | 'password' | 'refusal' | 'user'>
  readonly attempts: Pick<Attempts, 'guard'>
  /** Counts the logins that have succeeded; absent: nothing does. */
  readonly counts?: Pick<LoginCounts, 'add'>
}

/** Remembered logins at most: hashing a password takes longer than a typical request. */
const maxKnown = 10_000

/** The login that a request claims. */
interface Claimed {
  readonly username: string
  readonly password: string
  readonly address: string
  /** A MAC of all of it, under a key of this process. */
  readonly proof: string
}

/** The user-id ends at the first colon (RFC 7617 §2). */
function read(credentials: string): Pick<Claimed, 'username' | 'password'> | undefined {
  const text = Buffer.from(credentials, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  if (colon < 0) return undefined
  // RFC 7617 §2.1: both are compared in NFC
  const [username, password] = [text.slice(0, colon), text.slice(colon + 1)]
  return { username: username.normalize(), password: password.normalize() }
}

/** Lets a request pass as the user whose password it brings. */
export class BasicScheme implements Remembered, AlternativeScheme {
  readonly lookups = { hit: 0, miss: 0 }
  readonly #ports: BasicPorts
  /** By the proof of a claim. An entry holds until the realm, and so its user, is built anew. */
  readonly #known = new LRUCache<string, { readonly user: User; readonly identity: Identity }>(
    atMost(maxKnown),
  )
  readonly #key = randomBytes(32)

  constructor(ports: BasicPorts) {
    this.#ports = ports
  }

  get entries(): number {
    return this.#known.size
  }

  readonly isBrought: AlternativeScheme['isBrought'] = ({ authorization }) =>
    credentialsOf(authorization, 'basic') !== undefined

  readonly authenticate: SecurityScheme['authenticate'] = (request, protection) => {
    const claimed = this.#read(request, protection)
    const known = this.#known.get(claimed.proof)
    const { realm_uri } = protection
    if (known && this.#ports.logins.user(realm_uri, claimed.username)?.user === known.user) {
      this.lookups.hit += 1
      return known.identity
    }
    this.lookups.miss += 1
    return this.#logIn(claimed, protection)
  }

  readonly authenticateAgain: SecurityScheme['authenticate'] = (request, protection) => {
    const claimed = this.#read(request, protection)
    const known = this.#known.get(claimed.proof)
    if (!known) return this.#logInAgain(claimed, protection)
    // hashes nothing: a realm that changes may have thousands of users with open streams
    const login = this.#ports.logins.again(protection.realm_uri, known.user, claimed.address)
    return this.#admitted(login, claimed, protection)
  }

  #read(request: SecuredRequest, protection: Protection): Claimed {
    const credentials = credentialsOf(request.header('authorization'), 'basic')
    if (credentials === undefined) throw unauthorized(protection)
    const named = read(credentials)
    if (!named) throw unauthorized(protection, 'the credentials are malformed')
    const { username, password } = named
    const address = addressOf(request.peername)
    const proof = createHmac('sha256', this.#key)
      .update(JSON.stringify([protection.realm_uri, username, password, address]))
      .digest('base64')
    return { ...named, address, proof }
  }

  async #logIn(claimed: Claimed, protection: Protection): Promise<Identity> {
    const { username, address } = claimed
    const { logins, attempts, counts } = this.#ports
    const { realm_uri } = protection
    const login = await attempts
      .guard(realm_uri, username, address, () => this.#password(claimed, protection))
      .catch(tooManyOf(() => logins.refusal(realm_uri, username, address, 'basic')))
    const identity = this.#admitted(login, claimed, protection)
    counts?.add('basic', 'ok')
    return identity
  }

  async #logInAgain(claimed: Claimed, protection: Protection): Promise<Identity> {
    const login = await this.#password(claimed, protection)
    return this.#admitted(login, claimed, protection)
  }

  #password({ username, password, address }: Claimed, { realm_uri }: Protection) {
    return this.#ports.logins.password(realm_uri, username, password, address)
  }

  #admitted(login: Login | undefined, claimed: Claimed, protection: Protection): Identity {
    if (login) return this.#identity(login, claimed, protection)
    const { username, address } = claimed
    const { logins } = this.#ports
    const { reason, authid } = logins.refusal(protection.realm_uri, username, address, 'basic')
    throw unauthorized(protection, reason, authid)
  }

  #identity({ user, roles }: Login, { proof }: Claimed, { realm_uri }: Protection): Identity {
    const identity = identityOf({ realm_uri, user, authroles: roles, authmethod: 'basic' })
    this.#known.set(proof, { user, identity })
    return identity
  }
}
