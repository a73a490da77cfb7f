/** The subscriptions of one connection: SUBSCRIBE and UNSUBSCRIBE are sent below the client library, and events find their listeners by id. */
import type { Clock } from '#component/clock.ts'
import { isMatch, type Match } from '#component/syntax/wamp-uri.ts'
import { failure, sessionLost } from '#component/wamp/failure.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import { asMap, code } from '#component/wamp/messages.ts'
import type { Draft } from '#component/wamp/outbox.ts'
import { readError } from '#component/wamp/requests.ts'
import type { WampError } from '#component/wamp/session.ts'

/** The parts of a connection that its subscriptions use. */
export interface SubscriptionPorts {
  readonly clock: Clock
  /**
   * Sends a request under a fresh id.
   * @returns the id
   * @throws WampError when it cannot be sent
   */
  send(draft: Draft): unknown
}

/** One who listens to a subscription. None of these throws. */
export interface SubscriptionListener {
  /** SUBSCRIBED is here: events follow, the first ones before the promise of {@link Subscriptions.subscribe} is settled. */
  onSubscribed(): void
  onEvent(message: WampMessage): void
  /** An EVENT has come that cannot be read. @param publication its id, where that could be read */
  onMissed(publication: unknown): void
  /** The router has taken the subscription away; the listener is forgotten. */
  onRevoked(): void
}

/** What a listener listens to. */
export interface Subject {
  readonly uri: string
  readonly match: Match
}

/** The `match` of SUBSCRIBE.Options; `exact` where there is none. */
export const matchOf = ({ match }: Readonly<Record<string, unknown>>): Match =>
  isMatch(match) ? match : 'exact'

/** All listeners of one subject. The router gives a session one subscription for it, however often it subscribes. */
interface Subscription {
  readonly key: string
  readonly uri: string
  /** The router's; undefined before SUBSCRIBED. */
  id: unknown
  /** SUBSCRIBEs that are not answered. */
  asking: number
  readonly listeners: Set<SubscriptionListener>
}

/** A SUBSCRIBE that is not answered. */
interface Asked {
  readonly subscription: Subscription
  readonly listener: SubscriptionListener
  readonly resolve: () => void
  readonly reject: (error: WampError) => void
  readonly stopTimer: () => void
  /** Its caller has gone: nobody listens when it is answered. */
  isAbandoned: boolean
}

const keyOf = ({ match, uri }: Subject): string => `${match}:${uri}`

/** Exists as long as its connection. */
export class Subscriptions {
  readonly #ports: SubscriptionPorts
  readonly #bySubject = new Map<string, Subscription>()
  readonly #byId = new Map<unknown, Subscription>()
  /** By request id. */
  readonly #asked = new Map<unknown, Asked>()

  constructor(ports: SubscriptionPorts) {
    this.#ports = ports
  }

  /**
   * Sends SUBSCRIBE, for a listener that may listen already.
   * @param timeoutMs rejects with `service.error.timeout` then; a later answer is undone
   * @throws WampError the refusal of the router, or why it could not be asked
   */
  async subscribe(
    uri: string,
    options: Readonly<Record<string, unknown>>,
    timeoutMs: number,
    listener: SubscriptionListener,
  ): Promise<void> {
    const id = this.#ports.send([code.subscribe, undefined, options, uri])
    const subscription = this.#subscription({ uri, match: matchOf(options) })
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const stopTimer = this.#ports.clock.after(timeoutMs, () => {
      asked.isAbandoned = true
      reject(failure('service.error.timeout', 'the router did not respond in time', true))
    })
    const asked = { subscription, listener, resolve, reject, stopTimer, isAbandoned: false }
    subscription.asking += 1
    this.#asked.set(id, asked)
    await promise
  }

  /** Forgets a listener; the last one of a subject sends UNSUBSCRIBE, after the router has answered each SUBSCRIBE for it. */
  unsubscribe(subject: Subject, listener: SubscriptionListener): void {
    for (const asked of this.#asked.values()) {
      if (asked.listener === listener) asked.isAbandoned = true
    }
    const subscription = this.#bySubject.get(keyOf(subject))
    if (subscription?.listeners.delete(listener)) this.#tidy(subscription)
  }

  /** EVENT: `[36, subscription, publication, details, args?, kwargs?]`. */
  deliver(message: WampMessage): void {
    const subscription = this.#byId.get(message[1])
    if (subscription === undefined) return
    for (const listener of subscription.listeners) listener.onEvent(message)
  }

  /** The first fields of an EVENT that cannot be read. @returns the topic or pattern that is subscribed */
  miss([, id, publication]: WampMessage): string | undefined {
    const subscription = this.#byId.get(id)
    if (subscription === undefined) return undefined
    for (const listener of subscription.listeners) listener.onMissed(publication)
    return subscription.uri
  }

  /** SUBSCRIBED: `[33, request, subscription]`, or ERROR: `[8, 32, request, …]`. Others are ignored. */
  settle(message: WampMessage): void {
    const isError = message[0] === code.error
    if (isError ? message[1] !== code.subscribe : message[0] !== code.subscribed) return
    const id = message[isError ? 2 : 1]
    const asked = this.#asked.get(id)
    if (asked === undefined) return
    this.#asked.delete(id)
    asked.stopTimer()
    const { subscription, listener } = asked
    subscription.asking -= 1
    if (isError) asked.reject(readError(message))
    else {
      this.#identify(subscription, message[2])
      if (!asked.isAbandoned) {
        subscription.listeners.add(listener)
        listener.onSubscribed()
      }
      asked.resolve()
    }
    this.#tidy(subscription)
  }

  /** UNSUBSCRIBED without a request: `[35, 0, {subscription, reason}]` (WAMP: Subscription Revocation). */
  revoke([, request, details]: WampMessage): void {
    if (request !== 0) return
    const subscription = this.#byId.get(asMap(details).subscription)
    if (subscription === undefined) return
    const listeners = [...subscription.listeners]
    subscription.listeners.clear()
    this.#byId.delete(subscription.id)
    subscription.id = undefined
    this.#tidy(subscription)
    for (const listener of listeners) listener.onRevoked()
  }

  /** The session is over: what is asked fails, and no listener hears anything more. */
  lose(): void {
    const asked = [...this.#asked.values()]
    this.#asked.clear()
    this.#byId.clear()
    this.#bySubject.clear()
    for (const { reject, stopTimer } of asked) {
      stopTimer()
      reject(sessionLost())
    }
  }

  #subscription(subject: Subject): Subscription {
    const key = keyOf(subject)
    const known = this.#bySubject.get(key)
    if (known) return known
    const { uri } = subject
    const subscription = { key, uri, id: undefined, asking: 0, listeners: new Set<never>() }
    this.#bySubject.set(key, subscription)
    return subscription
  }

  #identify(subscription: Subscription, id: unknown): void {
    if (subscription.id === id) return
    this.#byId.delete(subscription.id)
    subscription.id = id
    this.#byId.set(id, subscription)
  }

  /** A SUBSCRIBE under way holds UNSUBSCRIBE back: the router would take away what it is about to confirm. */
  #tidy({ asking, id, key, listeners }: Subscription): void {
    if (asking > 0 || listeners.size > 0) return
    this.#bySubject.delete(key)
    if (id === undefined) return
    this.#byId.delete(id)
    try {
      this.#ports.send([code.unsubscribe, undefined, id])
    } catch {
      // the session is over, and its subscriptions with it
    }
  }
}
