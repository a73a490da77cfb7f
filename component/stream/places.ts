/** How many streams there may be at once: in the process, of one network, of one user, and of one operation. */
import { ServiceError } from '#component/errors.ts'
import { NetworkShare } from '#component/limits/network-share.ts'
import { Quota } from '#component/limits/quota.ts'
import type { StreamOwner } from './terms.ts'

/** The limits, as configured; 0: none, except for the process. */
export interface PlaceLimits {
  /** In the process. */
  readonly streams: number
  /** Of one address; of an IPv6 address its /64. */
  readonly streams_per_address: number
  /** Of one user of a realm. */
  readonly streams_per_identity: number
}

/** The limit that a request has met, for metrics. */
export type PlaceLimit = 'streams' | 'streams_per_address' | 'streams_per_identity' | 'max_streams'

/** What a stream counts for. */
export interface Applicant {
  readonly owner: StreamOwner
  /** IP address of the client. */
  readonly address: string
  /** Of the operation; undefined: any number. */
  readonly maxStreams: number | undefined
}

/** Seconds after which a client may try again, at least. */
const retrySeconds = 5

/** Counts by key; a key without streams is not kept. */
class Counts<K> {
  readonly #counts = new Map<K, number>()

  tryTake(key: K, most: number): boolean {
    const count = this.#counts.get(key) ?? 0
    if (count >= most) return false
    this.#counts.set(key, count + 1)
    return true
  }

  give(key: K): void {
    const count = (this.#counts.get(key) ?? 0) - 1
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }
}

/** One for each process. */
export class Places {
  readonly #random: () => number
  readonly #onRefused: (limit: PlaceLimit) => void
  readonly #limits: PlaceLimits
  readonly #all: Quota
  readonly #ofAddress: NetworkShare
  readonly #ofIdentity = new Counts<string>()
  readonly #ofOperation = new Counts<object>()

  constructor(limits: PlaceLimits, random: () => number, onRefused: (limit: PlaceLimit) => void) {
    this.#limits = limits
    this.#random = random
    this.#onRefused = onRefused
    this.#all = new Quota(limits.streams)
    this.#ofAddress = new NetworkShare(limits.streams_per_address)
  }

  /**
   * Takes a place for a stream.
   * @returns gives it back; once
   * @throws ServiceError 503 or 429 with `Retry-After`: then nothing is taken
   */
  take({ owner, address, maxStreams }: Applicant): () => void {
    const { streams_per_address: perAddress, streams_per_identity: perIdentity } = this.#limits
    const { identity, operation, realm_uri } = owner
    const taken: (() => void)[] = []
    const giveAll = (): void => {
      for (const give of taken.splice(0)) give()
    }
    const take = (limit: PlaceLimit, isTaken: boolean, give: () => void): void => {
      if (isTaken) {
        taken.push(give)
        return
      }
      giveAll()
      this.#onRefused(limit)
      throw this.#refusal(limit)
    }
    take('streams', this.#all.tryTake(1), () => this.#all.give(1))
    if (perAddress > 0) {
      const share = this.#ofAddress
      take('streams_per_address', share.tryTake(address), () => share.give(address))
    }
    if (perIdentity > 0 && identity.authmethod !== 'anonymous') {
      const counts = this.#ofIdentity
      const key = JSON.stringify([realm_uri, identity.authid])
      take('streams_per_identity', counts.tryTake(key, perIdentity), () => counts.give(key))
    }
    if (maxStreams !== undefined) {
      const counts = this.#ofOperation
      take('max_streams', counts.tryTake(operation, maxStreams), () => counts.give(operation))
    }
    return giveAll
  }

  #refusal(limit: PlaceLimit): ServiceError {
    // clients that were refused together must not come back together
    const seconds = retrySeconds + Math.floor(this.#random() * retrySeconds)
    const headers = { 'retry-after': String(seconds) }
    if (limit === 'streams') {
      const message = 'this node has as many streams as it may have'
      return new ServiceError('service.error.unavailable', message, { headers })
    }
    return new ServiceError('service.error.too_many_requests', sentences[limit], { headers })
  }
}

const sentences = {
  streams_per_address: 'this address has as many streams as it may have',
  streams_per_identity: 'this user has as many streams as it may have',
  max_streams: 'this operation has as many streams as it may have',
}
