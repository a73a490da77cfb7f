/** Refresh tokens: opaque, used once; each use gives the next one, and who uses an old one ends them all (RFC 9700 §4.14.2). */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Clock } from '#component/clock.ts'
import { because } from '#component/login-refusal.ts'
import type { SecretBox } from '#component/secret-box.ts'
import type { Family, FamilyStore } from '#component/store/family-store.ts'
import type { Subject } from './access-token.ts'
import type { Revocations } from './revocation.ts'
import { TokenError } from './token-error.ts'

/** The dependencies of {@link RefreshTokens}. */
export interface RefreshPorts {
  readonly families: Pick<FamilyStore, 'create' | 'find' | 'rotate'>
  readonly box: Pick<SecretBox, 'derive'>
  readonly revocations: Pick<Revocations, 'isRevoked' | 'notBefore' | 'revokeFamily'>
  readonly clock: Pick<Clock, 'now'>
  /** Since when a request may have waited for this process to go on; undefined when it has not. Milliseconds since the epoch. */
  readonly suspension?: { since(): number | undefined }
  /** How long a token can be used. Seconds. */
  readonly ttl: number
  /** How long a repeat of a use is answered as the use was: the answer may have been lost. Milliseconds. */
  readonly graceMs?: number
  /** How many families a user has in a realm. */
  readonly maxFamilies?: number
}

/** Which token it is. */
export interface RefreshTokenId {
  readonly family: string
  readonly generation: number
}

/** A token and its family. */
export interface IssuedRefreshToken {
  readonly token: string
  readonly family: Family
}

const idLength = 16
const generationLength = 4
const macLength = 32
const tokenLength = idLength + generationLength + macLength
/** Characters. */
const textLength = Math.ceil((tokenLength * 4) / 3)
const defaultGraceMs = 10_000
const defaultMaxFamilies = 25

/** The one message for every refused token: a guessed or stolen token tells nothing. */
const refused = 'the refresh token is not valid'

/** @param reason for the log */
const refuse = (realm: string, reason: string, authid?: string): TokenError =>
  new TokenError(refused, because({ realm, authmethod: 'oauth2', authid, reason }))

/** Issues and rotates refresh tokens. Methods throw `service.error.unavailable` while the store is away. */
export class RefreshTokens {
  readonly #ports: RefreshPorts

  constructor(ports: RefreshPorts) {
    this.#ports = ports
  }

  /** The first token of a new family, after a login. The oldest families of the user are removed when it has too many. */
  async issue(realm_uri: string, subject: Subject): Promise<IssuedRefreshToken> {
    const { clock, families, maxFamilies = defaultMaxFamilies, revocations, ttl } = this.#ports
    const { authid, authmethod, client_id, device_id, words } = subject
    const now = clock.now()
    const family: Family = {
      id: randomBytes(idLength).toString('base64url'),
      realm_uri,
      authid,
      client_id,
      device_id,
      scope: words,
      authmethod,
      generation: 0,
      // after everything of the user was revoked
      created_at: Math.max(now, (revocations.notBefore(realm_uri, authid) + 1) * 1000),
      rotated_at: now,
      expires_at: now + ttl * 1000,
    }
    await families.create(family, maxFamilies)
    return this.#tokenOf(family)
  }

  /**
   * Uses a token: gives its successor, the same one to a repeat within the grace. A later repeat ends the family and its
   * access tokens, unless this process stood still, and may have kept the request until its client had tried elsewhere: then it is
   * only refused.
   * @param admit looks at the family before anything changes; what it throws is passed on
   * @throws TokenError
   */
  async rotate(
    token: string,
    realm_uri: string,
    admit: (family: Family) => void = () => undefined,
  ): Promise<IssuedRefreshToken> {
    const { clock, families, graceMs = defaultGraceMs, revocations, suspension, ttl } = this.#ports
    const { id, authid, generation } = await this.#find(token, realm_uri, admit)
    const rotation = await families.rotate(id, generation, {
      graceMs,
      // asked for when they count: the process may stand still while it waits for the store
      get nowMs() {
        return clock.now()
      },
      get expiresAtMs() {
        return clock.now() + ttl * 1000
      },
      get waitsSinceMs() {
        return suspension?.since()
      },
    })
    if (rotation.kind === 'rotated' || rotation.kind === 'repeated') {
      return this.#tokenOf(rotation.family)
    }
    if (rotation.kind === 'reused') await revocations.revokeFamily(id)
    const reason =
      rotation.kind === 'reused'
        ? 'the refresh token was used twice: everything of its login is revoked'
        : 'the refresh token is not the current one of its login'
    throw refuse(realm_uri, reason, authid)
  }

  /** Which token it is; undefined when it was not made here. Asks no store: the token may have ended. */
  read(token: string): RefreshTokenId | undefined {
    if (token.length !== textLength) return undefined
    const bytes = Buffer.from(token, 'base64url')
    // no second spelling of a token: padding, other alphabets, other last bits
    if (bytes.length !== tokenLength || bytes.toString('base64url') !== token) return undefined
    const family = bytes.toString('base64url', 0, idLength)
    const generation = bytes.readUInt32BE(idLength)
    const mac = bytes.subarray(idLength + generationLength)
    return timingSafeEqual(mac, this.#mac(family, generation)) ? { family, generation } : undefined
  }

  async #find(
    token: string,
    realm_uri: string,
    admit: (family: Family) => void,
  ): Promise<Pick<Family, 'id' | 'authid' | 'generation'>> {
    const known = this.read(token)
    const family = known && (await this.#ports.families.find(known.family))
    if (!family) throw refuse(realm_uri, 'the refresh token is unknown')
    if (family.realm_uri !== realm_uri) {
      throw refuse(realm_uri, 'the refresh token belongs to another realm')
    }
    const { id, authid } = family
    if (this.#hasEnded(family)) {
      throw refuse(realm_uri, 'the refresh token has expired or was revoked', authid)
    }
    admit(family)
    return { id, authid, generation: known.generation }
  }

  #hasEnded({ id, authid, realm_uri, created_at, expires_at }: Family): boolean {
    const { clock, revocations } = this.#ports
    const iat = Math.floor(created_at / 1000)
    return (
      expires_at <= clock.now() ||
      revocations.isRevoked({ jti: '', family: id, iat, sub: authid, realm_uri })
    )
  }

  #tokenOf(family: Family): IssuedRefreshToken {
    const { id, generation } = family
    const count = Buffer.alloc(generationLength)
    count.writeUInt32BE(generation)
    const bytes = [Buffer.from(id, 'base64url'), count, this.#mac(id, generation)]
    return { token: Buffer.concat(bytes).toString('base64url'), family }
  }

  #mac(family: string, generation: number): Buffer {
    return this.#ports.box.derive('refresh token', family, String(generation))
  }
}
