/** Bytes that the router holds for peers: of messages they have not finished sending, and of messages they have not read. */
import { ByteBudget } from '#component/byte-budget.ts'

/** A peer, as far as bytes are held for it. */
export interface Holder {
  readonly heldBytes: number
  /** Ends the peer at once and gives back what is held for it. */
  drop(): void
}

/** So many bytes of a joined peer are not counted: a peer of ordinary messages is never dropped for what others hold. */
export const freeBytes = 65_536

/** What all peers of the router hold. */
export class Backlog {
  /** For peers that have joined. */
  readonly joined: ByteBudget
  /** For peers that have not: they cannot take what joined ones need. */
  readonly strangers: ByteBudget
  readonly #holders = new Set<Holder>()
  /** How many peers each large message waits for: it is in memory once. */
  readonly #waiting = new WeakMap<Uint8Array, number>()

  /** @param whole the budget of the process; the router takes half of it at most */
  constructor(whole: ByteBudget) {
    this.joined = new ByteBudget(Math.floor(whole.limit / 2), whole)
    this.strangers = new ByteBudget(Math.floor(whole.limit / 8), whole)
  }

  add(holder: Holder): void {
    this.#holders.add(holder)
  }

  remove(holder: Holder): void {
    this.#holders.delete(holder)
  }

  /** Takes bytes for a joined peer. Beyond the limit the peers that hold most are dropped; false when it is the peer's own turn. */
  take(holder: Holder, bytes: number): boolean {
    while (!this.joined.tryTake(bytes)) {
      const greatest = this.#greatest()
      if (greatest === undefined || greatest.heldBytes <= holder.heldBytes) return false
      this.#holders.delete(greatest)
      greatest.drop()
    }
    return true
  }

  #greatest(): Holder | undefined {
    let greatest: Holder | undefined
    let most = freeBytes
    for (const holder of this.#holders) {
      const { heldBytes } = holder
      if (heldBytes <= most) continue
      greatest = holder
      most = heldBytes
    }
    return greatest
  }

  /** Takes the bytes of a large message that waits for a peer, unless it waits for another one already. */
  hold(holder: Holder, message: Uint8Array): boolean {
    const count = this.#waiting.get(message) ?? 0
    if (count === 0 && !this.take(holder, message.length)) return false
    this.#waiting.set(message, count + 1)
    return true
  }

  /** A large message waits for one peer less. */
  release(message: Uint8Array): void {
    const count = (this.#waiting.get(message) ?? 0) - 1
    if (count > 0) this.#waiting.set(message, count)
    else if (this.#waiting.delete(message)) this.joined.give(message.length)
  }
}
