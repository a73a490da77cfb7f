/** Events: SUBSCRIBE, UNSUBSCRIBE and PUBLISH of one realm. */
import { isMatch } from '#component/syntax/wamp-uri.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import { code, randomId } from '#component/wamp/messages.ts'
import type { Steps } from '#component/yielding.ts'
import type { Denial } from './authorize.ts'
import { liveDetails, publisherDetails, type Recipients, recipientsOf } from './message-options.ts'
import {
  type Options,
  type PublishMessage,
  type SubscribeMessage,
  type UnsubscribeMessage,
  withPayload,
} from './messages.ts'
import { limitExceeded, PatternTable } from './pattern-table.ts'
import type { RealmPorts } from './realm-ports.ts'
import type { Retained, RetainedEvents } from './retained.ts'
import type { Pattern, Session, Subscription } from './session.ts'

const withoutSubscribers = (pattern: Pattern): Subscription => ({
  ...pattern,
  subscribers: new Set(),
})

/** Routes events from publishers to subscribers. */
export class Broker {
  readonly subscriptions: PatternTable<Subscription>
  readonly #ports: RealmPorts
  readonly #retained: RetainedEvents

  constructor(ports: RealmPorts, retained: RetainedEvents) {
    this.subscriptions = new PatternTable('subscriptions', ports)
    this.#ports = ports
    this.#retained = retained
  }

  subscribe(session: Session, message: SubscribeMessage): void {
    const [, request, options, uri] = message
    const match = options.match ?? 'exact'
    if (!isMatch(match)) {
      const text = 'match is not exact, prefix or wildcard'
      session.refuse(code.subscribe, request, 'wamp.error.option_not_allowed', text)
      return
    }
    if (this.#ports.authorizer.refuses(session, 'subscribe', request, uri, options, match)) return
    const known = this.subscriptions.index.get(match, uri)
    const isNew = known === undefined || !known.subscribers.has(session)
    const shortage = isNew ? this.subscriptions.shortage(session, match, uri) : undefined
    if (shortage !== undefined) {
      session.refuse(code.subscribe, request, limitExceeded, shortage)
      return
    }
    const subscription = known ?? this.subscriptions.create(match, uri, withoutSubscribers)
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

  /** WAMP: Event Retention. */
  #sendRetained(session: Session, subscription: Subscription): void {
    for (const { details, message, publication } of this.#retained.of(subscription)) {
      if (!recipientsOf(message[2])(session)) continue
      const shown = { ...eventDetails(details, message[3], subscription), retained: true }
      const event = withPayload([code.event, subscription.id, publication, shown], message, 4)
      this.#send(session, message[3], event)
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
    // what the gateway subscribed for a stream ends with it, whatever its user may
    if (!session.transport.peer.isInProcess) {
      if (this.#ports.authorizer.refuses(session, 'unsubscribe', request, uri, {}, match)) return
    }
    this.#remove(session, subscription)
    session.send([code.unsubscribed, request])
  }

  #remove(session: Session, subscription: Subscription): void {
    const { id, subscribers } = subscription
    session.subscriptions.delete(id)
    subscribers.delete(session)
    if (subscribers.size === 0) this.subscriptions.delete(subscription)
    this.announce('wamp.subscription.on_unsubscribe', [session.id, id])
    if (subscribers.size === 0) this.announce('wamp.subscription.on_delete', [session.id, id])
  }

  publish(session: Session, message: PublishMessage): void {
    const [, request, options] = message
    const outcome = this.#tryPublish(session, message)
    if (options.acknowledge !== true) return
    if (typeof outcome === 'number') session.send([code.published, request, outcome])
    else session.refuse(code.publish, request, outcome.uri, outcome.message)
  }

  /** The id of the publication, or the reason of its refusal. */
  #tryPublish(session: Session, message: PublishMessage): number | Denial {
    const [, , options, topic] = message
    const denial = this.#ports.authorizer.denial(session, 'publish', topic, options)
    if (denial !== undefined) return denial
    const recipients = recipientsOf(options)
    const sender = this.#ports.authorizer.senderOf(session, options)
    if ('uri' in sender) return sender
    const publication = randomId(this.#ports.clock)
    const details = publisherDetails(sender, options)
    const problem =
      options.retain === true ? this.#retain({ publication, details, message }) : undefined
    if (problem !== undefined) return problem
    const except = options.exclude_me === false ? undefined : session
    const live = liveDetails(details, options)
    this.#deliver(topic, publication, live, message, recipients, except)
    return publication
  }

  /** Why the event cannot be kept; undefined when it is. */
  #retain(retained: Retained): Denial | undefined {
    try {
      if (this.#retained.tryKeep(retained)) return undefined
      this.#ports.usage.refuse('limits.buffered_bytes')
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
    for (const subscription of this.subscriptions.index.all(topic)) {
      const eventual = eventDetails(details, topic, subscription)
      const event = withPayload([code.event, subscription.id, publication, eventual], message, 4)
      for (const subscriber of subscription.subscribers) {
        if (subscriber !== except && recipients(subscriber)) this.#send(subscriber, topic, event)
      }
    }
  }

  /** An event that cannot be encoded for a subscriber is lost for that one only. */
  #send(subscriber: Session, topic: string, event: WampMessage): void {
    const problem = subscriber.send(event)
    if (problem === undefined) return
    const { realm, authid } = subscriber
    this.#ports.onUnsent({ realm, authid, uri: topic, problem })
  }

  /** Publishes an event of the router's own. */
  announce(topic: string, args: readonly unknown[]): void {
    const message: PublishMessage = [code.publish, 0, {}, topic, [...args]]
    this.#deliver(topic, randomId(this.#ports.clock), {}, message, () => true, undefined)
  }

  /** Ends the subscriptions that the session may have no longer (WAMP: Subscription Revocation). */
  *judging(session: Session): Steps<void> {
    const { authorizer } = this.#ports
    for (const subscription of [...session.subscriptions.values()]) {
      const { id, uri, match } = subscription
      const denial = authorizer.denial(session, 'subscribe', uri, {}, match)
      if (denial !== undefined && session.subscriptions.has(id)) {
        this.#remove(session, subscription)
        const details = { subscription: id, reason: denial.uri }
        if (session.hearsRevocations.subscriber) session.send([code.unsubscribed, 0, details])
      }
      yield
    }
  }

  /** Forgets a session that is closed. */
  *leaving(session: Session): Steps<void> {
    for (const subscription of [...session.subscriptions.values()]) {
      this.#remove(session, subscription)
      yield
    }
  }
}

/** WAMP: Pattern-based Subscriptions: only there the subscriber must be told the topic. */
const eventDetails = (details: Options, topic: string, { match }: Subscription): Options =>
  match === 'exact' ? { ...details } : { ...details, topic }
