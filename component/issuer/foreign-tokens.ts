/** Verifies access tokens of other issuers (RFC 7519, RFC 8725, RFC 9068): all that needs no key first, then the signature. */
import type { CompactJWSHeaderParameters } from 'jose'
import { compactVerify } from 'jose/jws/compact/verify'
import { type Clock, secondsOf } from '#component/clock.ts'
import { LogOnce } from '#component/limits/log-once.ts'
import type { Log } from '#component/log.ts'
import type { Realms } from '#component/realm/realms.ts'
import { withoutNulls } from '#component/syntax/values.ts'
import { type Remembered, VerifiedTokens } from '#component/token/remembered.ts'
import { decodePart } from '#component/token/signed-tokens.ts'
import { TokenError } from '#component/token/token-error.ts'
import { type Claims, checkClaims, grantOf, lostPaths, type TokenGrant } from './foreign-claims.ts'
import type { AllIssuerKeys, IssuerKeys, Keys } from './issuer-keys.ts'
import { type IssuerSettings, issuersOf, plainType } from './settings.ts'

/** A token that was verified. */
export interface ForeignToken extends TokenGrant {
  readonly realm_uri: string
  readonly settings: IssuerSettings
}

/** The dependencies of {@link ForeignTokens}. */
export interface ForeignTokenPorts {
  readonly realms: Pick<Realms, 'realm'>
  readonly keys: AllIssuerKeys
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'info'>
}

interface Verified {
  readonly token: ForeignToken
  readonly source: IssuerKeys
  /** Those that its signature was checked with. */
  readonly keys: Keys
}

const lostPath = 'the path of this setting leads to no claim of a token of the issuer'

/** Longest token: more than the header section of a request takes. Characters. */
const maxLength = 16_384

const compact = /^[\w-]+\.[\w-]+\.[\w-]+$/

/** Parts of a header that bring or name keys, or change what the rest means (RFC 7515 §4.1). */
const forbidden = ['jku', 'jwk', 'x5u', 'x5c', 'crit'] as const

/** Verifies, and remembers. */
export class ForeignTokens implements Remembered {
  readonly #ports: ForeignTokenPorts
  readonly #verified = new VerifiedTokens<Verified>()
  readonly #log: LogOnce

  constructor(ports: ForeignTokenPorts) {
    this.#ports = ports
    this.#log = new LogOnce(ports.log)
  }

  get lookups(): Remembered['lookups'] {
    return this.#verified.lookups
  }

  get entries(): number {
    return this.#verified.entries
  }

  /**
   * A token that is valid now; at once when it was verified before, with the keys that the issuer has now.
   * @param name of the issuer in the realm
   * @throws TokenError, ServiceError unavailable while the keys of the issuer cannot be had; at once or as a rejection
   */
  verify(text: string, realm_uri: string, name: string): ForeignToken | Promise<ForeignToken> {
    const { realms, clock } = this.#ports
    const settings = issuersOf(realms.realm(realm_uri)).get(name)
    if (!settings) throw new TokenError('the realm accepts no tokens of the issuer of this path')
    const known = this.#verified.find(text)
    if (known?.token.settings !== settings) return this.#verifyNew(text, realm_uri, settings)
    if (known.token.endsAt <= clock.now()) throw new TokenError('the token has expired')
    const keys = known.source.get()
    if (keys === known.keys) return known.token
    return this.#verifyNew(text, realm_uri, settings, keys)
  }

  /**
   * The same for a token of any issuer of the realm, for WAMP clients, which name none.
   * @throws as {@link verify}
   */
  async verifyOfAny(text: string, realm_uri: string): Promise<ForeignToken> {
    const issuers = [...issuersOf(this.#ports.realms.realm(realm_uri)).values()]
    if (issuers.length === 0) throw new TokenError('the realm accepts no tokens of other issuers')
    const { iss } = partsOf(text).claims
    let refusal = new TokenError('the issuer of the token is unknown')
    // a realm may have an issuer twice, with other audiences
    for (const { issuer, name } of issuers) {
      if (issuer !== iss) continue
      try {
        return await this.verify(text, realm_uri, name)
      } catch (cause) {
        if (!(cause instanceof TokenError)) throw cause
        refusal = cause
      }
    }
    throw refusal
  }

  /** Refuses at once what no key can save; then nothing is fetched. */
  #verifyNew(
    text: string,
    realm_uri: string,
    settings: IssuerSettings,
    found?: Keys | Promise<Keys>,
  ): Promise<ForeignToken> {
    const { clock, keys } = this.#ports
    const { header, claims } = partsOf(text)
    checkHeader(header, settings)
    checkClaims(claims, settings, secondsOf(clock))
    const token = { realm_uri, ...grantOf(claims, settings), settings }
    const source = keys.of(settings)
    return this.#checkSignature(text, { header, claims }, { token, source }, found ?? source.get())
  }

  /** Logs each path without a claim once. */
  #tell({ realm_uri, settings }: ForeignToken, claims: Claims): void {
    for (const [setting, path] of lostPaths(claims, settings)) {
      this.#log.info({ realm_uri, issuer: settings.name, setting, path }, lostPath)
    }
  }

  async #checkSignature(
    text: string,
    { header, claims }: Parts,
    { token, source }: Omit<Verified, 'keys'>,
    found: Keys | Promise<Keys>,
  ): Promise<ForeignToken> {
    let keys = await found
    let key = await findKey(keys, header)
    if (!key) {
      keys = await source.getAnew()
      key = await findKey(keys, header)
    }
    if (!key) throw new TokenError('the signing key of the token is unknown')
    try {
      await verifyWith(key, text, token)
    } catch (cause) {
      // the key may have changed under its name
      const newer = await source.getNewer(keys)
      key = newer && (await findKey(newer, header))
      if (!newer || !key) throw cause
      keys = newer
      await verifyWith(key, text, token)
    }
    this.#tell(token, claims)
    this.#verified.add(text, { token, source, keys })
    return token
  }
}

/** @throws TokenError */
async function verifyWith(key: CryptoKey, text: string, { settings }: ForeignToken): Promise<void> {
  try {
    await compactVerify(text, key, { algorithms: [...settings.algorithms] })
  } catch (cause) {
    throw new TokenError('the signature of the token is wrong', { cause })
  }
}

interface Parts {
  readonly header: CompactJWSHeaderParameters
  readonly claims: Claims
}

/** @throws TokenError */
function partsOf(text: string): Parts {
  if (text.length > maxLength) throw new TokenError('the token is too long')
  if (!compact.test(text)) throw new TokenError('the token is malformed')
  const [header = '', payload = ''] = text.split('.')
  return {
    header: decodePart(header) as CompactJWSHeaderParameters,
    // null says what absence says
    claims: withoutNulls(decodePart(payload)),
  }
}

/** @throws TokenError */
function checkHeader(header: Claims, { algorithms, typ }: IssuerSettings): void {
  const { alg, typ: type = 'JWT', kid = '' } = header
  if (typeof alg !== 'string' || !algorithms.includes(alg)) {
    throw new TokenError('the algorithm of the token is not allowed')
  }
  if (forbidden.some((name) => Object.hasOwn(header, name)) || typeof kid !== 'string') {
    throw new TokenError('the header of the token is not allowed')
  }
  if (typeof type !== 'string' || !typ.includes(plainType(type))) {
    throw new TokenError('the token has the wrong type')
  }
}

/** @throws TokenError for a header that fits no usable key, or several */
async function findKey(
  keys: Keys,
  header: CompactJWSHeaderParameters,
): Promise<CryptoKey | undefined> {
  try {
    return await keys.find(header)
  } catch (cause) {
    throw new TokenError('the issuer has no usable key for the token', { cause })
  }
}
