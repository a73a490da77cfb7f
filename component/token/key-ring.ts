/** The keys of one realm over time: which signs, which verify, which are gone. A function of the clock, the same on all nodes. */

/** The public half of a key (RFC 7518 §6.2.1). */
export interface PublicJwk {
  readonly kty: 'EC'
  readonly crv: 'P-256'
  readonly x: string
  readonly y: string
}

/** A key as it is replicated: kind `realm_key`, by its `kid`. */
export interface KeyDocument {
  readonly realm_uri: string
  readonly kid: string
  readonly alg: 'ES256'
  readonly public_jwk: PublicJwk
  /** The private JWK, sealed. */
  readonly private_jwk: string
  /** Seconds since the epoch. */
  readonly created_at: number
  /** When it begins to sign. Seconds since the epoch. */
  readonly active_from: number
}

type Dated = Pick<KeyDocument, 'kid' | 'active_from'>

const byAge = (a: Dated, b: Dated): number =>
  a.active_from - b.active_from || (a.kid < b.kid ? -1 : 1)

/**
 * The keys of a realm in order. A key is *next* until its `active_from`; *active* while it is the newest that is not
 * next; *verifying* from when its successor is active until the longest-lived thing it signed has expired; then *retired*.
 */
export class KeyRing<K extends Dated> {
  /** Oldest first. */
  readonly keys: readonly K[]
  readonly #byKid: ReadonlyMap<string, { readonly key: K; readonly retiresAt: number }>
  readonly #longestLifetime: number

  /** @param longestLifetime of everything that a key signs; seconds */
  constructor(keys: readonly K[], longestLifetime: number) {
    this.keys = keys.toSorted(byAge)
    this.#longestLifetime = longestLifetime
    this.#byKid = new Map(
      this.keys.map((key, index) => {
        const successor = this.keys[index + 1]
        const retiresAt = successor ? successor.active_from + longestLifetime : Infinity
        return [key.kid, { key, retiresAt }]
      }),
    )
  }

  /** The key of this id, unless it is retired. @param now seconds since the epoch */
  find(kid: string, now: number): K | undefined {
    const found = this.#byKid.get(kid)
    return found && now < found.retiresAt ? found.key : undefined
  }

  /** The keys of the JWK Set: all that are not retired, oldest first. */
  live(now: number): K[] {
    return this.keys.filter(({ kid }) => this.find(kid, now))
  }

  /** The retired keys. */
  retired(now: number): K[] {
    return this.keys.filter(({ kid }) => !this.find(kid, now))
  }

  /**
   * The keys that may sign, the best first: the active key. Then, for a node that cannot open that one, older keys as long as half
   * of their time to verify is left, so that nodes with different secrets do not make keys against each other all the time.
   */
  signers(now: number): K[] {
    const begun = this.keys.filter(({ active_from }) => active_from <= now)
    return begun.filter(({ kid }) => this.find(kid, now + this.#longestLifetime / 2)).toReversed()
  }
}
