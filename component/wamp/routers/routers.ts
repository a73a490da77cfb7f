/** The routers that the sessions of a process may join: all sessions are on one of them, and the next one is used once that one is lost. */

/** One attempt of a session to join, and the session that comes of it. */
export interface Stay {
  /** Undefined for a router in this process. */
  readonly url: string | undefined
  /** The session has joined. */
  joined(): void
  /** The attempt has failed, or the session has ended; once. @param isRouterLost whether the reason is that the router does not answer */
  ended(isRouterLost: boolean): void
}

/** What is known of a stay. */
interface Guest {
  isJoined: boolean
  readonly onMove: () => void
}

/**
 * A router that refuses a session has answered, and one that holds a session of this process is there: only when it answers nobody, the next
 * one is used. So the sessions of users are where the gateway answers for them, and one lost connection moves nobody.
 */
export class Routers {
  readonly #urls: readonly (string | undefined)[]
  #at = 0
  /** On the router in use. */
  readonly #guests = new Set<Guest>()

  /** @param urls in the order of use; at least one */
  constructor(urls: readonly [string | undefined, ...(string | undefined)[]]) {
    this.#urls = urls
  }

  /** How many there are. */
  get count(): number {
    return this.#urls.length
  }

  /** The router in use. */
  get url(): string | undefined {
    return this.#urls[this.#at]
  }

  /** Begins to join the router in use. @param onMove called when another router is used before the session has joined */
  enter(onMove: () => void): Stay {
    const guests = this.#guests
    const guest: Guest = { isJoined: false, onMove }
    guests.add(guest)
    return {
      url: this.url,
      joined() {
        guest.isJoined = true
      },
      ended: (isRouterLost) => {
        // whoever has gone with a move is no guest any more
        if (guests.delete(guest) && isRouterLost) this.#lose()
      },
    }
  }

  #lose(): void {
    const left = [...this.#guests]
    if (this.count === 1 || left.some(({ isJoined }) => isJoined)) return
    this.#at = (this.#at + 1) % this.count
    this.#guests.clear()
    for (const { onMove } of left) onMove()
  }
}
