/** Limits the resources that the clients of one network hold at once, such as connections or bytes. */
import { networkOf } from '#component/syntax/ip-address.ts'
import { ByteBudget } from './byte-budget.ts'

/** A budget for each network that holds something; of an IPv6 address its /64 is the network. */
export class NetworkShare {
  readonly #limit: number
  readonly #whole: ByteBudget | undefined
  readonly #budgets = new Map<string, ByteBudget>()

  /**
   * @param limit most that one network holds at once
   * @param whole limits what all networks hold; absent: no limit
   */
  constructor(limit: number, whole?: ByteBudget) {
    this.#limit = limit
    this.#whole = whole
  }

  /** Takes for the client of an IP address; false, with nothing taken, when its network or the whole is at the limit. */
  tryTake(address: string, amount = 1): boolean {
    const network = networkOf(address)
    const budget = this.#budgets.get(network) ?? new ByteBudget(this.#limit, this.#whole)
    if (!budget.tryTake(amount)) return false
    this.#budgets.set(network, budget)
    return true
  }

  /** Releases the share of the client of an IP address. */
  give(address: string, amount = 1): void {
    const network = networkOf(address)
    const budget = this.#budgets.get(network)
    budget?.give(amount)
    if (budget?.used === 0) this.#budgets.delete(network)
  }

  /** How much the network of the address holds now. */
  heldBy(address: string): number {
    return this.#budgets.get(networkOf(address))?.used ?? 0
  }
}
