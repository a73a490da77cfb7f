/** Limits on guessing passwords, secrets and keys: failures are counted by user and by network, in this process. */
import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { ServiceError } from '#component/errors.ts'
import { atMost } from '#component/limits/at-most.ts'
import { LimitUsage } from '#component/limits/limit-usage.ts'
import { because, type LoginRefusal, tooManyFailed } from '#component/login-refusal.ts'
import { networkOf } from '#component/syntax/ip-address.ts'
import { Budget, type Leave } from './budget.ts'

/** How many failures a minute may have before all further attempts are refused (`rate_limits`). */
export interface AttemptLimits {
  /** Of one user, from one network. */
  readonly user_failures: number
  /** From one network, whatever users it tries. */
  readonly address_failures: number
}

/**
 * The failures of a user from all networks without a recent login are limited to `user_failures` times this: guessing from many
 * networks is stopped without locking out the user.
 */
const networksFactor = 10

/** The keys of the configuration. */
const ofUsers = 'rate_limits.user_failures'
const ofNetworks = 'rate_limits.address_failures'

/** For how long, in milliseconds, and for how many a network is known as one where a user logs in. */
const known = { ttl: 86_400_000, ...atMost(50_000) }

/** Makes the handler of a failed {@link Attempts.guard}: adds to the refusal of too many attempts whose login it was, for the log. */
export const tooManyOf =
  (login: () => Omit<LoginRefusal, 'reason'>) =>
  (error: unknown): never => {
    const isTooMany =
      error instanceof ServiceError && error.uri === 'service.error.too_many_requests'
    if (!isTooMany) throw error
    const { realm, authmethod, authid } = login()
    const cause = because({ realm, authmethod, authid, reason: tooManyFailed })
    throw new ServiceError(error.uri, error.message, { headers: error.headers, ...cause })
  }

/** Names come from clients and may be long. */
const keyOf = (...names: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(names)).digest('base64')

/** The failures of the last minute, and the networks where users have logged in. */
export class Attempts {
  readonly #usersThere: Budget
  readonly #users: Budget
  readonly #networks: Budget
  readonly #known = new LRUCache<string, true>(known)

  /** @param usage counts the attempts that are refused, for metrics */
  constructor({ user_failures, address_failures }: AttemptLimits, usage = new LimitUsage()) {
    usage.declare(ofUsers, user_failures)
    usage.declare(ofNetworks, address_failures)
    const refuseUser = () => usage.refuse(ofUsers)
    this.#usersThere = new Budget(user_failures, refuseUser)
    this.#users = new Budget(user_failures * networksFactor, refuseUser)
    this.#networks = new Budget(address_failures, () => usage.refuse(ofNetworks))
  }

  /**
   * Counts a failure of an address, of no user.
   * @param address IP address of the client
   * @throws ServiceError too_many_requests with `Retry-After` when there were too many
   */
  async fail(address: string): Promise<void> {
    const leave = await this.#networks.enter(networkOf(address))
    leave(true)
  }

  /**
   * Lets a proof be tried; what does not come to anything is a failure. No more proofs are under way than may fail: the
   * others wait for them, and are refused untried when they failed.
   * @param address IP address of the client
   * @param prove undefined: it failed. When it rejects, nothing was proved or disproved.
   * @throws ServiceError too_many_requests with `Retry-After`
   */
  async guard<T>(
    realm_uri: string,
    username: string,
    address: string,
    prove: () => Promise<T | undefined>,
  ): Promise<T | undefined> {
    const network = networkOf(address)
    const there = keyOf(realm_uri, username, network)
    // in this order: an attempt that waits for its user must not hold a place of its network
    const budgets: [Budget, string][] = [
      [this.#usersThere, there],
      [this.#networks, network],
    ]
    if (!this.#known.has(there)) budgets.push([this.#users, keyOf(realm_uri, username)])
    const entered: Leave[] = []
    let hasFailed = false
    try {
      for (const [budget, key] of budgets) entered.push(await budget.enter(key))
      const proved = await prove()
      hasFailed = proved === undefined
      if (!hasFailed) this.#known.set(there, true)
      return proved
    } finally {
      for (const leave of entered) leave(hasFailed)
    }
  }
}
