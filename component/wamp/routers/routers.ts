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

/** What a session does when another router is used. */
export interface Visitor {
  /** Another router is used before the session has joined. */
  readonly onMove: () => void
  /**
   * The first router is used again, while the session has joined a later one.
   * @param at the place of the first router
   * @returns resolves once the session is there, or has failed to go there
   */
  readonly onReturn: (at: number) => Promise<void>
  /** Whether it has registrations or subscriptions that sessions of users need to join. */
  readonly isServing: () => boolean
}

/** What is known of a stay. */
interface Guest extends Visitor {
  /** The place of its router. */
  readonly at: number
  isJoined: boolean
}

/**
 * A router that refuses a session has answered, and one that holds a session of this process is there: only when it answers nobody, the next
 * one is used. So the sessions of users are where the gateway answers for them, and one lost connection moves nobody.
 */
export class Routers {
  readonly #urls: readonly (string | undefined)[]
  #at = 0
  #moves = 0
  #isReturning = false
  readonly #guests = new Set<Guest>()
  /** Called when another router is used. */
  onUse: () => void = () => undefined

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

  /** The preferred router. */
  get first(): string | undefined {
    return this.#urls[0]
  }

  /** Whether the preferred router is in use. */
  get isFirst(): boolean {
    return this.#at === 0
  }

  /** How often another router was used. */
  get moves(): number {
    return this.#moves
  }

  /** Begins to join a router. @param at its place; absent: the router in use */
  enter(visitor: Visitor, at = this.#at): Stay {
    const guests = this.#guests
    const guest: Guest = { ...visitor, at, isJoined: false }
    guests.add(guest)
    return {
      url: this.#urls[at],
      joined() {
        guest.isJoined = true
      },
      ended: (isRouterLost) => {
        // whoever has gone with a move is no guest any more
        if (guests.delete(guest) && isRouterLost && at === this.#at) this.#lose()
      },
    }
  }

  /**
   * Uses the first router again, if it takes a session. Those that serve go first, because the router may ask them whether users may join.
   * Never rejects.
   */
  async return(): Promise<void> {
    const from = this.#at
    if (this.#isReturning || from === 0) return
    this.#isReturning = true
    const serving = this.#on(from).filter((guest) => guest.isJoined && guest.isServing())
    await Promise.all(serving.map(({ onReturn }) => onReturn(0)))
    this.#isReturning = false
    const isTaken = this.#on(0).some(({ isJoined }) => isJoined)
    if (this.#at !== from || (serving.length > 0 && !isTaken)) return
    this.#use(0)
    for (const guest of this.#on(from)) {
      if (guest.isJoined) void guest.onReturn(0)
      else this.#move(guest)
    }
  }

  #on(at: number): readonly Guest[] {
    return [...this.#guests].filter((guest) => guest.at === at)
  }

  #lose(): void {
    const left = this.#on(this.#at)
    if (this.count === 1 || left.some(({ isJoined }) => isJoined)) return
    const elsewhere = [...this.#guests].find(({ isJoined }) => isJoined)
    this.#use(elsewhere?.at ?? (this.#at + 1) % this.count)
    for (const guest of left) this.#move(guest)
  }

  #use(at: number): void {
    this.#at = at
    this.#moves += 1
    this.onUse()
  }

  #move(guest: Guest): void {
    this.#guests.delete(guest)
    guest.onMove()
  }
}
