/** The last event of each topic that was published with `retain` (WAMP: Event Retention), within a limit of bytes. */
import { routerRules } from '#component/codec/limits.ts'
import { serializers } from '#component/codec/serializers.ts'
import type { Quota } from '#component/limits/quota.ts'
import { UriIndex } from '#component/router/patterns/uri-index.ts'
import type { Options, PublishMessage } from './messages.ts'
import type { Subscription } from './session.ts'

/** An event that is kept. */
export interface Retained {
  readonly publication: number
  readonly details: Options
  readonly message: PublishMessage
}

/** The message as bytes, so that its size is known. */
interface Kept extends Omit<Retained, 'message'> {
  readonly bytes: Uint8Array
  /** Bytes taken from the budget for it. */
  readonly taken: number
}

/** Memory of an event beside its bytes. */
const eventBytes = 512

/** At least so many bytes are the texts and binary values of a value in MessagePack: a UTF-16 unit takes one or more. */
function leastBytesOf(value: unknown): number {
  if (typeof value === 'string' || value instanceof Uint8Array) return value.length
  if (typeof value !== 'object' || value === null) return 0
  return Object.values(value).reduce<number>((sum, part) => sum + leastBytesOf(part), 0)
}

/** The retained events of one realm. */
export class RetainedEvents {
  readonly #events = new Map<string, Kept>()
  readonly #maxCount: number
  readonly #budget: Quota

  /**
   * @param maxCount most topics with an event; the oldest one goes first
   * @param budget for the bytes of all events
   */
  constructor(maxCount: number, budget: Quota) {
    this.#maxCount = maxCount
    this.#budget = budget
  }

  /**
   * Keeps an event in place of the topic's last one; false when there is no room for it, and the last one stays.
   * @throws when it cannot be encoded
   */
  tryKeep({ publication, details, message }: Retained): boolean {
    const topic = message[3]
    const last = this.#events.get(topic)
    const room = this.#budget.limit - this.#budget.used + (last?.taken ?? 0)
    // else each event that is refused would leave garbage of three times its size
    if (leastBytesOf(message) > room) return false
    const bytes = serializers.msgpack.encode(message)
    const taken = bytes.length + 2 * topic.length + eventBytes
    this.#budget.give(last?.taken ?? 0)
    if (!this.#budget.tryTake(taken)) {
      this.#budget.tryTake(last?.taken ?? 0)
      return false
    }
    this.#events.delete(topic)
    this.#events.set(topic, { publication, details, bytes, taken })
    if (this.#events.size > this.#maxCount) this.#forgetOldest()
    return true
  }

  #forgetOldest(): void {
    for (const [topic, { taken }] of this.#events) {
      this.#events.delete(topic)
      this.#budget.give(taken)
      return
    }
  }

  /** The events that a subscription covers, the oldest first. */
  *of({ uri, match }: Pick<Subscription, 'uri' | 'match'>): Iterable<Retained> {
    const index = new UriIndex<true>()
    index.set(match, uri, true)
    const topics = match === 'exact' ? [uri] : [...this.#events.keys()]
    for (const topic of topics) {
      const kept = index.best(topic) && this.#events.get(topic)
      if (!kept) continue
      const { bytes, details, publication } = kept
      const message = serializers.msgpack.decode(bytes, routerRules) as PublishMessage
      yield { publication, details, message }
    }
  }

  /** Forgets all of them. */
  clear(): void {
    for (const { taken } of this.#events.values()) this.#budget.give(taken)
    this.#events.clear()
  }
}
