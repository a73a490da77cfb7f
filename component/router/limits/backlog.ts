/** Bytes that the router holds for peers: of messages they have not finished sending, and of messages they have not read. */

import type { Clock } from '#component/clock.ts'
import { Quota } from '#component/limits/quota.ts'

/** A peer, as far as bytes are held for it. */
export interface Holder {
  readonly heldBytes: number
  /** Ends the peer at once and gives back what is held for it. */
  drop(): void
  /** There may be room again. */
  goOn(): void
  /** Nothing of the peer is read until the next turn of the event loop. */
  rest(): void
}

/** Bytes of a joined peer that are not counted, so that a peer with ordinary messages is never dropped for what others hold. */
export const freeBytes = 65_536

/** A message from this size on takes milliseconds to be put together; bytes. */
const heavyBytes = 1_048_576

/** How long peers wait for room until the one that holds most makes it, in milliseconds. */
const patienceMs = 1_000

/** The bytes held for all peers of the router. */
export class Backlog {
  /** For peers that have joined. */
  readonly #joined: Quota
  /** For peers that have not: they cannot take what joined ones need. */
  readonly strangers: Quota
  readonly #clock: Clock
  readonly #holders = new Set<Holder>()
  /** Peers of which nothing is read until there is room. */
  readonly #paused = new Set<Holder>()
  #isWatched = false
  /** Whether peers are being dropped to make room for one peer. */
  #isTaking = false
  /** The number of peers that each large message waits for; the message is in memory once. */
  readonly #waiting = new WeakMap<Uint8Array, number>()

  /** Called when a peer is disconnected because there is no room for what is held for it. */
  readonly onDropped: () => void

  /** @param whole the budget of the process; joined peers have a quarter of it at most */
  constructor(whole: Quota, clock: Clock, onDropped: () => void = () => undefined) {
    this.onDropped = onDropped
    this.#joined = new Quota(Math.floor(whole.limit / 4), whole)
    this.strangers = new Quota(Math.floor(whole.limit / 16), whole)
    this.#clock = clock
  }

  /** Bytes held for joined peers. */
  get used(): number {
    return this.#joined.used
  }

  add(holder: Holder): void {
    this.#holders.add(holder)
  }

  remove(holder: Holder): void {
    this.#holders.delete(holder)
    this.#paused.delete(holder)
  }

  /** Takes bytes for a joined peer, if there is room for them. */
  tryTake(bytes: number): boolean {
    return this.#joined.tryTake(bytes)
  }

  /** Takes bytes for a joined peer. Beyond the limit the peers that hold most are dropped; false when it is the peer's own turn. */
  take(holder: Holder, bytes: number): boolean {
    let isTaken = this.tryTake(bytes)
    if (isTaken) return true
    this.#isTaking = true
    while (!isTaken) {
      const greatest = this.#greatest()
      if (greatest === undefined || greatest.heldBytes <= holder.heldBytes) break
      greatest.drop()
      isTaken = this.tryTake(bytes)
    }
    this.#isTaking = false
    this.#wake()
    return isTaken
  }

  /** Gives bytes of a joined peer back. */
  give(bytes: number): void {
    if (bytes === 0) return
    this.#joined.give(bytes)
    if (!this.#isTaking) this.#wake()
  }

  /** A message of a peer has been put together: where that took long, other peers put their own ones together in other turns of the event loop. */
  completed(holder: Holder, bytes: number): void {
    if (bytes < heavyBytes) return
    for (const other of this.#holders) {
      if (other !== holder && other.heldBytes >= heavyBytes) other.rest()
    }
  }

  /** Tells the peer when there may be room; after a second the peer that holds most is dropped for that. */
  wait(holder: Holder): void {
    this.#paused.add(holder)
    if (this.#isWatched) return
    this.#isWatched = true
    this.#clock.after(patienceMs, () => {
      this.#isWatched = false
      if (this.#paused.size === 0) return
      this.#greatest()?.drop()
      this.#wake()
    })
  }

  #wake(): void {
    const paused = [...this.#paused]
    this.#paused.clear()
    for (const holder of paused) holder.goOn()
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
    else if (this.#waiting.delete(message)) this.give(message.length)
  }
}
