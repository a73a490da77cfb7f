/** How many streams there may be at once: in the process, of one network, of one user, and of one operation. */
import { ServiceError } from '#component/errors.ts'
import { NetworkShare } from '#component/limits/network-share.ts'
import { Quota } from '#component/limits/quota.ts'
import { networkOf } from '#component/syntax/ip-address.ts'
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
  /** The id of the event that the client has seen last; it tells which subscription it comes back to. */
  readonly lastEventId?: string
}

/** Gives one place back of those that count for the same as an applicant; false: there is none to spare. */
export type MakeRoom = (countsAlike: (other: Applicant) => boolean) => boolean

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

  /** The greatest count. */
  get most(): number {
    let most = 0
    for (const count of this.#counts.values()) most = Math.max(most, count)
    return most
  }

  give(key: K): void {
    const count = (this.#counts.get(key) ?? 0) - 1
    if (count > 0) this.#counts.set(key, count)
    else this.#counts.delete(key)
  }
}

/** One of the limits. */
interface Counted {
  readonly limit: PlaceLimit
  /** How much of it is used; of a limit of each network or user, by the one that has most. */
  used(): number
  /** Takes nothing where the limit does not concern the applicant. */
  tryTake(applicant: Applicant): boolean
  give(applicant: Applicant): unknown
  /** Whether two applicants count for the same limit: that of one network, user or operation. */
  isShared(one: Applicant, other: Applicant): boolean
}

/** The limits in the order in which they are tried. */
function countsOf({
  streams,
  streams_per_address: perAddress,
  streams_per_identity: perIdentity,
}: PlaceLimits): readonly Counted[] {
  const all = new Quota(streams)
  const ofAddress = new NetworkShare(perAddress)
  const ofIdentity = new Counts<string>()
  const ofOperation = new Counts<object>()
  const isNamed = ({ owner }: Applicant): boolean => owner.identity.authmethod !== 'anonymous'
  const keyOf = ({ owner: { realm_uri, identity } }: Applicant): string =>
    JSON.stringify([realm_uri, identity.authid])
  return [
    {
      limit: 'streams',
      used: () => all.used,
      tryTake: () => all.tryTake(1),
      give: () => all.give(1),
      isShared: () => true,
    },
    {
      limit: 'streams_per_address',
      used: () => ofAddress.most,
      tryTake: ({ address }) => perAddress === 0 || ofAddress.tryTake(address),
      give: ({ address }) => perAddress === 0 || ofAddress.give(address),
      isShared: (one, other) => networkOf(one.address) === networkOf(other.address),
    },
    {
      limit: 'streams_per_identity',
      used: () => ofIdentity.most,
      tryTake: (one) =>
        perIdentity === 0 || !isNamed(one) || ofIdentity.tryTake(keyOf(one), perIdentity),
      give: (one) => perIdentity === 0 || !isNamed(one) || ofIdentity.give(keyOf(one)),
      isShared: (one, other) => isNamed(other) && keyOf(one) === keyOf(other),
    },
    {
      limit: 'max_streams',
      used: () => ofOperation.most,
      tryTake: ({ owner, maxStreams }) =>
        maxStreams === undefined || ofOperation.tryTake(owner.operation, maxStreams),
      give: ({ owner, maxStreams }) =>
        maxStreams === undefined || ofOperation.give(owner.operation),
      isShared: ({ owner }, other) =>
        other.maxStreams !== undefined && owner.operation === other.owner.operation,
    },
  ]
}

/** The place of one stream. */
export class Place implements Applicant {
  readonly owner: StreamOwner
  readonly address: string
  readonly maxStreams: number | undefined
  /** Ends the subscription that has lent its place to a client that comes back, unless the client has joined it. */
  endLender: (() => void) | undefined
  #counts: readonly Counted[]

  constructor(counts: readonly Counted[], { owner, address, maxStreams }: Applicant) {
    this.owner = owner
    this.address = address
    this.maxStreams = maxStreams
    this.#counts = counts
  }

  /** Gives it back; more than once is the same as once. */
  give(): void {
    for (const count of this.#counts) count.give(this)
    this.#counts = []
    this.endLender?.()
    this.endLender = undefined
  }
}

/** One for each process. */
export class Places {
  readonly #noun: string
  readonly #random: () => number
  readonly #onRefused: (limit: PlaceLimit) => void
  readonly #counts: readonly Counted[]

  /** @param noun what there may be, in the sentences of refusals */
  constructor(
    limits: PlaceLimits,
    random: () => number,
    onRefused: (limit: PlaceLimit) => void,
    noun = 'streams',
  ) {
    this.#noun = noun
    this.#random = random
    this.#onRefused = onRefused
    this.#counts = countsOf(limits)
  }

  /** How much of a limit is used; of a limit of each network, user or operation, by the one that has most. */
  used(limit: PlaceLimit): number {
    return this.#counts.find((count) => count.limit === limit)?.used() ?? 0
  }

  /**
   * Takes a place for a stream.
   * @param makeRoom asked where a limit is met
   * @throws ServiceError 503 or 429 with `Retry-After`: then nothing is taken
   */
  take(applicant: Applicant, makeRoom: MakeRoom): Place {
    const counted: Counted[] = []
    for (const count of this.#counts) {
      const countsAlike = (other: Applicant) => count.isShared(applicant, other)
      if (count.tryTake(applicant) || (makeRoom(countsAlike) && count.tryTake(applicant))) {
        counted.push(count)
        continue
      }
      for (const { give } of counted) give(applicant)
      this.#onRefused(count.limit)
      throw this.#refusal(count.limit)
    }
    return new Place(this.#counts, applicant)
  }

  #refusal(limit: PlaceLimit): ServiceError {
    // clients that were refused together must not come back together
    const seconds = retrySeconds + Math.floor(this.#random() * retrySeconds)
    const headers = { 'retry-after': String(seconds) }
    if (limit === 'streams') {
      const message = `this node has as many ${this.#noun} as it may have`
      return new ServiceError('service.error.unavailable', message, { headers })
    }
    return new ServiceError(
      'service.error.too_many_requests',
      `${subjects[limit]} has as many ${this.#noun} as it may have`,
      { headers },
    )
  }
}

const subjects = {
  streams_per_address: 'this address',
  streams_per_identity: 'this user',
  max_streams: 'this operation',
}
