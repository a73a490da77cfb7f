/** The public keys of one issuer, as they were fetched last; when they are fetched again, and what holds while they cannot be. */
import type { CompactJWSHeaderParameters, JWK } from 'jose'
import { JWKSNoMatchingKey } from 'jose/errors'
import { createLocalJWKSet } from 'jose/jwks/local'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import { type ProviderFetch, why } from '#component/oidc/client/discovery.ts'
import { fetchKeys } from './fetch-keys.ts'
import type { KeySite } from './settings.ts'

/** The dependencies of {@link IssuerKeys}. */
export interface KeyPorts {
  readonly fetch: ProviderFetch
  readonly clock: Pick<Clock, 'now'>
  readonly log: Pick<Log, 'info' | 'warn'>
}

/** How old keys may be before a token waits for newer ones; and from when on these are fetched without anybody waiting. Milliseconds. */
const freshMs = 600_000
const earlyMs = 540_000

/** From one fetch to the next one, whatever asks for it. Milliseconds. */
const cooldownMs = 30_000

/** The same while no keys are known: then nothing can be served. Milliseconds. */
const firstPauseMs = 5_000

/** How long known keys serve on while newer ones cannot be had. Milliseconds. */
const keptMs = 86_400_000

/** The keys of one answer. The object is the same as long as the issuer answers the same. */
export class Keys {
  readonly #text: string
  readonly #find: ReturnType<typeof createLocalJWKSet>

  /** @throws Error for keys that are no maps */
  constructor(keys: readonly Readonly<Record<string, unknown>>[], text: string) {
    this.#text = text
    this.#find = createLocalJWKSet({ keys: keys as JWK[] })
  }

  isSame(text: string): boolean {
    return text === this.#text
  }

  /**
   * The key that a token must be signed with; undefined when the issuer has none for this header.
   * @throws Error when the header fits several keys, or a key that is no public key for the algorithm
   */
  async find(header: CompactJWSHeaderParameters): Promise<CryptoKey | undefined> {
    try {
      return await this.#find(header)
    } catch (cause) {
      if (cause instanceof JWKSNoMatchingKey) return undefined
      throw cause
    }
  }
}

/** The keys of one issuer; all realms that name it share them. */
export class IssuerKeys {
  /** How many fetches there were, by result. */
  readonly fetches = { ok: 0, failed: 0 }
  readonly #site: KeySite
  readonly #ports: KeyPorts
  #keys: Keys | undefined
  /** When the keys were fetched, and when that was tried last; milliseconds since the epoch. */
  #fetchedAt = Number.NEGATIVE_INFINITY
  #triedAt = Number.NEGATIVE_INFINITY
  /** Whether the last fetch has failed. */
  #isAway = false
  #pending: Promise<void> | undefined

  constructor(site: KeySite, ports: KeyPorts) {
    this.#site = site
    this.#ports = ports
  }

  /** URL of the issuer. */
  get issuer(): string {
    return this.#site.issuer
  }

  /** Since when the keys have not been confirmed; milliseconds. undefined: none are known. */
  get age(): number | undefined {
    return this.#keys && this.#age()
  }

  /**
   * The keys that count now; at once unless they must be fetched first.
   * @throws ServiceError unavailable with `Retry-After`, at once or as a rejection
   */
  get(): Keys | Promise<Keys> {
    const age = this.#age()
    if (this.#keys === undefined || age >= keptMs) return this.#first()
    if (age >= earlyMs) {
      const refresh = this.#pending ?? this.#fetchUnless(cooldownMs)
      // where the last fetch has failed, the next one may take as long, and nobody waits for it
      if (refresh && age >= freshMs && !this.#isAway) return refresh.then(() => this.#known())
    }
    return this.#keys
  }

  /**
   * The keys once more, for a token whose key is not among them: fetched again, unless that was done a moment ago.
   * @throws ServiceError unavailable, when the issuer could not be asked: the key may be a new one
   */
  async getAnew(): Promise<Keys> {
    await (this.#pending ?? this.#fetchUnless(cooldownMs))
    if (this.#isAway) throw this.#unavailable()
    return this.#known()
  }

  /**
   * Other keys than these, for a token whose signature does not fit: the issuer may have changed a key under its name. Fetched at
   * most as often as in {@link getAnew}; undefined where there are none, or the issuer does not answer.
   */
  async getNewer(than: Keys): Promise<Keys | undefined> {
    await (this.#pending ?? this.#fetchUnless(cooldownMs))
    return this.#keys === than ? undefined : this.#keys
  }

  #age(): number {
    return this.#ports.clock.now() - this.#fetchedAt
  }

  async #first(): Promise<Keys> {
    await (this.#pending ?? this.#fetchUnless(firstPauseMs))
    return this.#known()
  }

  #known(): Keys {
    if (this.#keys !== undefined && this.#age() < keptMs) return this.#keys
    throw this.#unavailable()
  }

  #unavailable(): ServiceError {
    const pause = this.#keys === undefined ? firstPauseMs : cooldownMs
    const left = this.#triedAt + pause - this.#ports.clock.now()
    return new ServiceError(
      'service.error.unavailable',
      'the keys of the issuer of the token cannot be fetched now',
      { headers: { 'retry-after': String(Math.max(1, Math.ceil(left / 1000))) } },
    )
  }

  /** Never rejects. @param pause since the last fetch; milliseconds */
  #fetchUnless(pause: number): Promise<void> | undefined {
    const { clock } = this.#ports
    if (clock.now() - this.#triedAt < pause) return undefined
    this.#triedAt = clock.now()
    this.#pending = this.#fetch().finally(() => {
      this.#pending = undefined
    })
    return this.#pending
  }

  async #fetch(): Promise<void> {
    const { clock, fetch, log } = this.#ports
    const { issuer } = this.#site
    try {
      const { keys } = await fetchKeys(this.#site, fetch)
      const text = JSON.stringify(keys)
      if (!this.#keys?.isSame(text)) this.#keys = new Keys(keys, text)
      this.#fetchedAt = clock.now()
      this.fetches.ok += 1
      if (this.#isAway) log.info({ issuer }, 'the keys of an issuer are there again')
      this.#isAway = false
    } catch (cause) {
      this.fetches.failed += 1
      const isNew = !this.#isAway
      this.#isAway = true
      if (!isNew) return
      const hasKeys = this.#keys !== undefined && this.#age() < keptMs
      const then = hasKeys ? 'the known keys serve on' : 'its tokens get 503'
      log.warn({ issuer, reason: why(cause) }, `the keys of an issuer cannot be fetched: ${then}`)
    }
  }
}

/** Issuers remembered: more than any gateway has, so that settings of the past do not pile up. */
const maxKnown = 256

/** The keys of all issuers. */
export class AllIssuerKeys {
  readonly #ports: KeyPorts
  readonly #known = new Map<string, IssuerKeys>()

  constructor(ports: KeyPorts) {
    this.#ports = ports
  }

  /** Those that tokens have been verified with. */
  get all(): readonly IssuerKeys[] {
    return [...this.#known.values()]
  }

  of(site: KeySite): IssuerKeys {
    const { issuer, jwks_uri, allow_unsafe_http } = site
    const key = JSON.stringify([issuer, jwks_uri, allow_unsafe_http])
    const known = this.#known.get(key)
    if (known) return known
    for (const oldest of this.#known.keys()) {
      if (this.#known.size < maxKnown) break
      this.#known.delete(oldest)
    }
    const keys = new IssuerKeys(site, this.#ports)
    this.#known.set(key, keys)
    return keys
  }
}
