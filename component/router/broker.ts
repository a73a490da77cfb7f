/** Events: SUBSCRIBE, UNSUBSCRIBE and PUBLISH of one realm. */

import type { Clock } from '#component/clock.ts'
import { isMatch, type Match } from '#component/syntax/wamp-uri.ts'
import { code } from '#component/wamp/messages.ts'
import type { Steps } from '#component/yielding.ts'
import type { Authorizer, Denial } from './authorize.ts'
import {
  type Options,
  type PublishMessage,
  type SubscribeMessage,
  type UnsubscribeMessage,
  withPayload,
} from './messages.ts'
import { type Recipients, recipientsOf } from './recipients.ts'
import type { Retained, RetainedEvents } from './retained.ts'
import { randomId, type Session, type Subscription } from './session.ts'
import { limitExceeded, type RouterLimits, shortageOf } from './session-limits.ts'
import { UriIndex } from './uri-index.ts'

/** The parts of its realm that the broker uses. */
export interface BrokerPorts {
  readonly clock: Clock
  readonly authorizer: Authorizer
  readonly limits: RouterLimits
  readonly retained: RetainedEvents
}

/** Routes events from publishers to subscribers. */
export class Broker {
  readonly subscriptions = new Map<number, Subscription>()
  readonly index = new UriIndex<Subscription>()
  readonly #ports: BrokerPorts
  #subscriptionCount = 0

  constructor(ports: BrokerPorts) {
    this.#ports = ports
  }

  subscribe(session: Session, message: SubscribeMessage): void {
    const [, request, options, uri] = message
    const { match = 'exact' } = options
    if (!isMatch(match)) {
      const text = 'match is not exact, prefix or wildcard'
      session.refuse(code.subscribe, request, 'wamp.error.option_not_allowed', text)
      return
    }
    if (this.#ports.authorizer.refuses(session, 'subscribe', request, uri, options, match)) return
    const known = this.index.get(match, uri)
    const isNew = known === undefined || !known.subscribers.has(session)
    const shortage = isNew ? this.#shortage(session, match, uri) : undefined
    if (shortage !== undefined) {
      session.refuse(code.subscribe, request, limitExceeded, shortage)
      return
    }
    const subscription = known ?? this.#create(uri, match)
    const { id, created } = subscription
    subscription.subscribers.add(session)
    session.subscriptions.set(id, subscription)
    session.send([code.subscribed, request, id])
    if (options.get_retained === true) this.#sendRetained(session, subscription)
    if (known === undefined) {
      this.announce('wamp.subscription.on_create', [session.id, { id, created, uri, match }])
    }
    if (isNew) this.announce('wamp.subscription.on_subscribe', [session.id, id])
  }

  #shortage(session: Session, match: Match, uri: string): string | undefined {
    const inRealm = this.subscriptions.size
    const wanted = {
      session,
      match,
      uri,
      kind: 'subscriptions',
      index: this.index,
      inRealm,
    } as const
    return shortageOf(wanted, this.#ports.limits)
  }

  #create(uri: string, match: Subscription['match']): Subscription {
    this.#subscriptionCount += 1
    const created = new Date(this.#ports.clock.now()).toISOString()
    const id = this.#subscriptionCount
    const subscription = { id, uri, match, created, subscribers: new Set<Session>() }
    this.index.set(match, uri, subscription)
    this.subscriptions.set(id, subscription)
    return subscription
  }

  /** WAMP: Event Retention. */
  #sendRetained(session: Session, subscription: Subscription): void {
    for (const { details, message, publication } of this.#ports.retained.of(subscription)) {
      if (recipientsOf(message[2])?.(session) !== true) continue
      const shown = { ...eventDetails(details, message[3], subscription), retained: true }
      session.send(withPayload([code.event, subscription.id, publication, shown], message, 4))
    }
  }

  unsubscribe(session: Session, message: UnsubscribeMessage): void {
    const [, request, id] = message
    const subscription = session.subscriptions.get(id)
    if (subscription === undefined) {
      const text = 'the session does not have this subscription'
      session.refuse(code.unsubscribe, request, 'wamp.error.no_such_subscription', text)
      return
    }
    const { uri, match } = subscription
    if (this.#ports.authorizer.refuses(session, 'unsubscribe', request, uri, {}, match)) return
    this.#remove(session, subscription)
    session.send([code.unsubscribed, request])
  }

  #remove(session: Session, subscription: Subscription): void {
    const { id, match, subscribers, uri } = subscription
    session.subscriptions.delete(id)
    subscribers.delete(session)
    if (subscribers.size === 0) {
      this.index.delete(match, uri)
      this.subscriptions.delete(id)
    }
    this.announce('wamp.subscription.on_unsubscribe', [session.id, id])
    if (subscribers.size === 0) this.announce('wamp.subscription.on_delete', [session.id, id])
  }

  publish(session: Session, message: PublishMessage): void {
    const [, request, options, topic] = message
    const isAcknowledged = options.acknowledge === true
    const denial = this.#ports.authorizer.denial(session, 'publish', topic, options)
    if (denial !== undefined) {
      if (isAcknowledged) session.refuse(code.publish, request, denial.uri, denial.message)
      return
    }
    const recipients = recipientsOf(options)
    if (recipients === undefined) {
      const text = 'an exclude or eligible option is not a list'
      const uri = 'wamp.error.option_not_allowed'
      if (isAcknowledged) session.refuse(code.publish, request, uri, text)
      return
    }
    const publication = randomId(this.#ports.clock)
    const details = publisherDetails(session, options)
    const problem =
      options.retain === true ? this.#retain({ publication, details, message }) : undefined
    if (problem !== undefined) {
      if (isAcknowledged) session.refuse(code.publish, request, problem.uri, problem.message)
      return
    }
    const except = options.exclude_me === false ? undefined : session
    this.#deliver(topic, publication, details, message, recipients, except)
    if (isAcknowledged) session.send([code.published, request, publication])
  }

  /** Why the event cannot be kept; undefined when it is. */
  #retain(retained: Retained): Denial | undefined {
    try {
      if (this.#ports.retained.tryKeep(retained)) return undefined
      const message = 'the retained events of the realm leave too little room for this one'
      return { uri: 'wamp.error.payload_size_exceeded', message }
    } catch {
      const message = 'the payload of a retained event cannot be encoded'
      return { uri: 'wamp.error.invalid_argument', message }
    }
  }

  #deliver(
    topic: string,
    publication: number,
    details: Options,
    message: PublishMessage,
    recipients: Recipients,
    except: Session | undefined,
  ): void {
    for (const subscription of this.index.all(topic)) {
      const eventual = eventDetails(details, topic, subscription)
      const event = withPayload([code.event, subscription.id, publication, eventual], message, 4)
      for (const subscriber of subscription.subscribers) {
        // one that cannot be encoded for a subscriber is lost for that one only
        if (subscriber !== except && recipients(subscriber)) subscriber.send(event)
      }
    }
  }

  /** Publishes an event of the router's own. */
  announce(topic: string, args: readonly unknown[]): void {
    const message: PublishMessage = [code.publish, 0, {}, topic, [...args]]
    this.#deliver(topic, randomId(this.#ports.clock), {}, message, () => true, undefined)
  }

  /** Forgets a session that is closed. */
  *leaving(session: Session): Steps<void> {
    for (const subscription of [...session.subscriptions.values()]) {
      this.#remove(session, subscription)
      yield
    }
  }
}

/** WAMP: Publisher Identification. */
function publisherDetails(publisher: Session, options: Options): Options {
  if (options.disclose_me !== true) return {}
  return {
    publisher: publisher.id,
    publisher_authid: publisher.authid,
    publisher_authrole: publisher.authrole,
  }
}

/** WAMP: Pattern-based Subscriptions: only there the subscriber must be told the topic. */
const eventDetails = (details: Options, topic: string, { match }: Subscription): Options =>
  match === 'exact' ? { ...details } : { ...details, topic }
