/** Limits on guessing passwords, secrets and keys: failures are counted by user and by address, in this process. */
import { createHash } from 'node:crypto'
import { isIPv6 } from 'node:net'
import { RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { ServiceError } from '#component/errors.ts'

/** Seconds from the first failure until it is forgotten. */
const duration = 60

/** How many failures a minute may have before all further attempts are refused (`rate_limits`). */
export interface AttemptLimits {
  readonly perUser: number
  readonly perAddress: number
}

/** One who holds an IPv6 address holds the 2^64 beside it. */
function networkOf(address: string): string {
  if (!isIPv6(address)) return address
  const [head = '', tail] = address.split('%')[0]?.toLowerCase().split('::') ?? []
  const left = head.split(':')
  const missing = tail === undefined ? 0 : 8 - left.length - tail.split(':').length
  const groups =
    tail === undefined
      ? left
      : [...left, ...Array(Math.max(missing, 0)).fill('0'), ...tail.split(':')]
  return groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group || '0', 16))
    .join(':')
}

/** Names come from clients and may be long. */
const userKey = (realm_uri: string, username: string): string =>
  createHash('sha256')
    .update(JSON.stringify([realm_uri, username]))
    .digest('base64')

/** The failures of the last minute. */
export class Attempts {
  readonly #users: RateLimiterMemory
  readonly #addresses: RateLimiterMemory

  constructor({ perUser, perAddress }: AttemptLimits) {
    this.#users = new RateLimiterMemory({ points: perUser, duration })
    this.#addresses = new RateLimiterMemory({ points: perAddress, duration })
  }

  /**
   * Is another attempt allowed?
   * @param address IP address of the client
   * @throws ServiceError too_many_requests with `Retry-After`
   */
  async admit(realm_uri: string, username: string, address: string): Promise<void> {
    const ofUser = this.#users.get(userKey(realm_uri, username))
    const ofAddress = this.#addresses.get(networkOf(address))
    refuseIf((count) => count.remainingPoints <= 0, await ofUser, await ofAddress)
  }

  /**
   * Counts a failure.
   * @throws ServiceError too_many_requests with `Retry-After` when others reached the limit while this one was tried:
   *   then nothing is told of how it ended
   */
  async failed(realm_uri: string, username: string, address: string): Promise<void> {
    const ofUser = this.#users.penalty(userKey(realm_uri, username))
    const ofAddress = this.#addresses.penalty(networkOf(address))
    const { points: perUser } = this.#users
    const { points: perAddress } = this.#addresses
    refuseIf((count) => count.consumedPoints > perUser, await ofUser)
    refuseIf((count) => count.consumedPoints > perAddress, await ofAddress)
  }

  /**
   * Lets a proof be tried; what does not come to anything is a failure. Who guesses in parallel learns no more than who
   * guesses one after the other.
   * @param prove undefined: it failed
   * @throws ServiceError too_many_requests with `Retry-After`
   */
  async guard<T>(
    realm_uri: string,
    username: string,
    address: string,
    prove: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    await this.admit(realm_uri, username, address)
    const proved = await prove()
    if (proved === undefined) await this.failed(realm_uri, username, address)
    else await this.admit(realm_uri, username, address)
    return proved
  }
}

function refuseIf(
  isOver: (count: RateLimiterRes) => boolean,
  ...counts: readonly (RateLimiterRes | null)[]
): void {
  for (const count of counts) {
    if (count === null || count.msBeforeNext <= 0 || !isOver(count)) continue
    throw new ServiceError(
      'service.error.too_many_requests',
      'there were too many wrong passwords or keys: try again later',
      { headers: { 'retry-after': String(Math.ceil(count.msBeforeNext / 1000)) } },
    )
  }
}
