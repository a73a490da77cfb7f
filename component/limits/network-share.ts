/** Limits the resources that the clients of one network hold at once, such as connections or bytes. */
import { networkOf } from '#component/syntax/ip-address.ts'
import { Quota } from './quota.ts'

/** {@link ShareOptions.maxIdle} where it is absent. */
const usualIdle = 1000

/** What a share may have beside its limit. */
export interface ShareOptions {
  /** Limits what all networks hold; absent: no limit. */
  readonly whole?: Quota
  /** Called when nothing was taken. */
  readonly onRefused?: () => void
  /** While more networks than this are known, a network that holds nothing is forgotten; before, it is kept, because most clients come again. */
  readonly maxIdle?: number
}

/** A quota for each network that holds or has held something; of an IPv6 address its /64 is the network. */
export class NetworkShare {
  /** Most that one network holds at once. */
  readonly limit: number
  readonly #options: ShareOptions
  readonly #quotas = new Map<string, Quota>()

  constructor(limit: number, options: ShareOptions = {}) {
    this.limit = limit
    this.#options = options
  }

  /** Takes for the client of an IP address; false, with nothing taken, when its network or the whole is at the limit. */
  tryTake(address: string, amount = 1): boolean {
    const { whole, onRefused } = this.#options
    const network = networkOf(address)
    const known = this.#quotas.get(network)
    const quota = known ?? new Quota(this.limit, whole)
    if (!quota.tryTake(amount)) {
      onRefused?.()
      return false
    }
    if (known === undefined) this.#quotas.set(network, quota)
    return true
  }

  /** Releases the share of the client of an IP address. */
  give(address: string, amount = 1): void {
    const { maxIdle = usualIdle } = this.#options
    const network = networkOf(address)
    const quota = this.#quotas.get(network)
    quota?.give(amount)
    if (quota?.used === 0 && this.#quotas.size > maxIdle) this.#quotas.delete(network)
  }

  /** How much the network of the address holds now. */
  heldBy(address: string): number {
    return this.#quotas.get(networkOf(address))?.used ?? 0
  }

  /** How much the network holds that holds most. Reads all. */
  get most(): number {
    let most = 0
    for (const { used } of this.#quotas.values()) most = Math.max(most, used)
    return most
  }
}
