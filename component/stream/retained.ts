/** Which streams get the retained events that a router sends behind SUBSCRIBE: those that have asked, once each. */
import type { Match } from '#component/syntax/wamp-uri.ts'
import type { Entry } from './entry.ts'
import type { Stream } from './stream.ts'

/** Retained events whose place in the order of the others is known. */
const maxPlaces = 1000

/** One for each source: several streams that ask at the same time share one SUBSCRIBE. */
export class RetainedRounds {
  readonly #match: Match
  /** Streams that wait, with the publications that they have got. */
  readonly #waiting = new Map<Stream, Set<number>>()
  /** By publication, the `seq` that came next when it was first sent. */
  readonly #places = new Map<number, number>()
  /** The streams of the next SUBSCRIBE. */
  #asking = new Set<Stream>()
  #next: Promise<void> | undefined
  #last: Promise<unknown> = Promise.resolve()

  constructor(match: Match) {
    this.#match = match
  }

  /** The stream gets retained events from now on. */
  admit(stream: Stream): void {
    this.#waiting.set(stream, new Set())
  }

  /**
   * Asks the router for a stream; SUBSCRIBEs follow each other, so that each is answered before the next one.
   * @param subscribe sends one
   */
  ask(stream: Stream, subscribe: () => Promise<void>): Promise<void> {
    this.#asking.add(stream)
    this.#next ??= this.#last.then(() => this.#round(subscribe))
    this.#last = this.#next.catch(() => undefined)
    return this.#next
  }

  /** The stream is over. */
  forget(stream: Stream): void {
    this.#asking.delete(stream)
    this.#waiting.delete(stream)
  }

  /**
   * Takes a retained event.
   * @param seen the `seq` of the same publication among the events; 0: none
   * @param nextSeq of the source
   * @returns the streams that get it; undefined: none
   */
  receive({ event }: Entry, seen: number, nextSeq: number): ReadonlySet<Stream> | undefined {
    if (event === undefined) return undefined
    const { publication_id } = event
    this.#place(publication_id, nextSeq)
    const streams = new Set<Stream>()
    for (const [stream, got] of this.#waiting) {
      const hasIt = got.has(publication_id) || seen >= stream.joinedAt
      if (!hasIt) streams.add(stream)
      // a topic has at most one
      if (this.#match === 'exact') this.#waiting.delete(stream)
      else got.add(publication_id)
    }
    return streams.size > 0 ? streams : undefined
  }

  /**
   * The `seq` that came next when a retained event was first sent: a client that has seen nothing behind it resumes there.
   * @param firstSeq of what the ring has
   */
  behind(publication_id: number, firstSeq: number): number | undefined {
    const seq = this.#places.get(publication_id)
    return seq === undefined || seq < firstSeq ? undefined : seq
  }

  async #round(subscribe: () => Promise<void>): Promise<void> {
    this.#next = undefined
    const before = [...this.#waiting.keys()]
    for (const stream of this.#asking) this.admit(stream)
    this.#asking = new Set()
    await subscribe()
    // what the router sends now belongs to this round
    for (const stream of before) this.#waiting.delete(stream)
  }

  #place(publication_id: number, nextSeq: number): void {
    if (this.#places.has(publication_id)) return
    this.#places.set(publication_id, nextSeq)
    if (this.#places.size <= maxPlaces) return
    for (const oldest of this.#places.keys()) {
      this.#places.delete(oldest)
      return
    }
  }
}
