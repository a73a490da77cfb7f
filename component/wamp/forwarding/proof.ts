/** Proves, once a join, that the router shows subscribers whom the gateway names by `forward_for`: until then nothing is forwarded. */
import type { Clock } from '#component/clock.ts'
import type { Log } from '#component/log.ts'
import { failure } from '#component/wamp/failure.ts'
import { randomId } from '#component/wamp/messages.ts'
import { WampError } from '#component/wamp/session.ts'
import type { SupervisedSession } from '#component/wamp/supervisor.ts'
import { forwardedAs } from './forwarded.ts'

/** The topics of proofs; the gateway may publish and subscribe to them. */
const proofTopics = 'service.forwarded.'

/** Milliseconds that the router may take for each message of a proof, and from the publication to its event. */
const timeoutMs = 5_000

/** Milliseconds after which the router is asked again: somebody may have corrected its configuration. */
const retryMs = 10_000

/** Errors that say nothing of the router's configuration. */
const isPassing = (error: unknown): boolean =>
  error instanceof WampError &&
  (error.error_uri === 'wamp.error.net_failure' || error.error_uri === 'service.error.timeout')

const remedy = 'see docs/crossbar.md, or set wamp.identity to "session"'

const notAllowed = `the router does not let the gateway publish and subscribe to "${proofTopics}", so nothing is forwarded for users: ${remedy}`
const notShown = `the router does not show the user whom the gateway names by forward_for, so nothing is forwarded for users: ${remedy}`

/** The proof of one session. */
export class Proof {
  readonly #session: SupervisedSession
  readonly #clock: Clock
  readonly #log: Pick<Log, 'error'>
  /** The join for which it holds. */
  #provenJoin: number | undefined
  #running: Promise<void> | undefined
  #refusal: { readonly join: number; readonly until: number; readonly error: WampError } | undefined

  constructor(session: SupervisedSession, clock: Clock, log: Pick<Log, 'error'>) {
    this.#session = session
    this.#clock = clock
    this.#log = log
  }

  /** Whether it holds now. */
  get holds(): boolean {
    return this.#session.isOpen && this.#provenJoin === this.#join
  }

  /**
   * Settles once it holds.
   * @throws WampError `wamp.error.authorization_failed`, with what can be done about it; `wamp.error.net_failure` and
   *   `service.error.timeout` where the router does not answer
   */
  settled(): Promise<void> {
    const { join, until, error } = this.#refusal ?? {}
    if (error && join === this.#join && this.#clock.now() < Number(until)) {
      return Promise.reject(error)
    }
    this.#running ??= this.#prove().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  get #join(): number {
    return this.#session.record.reconnects
  }

  async #prove(): Promise<void> {
    const join = this.#join
    try {
      if (!(await this.#isShown())) {
        throw failure('wamp.error.authorization_failed', notShown, false)
      }
      this.#provenJoin = join
    } catch (cause) {
      if (isPassing(cause)) throw cause
      const error =
        cause instanceof WampError && cause.reason === notShown
          ? cause
          : failure('wamp.error.authorization_failed', notAllowed, false)
      this.#refusal = { join, until: this.#clock.now() + retryMs, error }
      const line = { setting: 'wamp.identity', realm: this.#session.realm_uri }
      const reason = cause instanceof WampError ? cause.error_uri : undefined
      this.#log.error({ ...line, reason }, String(error.reason))
      throw error
    }
  }

  /** Publishes for a user who does not exist, on a topic of its own, and looks at the event. */
  async #isShown(): Promise<boolean> {
    const id = randomId(this.#clock)
    const authid = `forwarded.${id}`
    const forward_for = [forwardedAs(id, { authid, authroles: [authid] })]
    const topic = `${proofTopics}${id}`
    const seen = Promise.withResolvers<unknown>()
    const late = () => failure('service.error.timeout', 'the router sent no event in time', true)
    const lost = () => failure('wamp.error.net_failure', 'the session was lost', true)
    const watch = await this.#session.watch(topic, {}, timeoutMs, {
      onEvent: ({ details }) => seen.resolve(details.publisher_authid),
      onMissed: () => seen.resolve(undefined),
      onLost: () => seen.reject(lost()),
      onBack: () => undefined,
      onRefused: (error) => seen.reject(error),
    })
    const stopTimer = this.#clock.after(2 * timeoutMs, () => seen.reject(late()))
    seen.promise.catch(() => undefined)
    try {
      const options = { exclude_me: false, disclose_me: true, forward_for }
      await this.#session.publish(topic, { args: [], kwargs: {} }, options, timeoutMs)
      return (await seen.promise) === authid
    } finally {
      stopTimer()
      watch.end()
    }
  }
}
