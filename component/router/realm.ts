/** One realm of the router: its sessions, and the messages they exchange. */

import { Quota } from '#component/limits/quota.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import { code } from '#component/wamp/messages.ts'
import { runSteps, type Steps } from '#component/yielding.ts'
import { Broker } from './broker.ts'
import { Dealer } from './dealer.ts'
import { describeOption } from './message-options.ts'
import { type ClientMessage, ProtocolViolation } from './messages.ts'
import { callMeta } from './meta.ts'
import type { RealmPorts } from './realm-ports.ts'
import { Registrations } from './registrations.ts'
import { RetainedEvents } from './retained.ts'
import type { Session } from './session.ts'
import { answerUnreadable, type Unreadable } from './unreadable.ts'

/** A realm that has been joined since the router started. */
export class Realm {
  readonly uri: string
  readonly sessions = new Map<number, Session>()
  readonly #ports: RealmPorts
  readonly #retained: RetainedEvents
  readonly #broker: Broker
  readonly #registrations: Registrations
  readonly #dealer: Dealer

  constructor(uri: string, ports: RealmPorts) {
    this.uri = uri
    this.#ports = ports
    const { maxRetained, retainedBudget } = ports
    const share = new Quota(Math.floor(retainedBudget.limit / 2), retainedBudget)
    this.#retained = new RetainedEvents(maxRetained, share)
    const broker = new Broker(ports, this.#retained)
    const registrations = new Registrations(ports, (topic, args) => broker.announce(topic, args))
    const meta = {
      sessions: this.sessions,
      registrations: registrations.table,
      subscriptions: broker.subscriptions,
      mayEnd: (caller: Session, other: Session) => ports.authorizer.mayEnd(caller, other),
    }
    this.#broker = broker
    this.#registrations = registrations
    this.#dealer = new Dealer(ports, registrations, (session, message) =>
      callMeta(meta, session, message),
    )
  }

  /** Releases the bytes held for the realm, which is not served any longer. */
  close(): void {
    this.#retained.clear()
  }

  /** The greater of the numbers of its subscriptions and its registrations, and of those of the session that has most. */
  get most(): { readonly ofRealm: number; readonly ofSession: number } {
    const { table } = this.#registrations
    const ofRealm = Math.max(table.byId.size, this.#broker.subscriptions.byId.size)
    let ofSession = 0
    for (const { transport, registrations, subscriptions } of this.sessions.values()) {
      if (transport.peer.isInProcess) continue
      ofSession = Math.max(ofSession, registrations.size, subscriptions.size)
    }
    return { ofRealm, ofSession }
  }

  /** How many sessions a call of the procedure could reach. */
  calleesOf(procedure: string): number {
    return [...(this.#registrations.table.index.best(procedure)?.callees ?? [])].length
  }

  join(session: Session): void {
    this.sessions.set(session.id, session)
    this.#broker.announce('wamp.session.on_join', [session.describe()])
  }

  leave(session: Session): void {
    if (!this.sessions.delete(session.id)) return
    session.isOpen = false
    this.#dealer.leave(session)
    runSteps(this.#leaving(session), this.#ports.yieldTurn).catch(this.#ports.onError)
  }

  /** Ends what its sessions may have no longer, in steps. */
  judgeAnew(): void {
    runSteps(this.#judging(), this.#ports.yieldTurn).catch(this.#ports.onError)
  }

  *#judging(): Steps<void> {
    for (const session of [...this.sessions.values()]) {
      yield* this.#broker.judging(session)
      yield* this.#registrations.judging(session)
    }
  }

  /** In steps: the session may have thousands of subscriptions and registrations, and each end is announced. */
  *#leaving(session: Session): Steps<void> {
    yield* this.#broker.leaving(session)
    yield* this.#registrations.leaving(session)
    const { authid, authrole, id } = session
    this.#broker.announce('wamp.session.on_leave', [id, authid, authrole])
  }

  /** Answers a message that cannot be read behind its first fields: an ERROR to that message alone. */
  cannotRead(
    session: Session,
    fields: WampMessage,
    request: readonly [type: number, request: number],
    problem: string,
  ): void {
    const text = `the message cannot be read: ${problem}`
    this.#refuse(session, { fields, request, uri: 'wamp.error.invalid_payload', text }, problem)
  }

  #refuse(session: Session, unreadable: Unreadable, problem: string): void {
    const uri = answerUnreadable(session, unreadable, this.#dealer)
    const { realm, authid } = session
    this.#ports.onUnreadable({ realm, authid, uri, problem })
  }

  /**
   * Serves one message of a joined session, already of the right shape.
   * @throws ProtocolViolation
   */
  handle(session: Session, message: ClientMessage): void {
    const type = message[0]
    const options = message[2]
    const problem = typeof options === 'object' ? describeOption(type, options) : undefined
    if (problem !== undefined) {
      const uri = 'wamp.error.option_not_allowed'
      this.#refuse(
        session,
        { fields: message, request: [type, message[1]], uri, text: problem },
        problem,
      )
      return
    }
    switch (message[0]) {
      case code.call:
        this.#dealer.call(session, message)
        break
      case code.yield:
        this.#dealer.yield(session, message)
        break
      case code.publish:
        this.#broker.publish(session, message)
        break
      case code.error:
        this.#dealer.error(session, message)
        break
      case code.cancel:
        this.#dealer.cancel(session, message)
        break
      case code.register:
        this.#registrations.register(session, message)
        break
      case code.unregister:
        this.#registrations.unregister(session, message)
        break
      case code.subscribe:
        this.#broker.subscribe(session, message)
        break
      case code.unsubscribe:
        this.#broker.unsubscribe(session, message)
        break
      default:
        throw new ProtocolViolation('the message is not allowed in a joined session')
    }
  }
}
