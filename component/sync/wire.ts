/** Sealed messages over the component's session: everything that goes out is sealed here, everything that comes in opened. */
import { ServiceError } from '#component/errors.ts'
import { LogThrottle, linePerMinute } from '#component/limits/log-throttle.ts'
import type { Call, Payload } from '#component/wamp/session.ts'
import { nonceLength, openSealed } from './sealing.ts'
import { type Fields, type Heartbeat, type Message, readMessage } from './sync-messages.ts'
import type { SyncPorts } from './sync-ports.ts'

/** What other parts of a node ask those of another one: for a trace, for those of a document, for the tickets that have come to it, for the last uses of API keys, for the use of routes, about a login that it keeps, for the targets of upstreams, for the procedures of a document. */
export const questions = [
  'trace',
  'traces',
  'sessions',
  'key_uses',
  'routes',
  'login',
  'upstreams',
  'procedures',
] as const
export type Question = (typeof questions)[number]

/** The requests to peers. */
export type Request = 'digest' | 'fetch' | Question

/** Milliseconds that a peer may take to answer, and the router to acknowledge. */
const timeoutMs = 5000

/** Most characters of a sealed event or request: 64 KiB of a document, or the names of many. */
const maxUnasked = 1_000_000
/** Most characters of a sealed answer: what routers carry. */
const maxAnswer = 15_000_000

const procedureOf = (node: string, request: Request) => `service.registry.${node}.${request}`

/** Binds an answer to its request; no URI holds a `#`. */
const answerPurpose = (procedure: string, sealed: string) =>
  `${procedure}#${sealed.slice(0, nonceLength)}`

/** The node that registers the procedure; undefined unless it is a sync procedure. */
export function nodeOf(procedure: string): string | undefined {
  const [start, end] = procedureOf(' ', 'digest').split(' ')
  if (!start || !end || !procedure.startsWith(start) || !procedure.endsWith(end)) return undefined
  return procedure.slice(start.length, -end.length)
}

/** The sender, as far as the router discloses it. */
const strangerOf = (details: Fields): string =>
  `session ${String(details.publisher ?? details.caller ?? 'of the router').slice(0, 40)}`

/** Messages to and from the other gateways. */
export class Wire {
  /** Messages that were not taken. */
  ignoredCount = 0
  readonly #ports: SyncPorts
  readonly #heartbeat: () => Heartbeat
  readonly #throttle: LogThrottle
  readonly #calls = new Set<Call>()
  #isClosed = false

  /** @param heartbeat the state of this node, for the next message */
  constructor(ports: SyncPorts, heartbeat: () => Heartbeat) {
    this.#ports = ports
    this.#heartbeat = heartbeat
    this.#throttle = new LogThrottle(ports.clock, linePerMinute)
  }

  /**
   * Counts and logs a message that is not taken.
   * @param sender the name of a node, or of the session that sent it
   * @param about topic or procedure
   */
  ignore(sender: string, about: string, reason: string): void {
    this.ignoredCount += 1
    if (!this.#throttle.admits(sender)) return
    this.#ports.log.warn({ sender, about, reason }, 'a message from the router is ignored')
  }

  /**
   * Tells all others.
   * @param clear what other subscribers may read
   * @param withinMs how long the router may take to acknowledge
   * @param texts further content, whose values are JSON text already
   * @throws WampError; ExpressionError for a message that is too large
   */
  async publish(
    topic: string,
    clear: Fields,
    content: Fields,
    withinMs = timeoutMs,
    texts?: Readonly<Record<string, string>>,
  ): Promise<void> {
    const sealed = this.#sealed(topic, content, texts)
    const payload = { args: [], kwargs: { ...clear, sealed } }
    await this.#ports.session.publish(
      topic,
      payload,
      { acknowledge: true, exclude_me: true },
      withinMs,
    )
  }

  /** @param onMessage gets what other gateways publish; must not throw */
  subscribe(topic: string, onMessage: (message: Message, topic: string) => void): Promise<void> {
    return this.#ports.session.subscribe(topic, ({ kwargs }, { details }) => {
      const message = this.#open(topic, kwargs.sealed, details)
      if (message) onMessage(message, topic)
    })
  }

  /**
   * Asks a peer.
   * @throws WampError, ServiceError when it does not answer as it should; at the latest after 5 seconds
   */
  async ask(node: string, request: Request, content: Fields): Promise<Message> {
    const { sealing, session } = this.#ports
    if (this.#isClosed) throw new ServiceError('wamp.error.canceled', 'this node is stopping')
    const procedure = procedureOf(node, request)
    const sealed = this.#sealed(procedure, content)
    const call = session.call(procedure, { args: [], kwargs: { sealed } }, {}, timeoutMs)
    this.#calls.add(call)
    try {
      const { kwargs } = await call.result
      const purpose = answerPurpose(procedure, sealed)
      const message = readMessage(openSealed(sealing, purpose, kwargs.sealed, maxAnswer))
      if (message?.heartbeat.node === node) return message
    } finally {
      this.#calls.delete(call)
    }
    throw new ServiceError(
      'service.error.bad_gateway',
      'the response is not from a gateway with the same cluster.key',
    )
  }

  /** @param answer gives what a peer asks for; throws ServiceError */
  register(
    node: string,
    request: Request,
    answer: (message: Message, procedure: string) => Fields | Promise<Fields>,
  ): Promise<void> {
    const procedure = procedureOf(node, request)
    return this.#ports.session.register(
      procedure,
      async ({ kwargs }, { details }): Promise<Payload> => {
        const message = this.#open(procedure, kwargs.sealed, details)
        if (!message) {
          throw new ServiceError(
            'wamp.error.not_authorized',
            'the request is not sealed with the cluster.key of this gateway',
          )
        }
        const purpose = answerPurpose(procedure, String(kwargs.sealed))
        const content = await answer(message, procedure)
        return { args: [], kwargs: { sealed: this.#sealed(purpose, content) } }
      },
      // replaces the registration of an earlier session that the router has not ended yet
      { invoke: 'last' },
    )
  }

  /** Cancels running requests and refuses new ones. */
  close(): void {
    this.#isClosed = true
    for (const call of this.#calls) call.cancel()
  }

  #sealed(purpose: string, content: Fields, texts?: Readonly<Record<string, string>>): string {
    return this.#ports.sealing.seal({ ...this.#heartbeat(), ...content }, purpose, texts)
  }

  /** @param purpose the topic or procedure */
  #open(purpose: string, sealed: unknown, details: Fields): Message | undefined {
    const opened = openSealed(this.#ports.sealing, purpose, sealed, maxUnasked)
    if (opened === undefined) {
      this.ignore(strangerOf(details), purpose, 'the message is not sealed with cluster.key')
      return undefined
    }
    const message = readMessage(opened)
    if (!message) this.ignore(strangerOf(details), purpose, 'the message is malformed')
    return message
  }
}
