/** Lets events that are given come true: as a router that publishes them when the stream has begun. */
import { isMatched, type Match } from '#component/syntax/wamp-uri.ts'
import type { Watch, WatchedEvent, WatchHandlers } from '#component/wamp/session.ts'
import type { GivenEvent, GivenOutcome } from './asked.ts'
import { failAsPeer } from './given-outcome.ts'

/** The events of one request. */
export class GivenEvents {
  readonly #subscriptions: (() => Generator<void>)[] = []

  /**
   * Subscribes.
   * @throws WampError where an error is given
   */
  async watch(
    topic: string,
    options: Readonly<Record<string, unknown>>,
    { error, events = [] }: GivenOutcome,
    handlers: Pick<WatchHandlers, 'onEvent'>,
  ): Promise<Watch> {
    if (error) failAsPeer(error)
    const { match = 'exact', get_retained } = options
    let isOver = false
    this.#subscriptions.push(function* () {
      for (const [index, given] of events.entries()) {
        const event = eventOf(given, topic, index)
        const isSent = !event.isRetained || get_retained === true
        const isOfTopic = isMatched(event.topic, topic, match as Match)
        if (isSent && isOfTopic && !isOver) handlers.onEvent(event)
        yield
      }
    })
    return {
      again: async () => undefined,
      end: () => {
        isOver = true
      },
    }
  }

  /** Publishes what was given, one event a step. */
  *publishing(): Generator<void> {
    for (const publishing of this.#subscriptions) yield* publishing()
  }
}

const eventOf = (given: GivenEvent, subscribed: string, index: number): WatchedEvent => {
  const { args = [], kwargs = {}, topic = subscribed, details = {} } = given
  const { publication_id = index + 1, retained = false } = given
  return {
    ...{ publication_id, topic, payload: { args, kwargs } },
    details: retained ? { ...details, retained } : details,
    isRetained: retained,
  }
}
