/** The requests in flight: all of them can be visited, and each comes and goes without garbage. */

/** Something that knows its own place among the others. */
export interface Placed {
  /** Kept by the {@link ActiveRequests}; -1 while it is in none. */
  place: number
}

/** A list without gaps: the last one moves to where one has left. A Set holds on to those that are gone (component/in-flight.ts). */
export class ActiveRequests<T extends Placed> {
  readonly #members: T[] = []

  get size(): number {
    return this.#members.length
  }

  add(member: T): void {
    member.place = this.#members.length
    this.#members.push(member)
  }

  /** Takes out one that has been added; nothing happens to one that has not. */
  delete(member: T): void {
    const { place } = member
    const last = this.#members.at(-1)
    if (last === undefined || this.#members[place] !== member) return
    this.#members.pop()
    member.place = -1
    if (last === member) return
    this.#members[place] = last
    last.place = place
  }

  /** A copy: members may come and go while it is walked. */
  all(): T[] {
    return [...this.#members]
  }
}
