/** One watch of a session: a subscription that is made again after each rejoin, until it is ended or refused. */
import type { Clock } from '#component/clock.ts'
import type { Log } from '#component/log.ts'
import { withoutTraceDetails } from '#component/telemetry/wamp-context.ts'
import { notJoined } from '#component/wamp/failure.ts'
import type { WampMessage } from '#component/wamp/link.ts'
import { asList, asMap } from '#component/wamp/messages.ts'
import type { WampError, Watch, WatchHandlers } from '#component/wamp/session.ts'
import {
  matchOf,
  type Subject,
  type SubscriptionListener,
  type Subscriptions,
} from './subscriptions.ts'

/** The parts of a session that its watches use. */
export interface WatchPorts {
  readonly clock: Clock
  readonly log: Log
  /** The subscriptions of the connection that is joined; undefined when none is. */
  subscriptions(): Subscriptions | undefined
  /** Milliseconds until a SUBSCRIBE that failed is repeated. */
  pause(): number
}

type Options = Readonly<Record<string, unknown>>

/** Milliseconds that the router may take to subscribe again, unless said otherwise. */
const againMs = 10_000

/** Milliseconds that it may take after a rejoin: it is asked for all watches at once, and nobody waits. */
const restoreMs = 60_000

/** Milliseconds from the first doubtful refusal, within which none is believed. */
const graceMs = 10_000

/** Made by {@link Watches}. */
export class StandingWatch implements Watch, SubscriptionListener {
  readonly subject: Subject
  readonly #ports: WatchPorts
  readonly #options: Options
  readonly #handlers: WatchHandlers
  readonly #onOver: (watch: StandingWatch) => void
  #state: 'new' | 'on' | 'lost' | 'over' = 'new'
  /** When the router began to refuse it for a doubtful reason; milliseconds since the epoch. */
  #doubtedAt: number | undefined

  /** @param onOver called once, when it is ended or refused */
  constructor(
    ports: WatchPorts,
    uri: string,
    options: Options,
    handlers: WatchHandlers,
    onOver: (watch: StandingWatch) => void,
  ) {
    const { get_retained: _, ...standing } = options
    this.#ports = ports
    this.subject = { uri, match: matchOf(options) }
    this.#options = standing
    this.#handlers = handlers
    this.#onOver = onOver
  }

  /** Sends its first SUBSCRIBE, or another one. @throws WampError the refusal, or why the router could not be asked */
  async again(options: Options, timeoutMs = againMs): Promise<void> {
    const subscriptions = this.#state === 'over' ? undefined : this.#ports.subscriptions()
    if (!subscriptions) throw notJoined()
    const { uri } = this.subject
    await subscriptions.subscribe(uri, { ...options, ...this.#options }, timeoutMs, this)
  }

  end(): void {
    if (this.#state === 'over') return
    this.#over()
    this.#ports.subscriptions()?.unsubscribe(this.subject, this)
  }

  onSubscribed(): void {
    const isBack = this.#state === 'lost'
    this.#state = 'on'
    this.#doubtedAt = undefined
    if (isBack) this.#tell(() => this.#handlers.onBack())
  }

  /** EVENT: `[36, subscription, publication, details, args?, kwargs?]`. */
  onEvent([, , publication, field, args, kwargs]: WampMessage): void {
    const details = withoutTraceDetails(asMap(field))
    const { topic, retained } = details
    try {
      this.#handlers.onEvent({
        publication_id: Number(publication),
        topic: typeof topic === 'string' ? topic : this.subject.uri,
        payload: { args: asList(args), kwargs: asMap(kwargs) },
        details,
        isRetained: retained === true,
      })
    } catch (error) {
      this.#failed(error)
    }
  }

  onMissed(publication: unknown): void {
    this.#tell(() => this.#handlers.onMissed(Number(publication ?? 0)))
  }

  onRevoked(): void {
    this.lose()
    this.#restore()
  }

  /** The session is lost. */
  lose(): void {
    if (this.#state !== 'on') return
    this.#state = 'lost'
    this.#tell(() => this.#handlers.onLost())
  }

  /** The session has joined: subscribes again if it is lost. */
  joined(): void {
    this.#doubtedAt = undefined
    this.#restore()
  }

  /** Subscribes again if it is lost and the session is joined. */
  #restore(): void {
    const subscriptions = this.#ports.subscriptions()
    if (this.#state !== 'lost' || !subscriptions) return
    this.again({}, restoreMs).catch((error: WampError) => {
      // another connection begins anew
      if (this.#ports.subscriptions() !== subscriptions) return
      if (error.error_uri !== 'service.error.timeout') {
        this.refuse(error, error.error_uri === 'wamp.error.authorization_failed')
      }
      const { clock, pause } = this.#ports
      if (this.#state === 'lost') clock.after(pause(), () => this.#restore())
    })
  }

  /**
   * The router refuses the session, or its subscription.
   * @param isDoubtful whether it may think otherwise once its authenticator and its authorizer have joined
   */
  refuse(error: WampError, isDoubtful: boolean): void {
    if (this.#state !== 'on' && this.#state !== 'lost') return
    if (isDoubtful && !this.#hasWaited()) return
    this.#over()
    this.#tell(() => this.#handlers.onRefused(error))
  }

  #hasWaited(): boolean {
    const now = this.#ports.clock.now()
    this.#doubtedAt ??= now
    return now - this.#doubtedAt >= graceMs
  }

  #over(): void {
    this.#state = 'over'
    this.#onOver(this)
  }

  #tell(handler: () => void): void {
    try {
      handler()
    } catch (error) {
      this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    const { uri } = this.subject
    this.#ports.log.error({ err: error, topic: uri }, 'a handler of a watch failed')
  }
}
