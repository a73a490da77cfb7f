/** The public keys of a provider (JWK Set) as they were fetched last, and when a key that is not among them has them fetched again. */
import type * as openid from 'openid-client'
import type { Clock } from '#component/clock.ts'
import { ServiceError } from '#component/errors.ts'

/** From one fetch of the keys until a kid that they do not have causes the next one. Seconds. */
const cooldown = 10

/** From when on the library fetches the keys again for a kid that they do not have. Seconds. */
const libraryCooldown = 60

/** The keys of one provider; all logins there share them. */
export class ProviderJwks {
  readonly #clock: Pick<Clock, 'now'>
  #jwks: openid.ExportedJWKSCache['jwks'] | undefined
  /** Milliseconds since the epoch. */
  #fetchedAt = 0
  #pending: Promise<Response> | undefined
  /** The keys that the provider gave at {@link #fetchedAt}. */
  #answer: Response | undefined

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /**
   * The keys that the library is given before an exchange: with an age by which it fetches them anew after {@link cooldown}, where
   * its own rule would have users wait for a minute after their provider has changed its key.
   */
  cache(): openid.ExportedJWKSCache | undefined {
    if (this.#jwks === undefined) return undefined
    const age = Math.floor((this.#clock.now() - this.#fetchedAt) / 1000)
    const told = age < cooldown ? age : Math.max(age, libraryCooldown)
    return { jwks: this.#jwks, uat: Math.floor(Date.now() / 1000) - told }
  }

  /** Takes the keys that the library holds after an exchange. */
  keep(cache: openid.ExportedJWKSCache | undefined): void {
    this.#jwks = cache?.jwks ?? this.#jwks
  }

  /**
   * The keys, for what the gateway verifies by itself.
   * @param isNew whether a key is missed in those that are known
   * @throws what `send` throws; SyntaxError for an answer that is no JSON
   */
  async keys(
    isNew: boolean,
    send: () => Promise<Response>,
  ): Promise<openid.ExportedJWKSCache['jwks']> {
    if (this.#jwks !== undefined && !isNew) return this.#jwks
    const response = await this.fetch(send)
    if (!response.ok)
      throw new ServiceError('service.error.bad_gateway', 'the provider does not give its keys')
    this.#jwks = (await response.json()) as openid.ExportedJWKSCache['jwks']
    return this.#jwks
  }

  /** Fetches the keys, at most once in the {@link cooldown}: exchanges of the same time get one answer. */
  async fetch(send: () => Promise<Response>): Promise<Response> {
    const isFresh = this.#clock.now() - this.#fetchedAt < cooldown * 1000
    if (this.#answer !== undefined && isFresh) return this.#answer.clone()
    this.#pending ??= send()
      .then((response) => {
        this.#fetchedAt = this.#clock.now()
        this.#answer = response.ok ? response : undefined
        return response
      })
      .finally(() => {
        this.#pending = undefined
      })
    const response = await this.#pending
    return response.clone()
  }
}
