/** Limits the resources that the clients of one network hold at once, such as connections or bytes. */
import { networkOf } from '#component/syntax/ip-address.ts'
import { Quota } from './quota.ts'

/** A quota for each network that holds something; of an IPv6 address its /64 is the network. */
export class NetworkShare {
  readonly #limit: number
  readonly #whole: Quota | undefined
  readonly #quotas = new Map<string, Quota>()

  /**
   * @param limit most that one network holds at once
   * @param whole limits what all networks hold; absent: no limit
   */
  constructor(limit: number, whole?: Quota) {
    this.#limit = limit
    this.#whole = whole
  }

  /** Takes for the client of an IP address; false, with nothing taken, when its network or the whole is at the limit. */
  tryTake(address: string, amount = 1): boolean {
    const network = networkOf(address)
    const quota = this.#quotas.get(network) ?? new Quota(this.#limit, this.#whole)
    if (!quota.tryTake(amount)) return false
    this.#quotas.set(network, quota)
    return true
  }

  /** Releases the share of the client of an IP address. */
  give(address: string, amount = 1): void {
    const network = networkOf(address)
    const quota = this.#quotas.get(network)
    quota?.give(amount)
    if (quota?.used === 0) this.#quotas.delete(network)
  }

  /** How much the network of the address holds now. */
  heldBy(address: string): number {
    return this.#quotas.get(networkOf(address))?.used ?? 0
  }
}
