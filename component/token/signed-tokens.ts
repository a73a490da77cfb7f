/** The common part of access tokens and tickets: JWTs signed by a key of their realm, verified once and remembered. */
import { CompactSign } from 'jose/jws/compact/sign'
import { compactVerify } from 'jose/jws/compact/verify'
import { type Clock, secondsOf } from '#component/clock.ts'
import { isMap, type JsonMap } from '#component/syntax/values.ts'
import type { RealmKeys } from './keys.ts'
import { type Remembered, VerifiedTokens } from './remembered.ts'
import { type Bearer, loginIdsOf, type ProviderLogin, type Revocations } from './revocation.ts'
import { TokenError } from './token-error.ts'

/** The claims that every token has (RFC 7519 §4.1). */
export interface RegisteredClaims {
  readonly iss: string
  readonly sub: string
  /** The realm. */
  readonly aud: string
  /** Seconds since the epoch, as `iat` and `auth_time`. */
  readonly exp: number
  readonly iat: number
  /** The id that revocations name; they cannot name the text of a token, since other texts are as valid (reliability F11). */
  readonly jti: string
  /** The family of refresh tokens that it belongs to. */
  readonly family?: string
  /** When its bearer has logged in; absent: when it was issued. Later than `iat` where a revocation would otherwise cover the token. */
  readonly auth_time?: number
}

/** The claims of a token that follows from a login at an identity provider: how the provider names the login. */
export interface LoginClaims {
  /** The URL of the provider. */
  readonly oidc_issuer?: string
  readonly oidc_sub?: string
  /** The session at the provider. */
  readonly oidc_sid?: string
}

/** The dependencies of {@link SignedTokens}. */
export interface TokenPorts {
  readonly keys: Pick<RealmKeys, 'signingKey' | 'verifyingKey'>
  readonly revocations: Pick<Revocations, 'isRevoked' | 'notBefore'>
  readonly clock: Pick<Clock, 'now'>
}

/** The rules of one kind of token. */
interface TokenRules {
  /** The `typ` of the header, exactly. */
  readonly typ: 'at+jwt' | 'ticket+jwt'
  /** A token that lives longer was not issued here. Seconds. */
  readonly maxLifetime: number
}

interface Verified<C> {
  readonly kid: string
  readonly claims: C
  /** The claims as revocations see them. */
  readonly bearer: Bearer
}

const alg = 'ES256'

/** Longest token. Characters. */
const maxLength = 8192

/** Three parts, the last of them as long as a signature is; no padding, nothing beside the alphabet. */
const compact = /^[\w-]+\.[\w-]+\.[\w-]{86}$/

/** How far a token may come from the future: clocks of nodes differ. Seconds. */
const maxAhead = 120

const expired = 'the token has expired'

/** Issues and verifies tokens of one kind. */
export abstract class SignedTokens<C extends RegisteredClaims> implements Remembered {
  readonly #ports: TokenPorts
  readonly #rules: TokenRules
  readonly #verified = new VerifiedTokens<Verified<C>>()

  constructor(ports: TokenPorts, rules: TokenRules) {
    this.#ports = ports
    this.#rules = rules
  }

  get lookups(): Remembered['lookups'] {
    return this.#verified.lookups
  }

  get entries(): number {
    return this.#verified.entries
  }

  /**
   * The times of a token that is issued to a user now, without a login of its own here: later than the user's last revocation.
   * @param login at a provider
   */
  protected issuedNow(
    realm_uri: string,
    authid: string,
    login?: ProviderLogin,
  ): Pick<RegisteredClaims, 'iat' | 'auth_time'> {
    const { clock, revocations } = this.#ports
    const iat = secondsOf(clock)
    const notBefore = revocations.notBefore(realm_uri, authid, login)
    // others would refuse a token that says that it is from the future
    return notBefore < iat ? { iat } : { iat, auth_time: notBefore + 1 }
  }

  /** @throws TokenError when the claims are too many */
  protected async sign(
    realm_uri: string,
    claimsWith: (kid: string) => C,
  ): Promise<{ readonly token: string; readonly claims: C }> {
    const { kid, key } = await this.#ports.keys.signingKey(realm_uri)
    const claims = claimsWith(kid)
    const token = await new CompactSign(Buffer.from(JSON.stringify(claims)))
      .setProtectedHeader({ alg, typ: this.#rules.typ, kid })
      .sign(key)
    if (token.length > maxLength) throw new TokenError('the token would be too long')
    return { token, claims }
  }

  /**
   * The claims of a token that is valid now; at once when its signature has been verified before.
   * @throws TokenError, at once or as a rejection
   */
  verify(token: string, realm_uri: string): C | Promise<C> {
    const known = this.#verified.find(token)
    if (!known) return this.#verifyNew(token, realm_uri)
    this.#admit(known, realm_uri)
    return known.claims
  }

  /** Cheap checks come before the cryptography. */
  #verifyNew(token: string, realm_uri: string): Promise<C> {
    const { kid, claims, key } = this.#read(token, realm_uri)
    if (Number(claims.exp) <= secondsOf(this.#ports.clock)) throw new TokenError(expired)
    return this.#checkSignature(token, key, () => {
      // only `sign` signs with these keys, so that signed claims have this type
      const signed = freeze(claims) as unknown as C
      return { kid, claims: signed, bearer: bearerOf(signed) }
    })
  }

  /**
   * The claims of a token that the gateway has signed and that is not revoked, even if it has expired: for a logout, which
   * needs the user of the token and grants nothing.
   * @throws TokenError
   */
  async verifyIgnoringExpiry(token: string, realm_uri: string): Promise<C> {
    const { claims, key } = this.#read(token, realm_uri)
    await verifySignature(token, key)
    const signed = claims as unknown as C
    if (this.#ports.revocations.isRevoked(bearerOf(signed))) {
      throw new TokenError('the token was revoked')
    }
    return signed
  }

  /** The claims of a token, and the key that it must be signed with; its expiry is not checked here. */
  #read(token: string, realm_uri: string) {
    if (token.length > maxLength) throw new TokenError('the token is too long')
    if (!compact.test(token)) throw new TokenError('the token is malformed')
    const [header = '', payload = ''] = token.split('.')
    const kid = this.#kidOf(decodePart(header))
    const claims = decodePart(payload)
    this.#checkClaims(claims, realm_uri)
    const key = this.#ports.keys.verifyingKey(realm_uri, kid)
    if (!key) throw new TokenError('the signing key of the token is unknown')
    return { kid, claims, key }
  }

  async #checkSignature(
    token: string,
    key: CryptoKey | Promise<CryptoKey>,
    verifiedOf: () => Verified<C>,
  ): Promise<C> {
    await verifySignature(token, key)
    const verified = verifiedOf()
    this.#admit(verified, verified.claims.aud)
    this.#verified.add(token, verified)
    return verified.claims
  }

  /** A header of ours has three members: no `jwk`, `jku`, `crit` or other is even looked at. */
  #kidOf(header: Record<string, unknown>): string {
    const { alg: itsAlg, typ, kid, ...others } = header
    if (itsAlg !== alg) throw new TokenError('the algorithm of the token is not allowed')
    if (typ !== this.#rules.typ) throw new TokenError('the token has the wrong type')
    if (typeof kid !== 'string' || Object.keys(others).length > 0) {
      throw new TokenError('the header of the token is not allowed')
    }
    return kid
  }

  #checkClaims(claims: Record<string, unknown>, realm_uri: string): void {
    const { iss, sub, aud, jti, exp, iat, nbf } = claims
    if (![iss, sub, jti].every((claim) => typeof claim === 'string' && claim !== '')) {
      throw new TokenError('the token lacks a required claim')
    }
    if (aud !== realm_uri) throw new TokenError('the token was issued for another realm')
    const now = secondsOf(this.#ports.clock)
    if (!isInstant(exp) || !isInstant(iat) || (nbf !== undefined && !isInstant(nbf))) {
      throw new TokenError('a time claim of the token is missing or malformed')
    }
    if (exp - iat > this.#rules.maxLifetime)
      throw new TokenError('the lifetime of the token is too long')
    if (iat > now + maxAhead || (nbf ?? 0) > now) throw new TokenError('the token is not valid yet')
  }

  /** Checks what may have changed since the signature was verified. */
  #admit({ kid, claims, bearer }: Verified<C>, realm_uri: string): void {
    const { clock, keys, revocations } = this.#ports
    if (claims.aud !== realm_uri) throw new TokenError('the token was issued for another realm')
    if (claims.exp * 1000 <= clock.now()) throw new TokenError(expired)
    if (!keys.verifyingKey(realm_uri, kid))
      throw new TokenError('the signing key of the token is unknown')
    if (revocations.isRevoked(bearer)) throw new TokenError('the token was revoked')
  }
}

/** The login at a provider that claims name; undefined for a token that does not follow from one. */
export const loginOf = ({
  oidc_issuer: issuer,
  oidc_sub: sub,
  oidc_sid: sid,
}: LoginClaims): ProviderLogin | undefined =>
  issuer === undefined || sub === undefined
    ? undefined
    : { issuer, sub, ...(sid !== undefined && { sid }) }

/** A token as revocations see it: whatever follows from a login ends with it. */
export function bearerOf(claims: RegisteredClaims & LoginClaims): Bearer {
  const { jti, family, sub, aud, iat, auth_time = iat } = claims
  const login = loginOf(claims)
  return {
    jti,
    ...(family !== undefined && { family }),
    iat: auth_time,
    sub,
    realm_uri: aud,
    ...(login && { login: loginIdsOf(aud, login) }),
  }
}

async function verifySignature(token: string, key: CryptoKey | Promise<CryptoKey>): Promise<void> {
  try {
    await compactVerify(token, await key, { algorithms: [alg] })
  } catch (cause) {
    throw new TokenError('the signature of the token is wrong', { cause })
  }
}

const isInstant = (value: unknown): value is number => Number.isSafeInteger(value)

/** A part of a token: a JSON map in base64url. @throws TokenError */
export function decodePart(part: string): JsonMap {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'))
    if (isMap(value)) return value
  } catch {
    // refused below
  }
  throw new TokenError('the token is malformed')
}

/** Many requests are given the same claims. */
function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.values(value).forEach(freeze)
    Object.freeze(value)
  }
  return value
}
