/** Handles messages of the other gateways: heartbeats, changes and requests. */
import { ServiceError } from '#component/errors.ts'
import { LogThrottle, linePerMinute } from '#component/limits/log-throttle.ts'
import { entriesOf, introductionsOf, summariesOf } from './answers.ts'
import { changeTopics } from './changes.ts'
import type { Exchanges } from './exchange.ts'
import type { Namesakes } from './namesakes.ts'
import type { Pace } from './pace.ts'
import type { Heard, Peers } from './peers.ts'
import type { Strangers } from './strangers.ts'
import {
  type Fields,
  type Heartbeat,
  type Message,
  type Purged,
  readAnnounced,
  readBucket,
  readList,
  readName,
  readPurged,
} from './sync-messages.ts'
import type { Answers, SyncCounts, SyncPorts } from './sync-ports.ts'
import { topics } from './topics.ts'
import { type Question, questions, type Wire } from './wire.ts'

/** The dependencies of the listener. */
export interface ListenerPorts extends SyncPorts {
  readonly wire: Wire
  readonly peers: Peers
  readonly namesakes: Pick<Namesakes, 'hear'>
  readonly strangers: Strangers
  readonly pace: Pick<Pace, 'isCrowd'>
  readonly exchanges: Exchanges
  readonly counts: Pick<SyncCounts, 'digestMismatches'>
  readonly onHeard: () => void
  readonly answers: Answers
  /** See {@link Sync.onUsage}. */
  readonly onUsage: (boot: string, fields: Fields) => boolean
  /** Another node has dropped kept answers. */
  readonly onPurged: (purged: Purged) => void
  /** Something is watched at another node. */
  readonly onWatch: (fields: Fields) => void
}

/** How a message is heard. */
interface Hearing {
  readonly isRequest?: boolean
  /** Called when a sender that was not known has told that it is there. */
  readonly onMet?: () => void
}

/** Milliseconds between two requests to a node whose current start is unknown. */
const meetPauseMs = 1000

const noop = () => undefined

/** Listens from {@link start} to {@link close}. */
export class Listener {
  readonly #ports: ListenerPorts
  readonly #throttle: LogThrottle
  /** Node to the time of the last request that asked for its start. */
  readonly #askedAt = new Map<string, number>()
  #isClosed = false

  constructor(ports: ListenerPorts) {
    this.#ports = ports
    this.#throttle = new LogThrottle(ports.clock, linePerMinute)
  }

  /** @throws WampError what the router refuses */
  async start(): Promise<void> {
    const { node, wire } = this.#ports
    const onChange = (message: Message, topic: string) => this.#onChange(message, topic)
    await Promise.all([
      wire.subscribe(topics.beat, (message, topic) => this.#onHeartbeat(message, topic)),
      wire.subscribe(topics.onPurge, (message, topic) => this.#onPurge(message, topic)),
      ...changeTopics.map((topic) => wire.subscribe(topic, onChange)),
      wire.subscribe(topics.watch, (message, topic) => this.#onWatch(message, topic)),
      wire.subscribe(topics.usage, (message, topic) => this.#onUsage(message, topic)),
      wire.register(node, 'digest', (message, uri) => this.#digest(message, uri)),
      wire.register(node, 'fetch', (message, uri) => this.#fetch(message, uri)),
      ...questions.map((question) =>
        wire.register(node, question, (message, uri) => this.#answer(question, message, uri)),
      ),
    ])
  }

  /** Ignores messages from now on; requests are answered while the session lasts. */
  close(): void {
    this.#isClosed = true
  }

  /** Takes note of the sender. Undefined: the message is ignored. */
  #hear({ heartbeat }: Message, about: string, hearing: Hearing = {}): Heard | undefined {
    const { onHeard, peers, strangers, wire } = this.#ports
    if (this.#isClosed || this.#isOfThisNode(heartbeat, about)) return undefined
    const heard = peers.hear(heartbeat)
    if (heard === 'repeated') {
      wire.ignore(heartbeat.node, about, 'the message was received before')
      return undefined
    }
    if (heard === 'stranger') {
      const { isRequest = false, onMet } = hearing
      // changes of a process that sends no heartbeats are no reason to ask who it is
      const isWanted = isRequest || onMet !== undefined || heartbeat.speaker === undefined
      const mustMeet = isWanted && !heartbeat.leaving
      if (mustMeet && (isRequest || !strangers.wait(heartbeat.node)))
        this.#meet(heartbeat, about).then(onMet, noop)
    } else if (heartbeat.leaving) peers.drop(heartbeat.node)
    onHeard()
    return heard
  }

  /** Takes what counts from a known process only: now, or as soon as it is known. */
  #takeOfKnown(message: Message, topic: string, take: () => void): void {
    const onMet = () => {
      if (this.#ports.peers.hear(message.heartbeat) === 'heard') take()
    }
    if (this.#hear(message, topic, { onMet }) === 'heard') take()
  }

  #isOfThisNode(heartbeat: Heartbeat, about: string): boolean {
    const { log, namesakes, node, wire } = this.#ports
    const isOther = namesakes.hear(heartbeat)
    if (heartbeat.node !== node) return false
    if (isOther && this.#throttle.admits(node)) {
      log.error(
        { about },
        'another gateway has the name of this node: every gateway needs its own name',
      )
    }
    wire.ignore(node, about, 'the sender has the name of this node')
    return true
  }

  /** Asks a node for its start: the message may be a replay from an earlier one. */
  async #meet({ boot, node }: Heartbeat, about: string): Promise<void> {
    const { clock, exchanges, peers, wire } = this.#ports
    const now = clock.now()
    for (const [known, at] of this.#askedAt) {
      if (Math.abs(now - at) >= meetPauseMs) this.#askedAt.delete(known)
    }
    if (this.#askedAt.has(node)) return
    this.#askedAt.set(node, now)
    await exchanges.with(node)
    const peer = peers.get(node)
    if (peer && peer.boot !== boot)
      wire.ignore(node, about, 'the message is from an earlier start of the sender')
  }

  /** Fetches from a peer if its digest differs. */
  #compare({ digest, leaving, node }: Heartbeat): void {
    const { exchanges, replica } = this.#ports
    if (leaving || replica.isStoreAway || !exchanges.isNews(digest)) return
    exchanges.with(node).catch(noop)
  }

  #onHeartbeat(message: Message, topic: string): void {
    if (this.#hear(message, topic) !== 'heard') return
    const { counts, pace, replica } = this.#ports
    const { digest, leaving } = message.heartbeat
    if (!leaving && digest !== replica.digest()) counts.digestMismatches += 1
    // of many that differ from this node, the ones that it asks at its ticks suffice
    if (!pace.isCrowd) this.#compare(message.heartbeat)
  }

  /** What another process has used of rate limits; its digest is not compared, since it comes often. */
  #onUsage(message: Message, topic: string): void {
    const { onUsage, wire } = this.#ports
    const { boot, node } = message.heartbeat
    this.#takeOfKnown(message, topic, () => {
      if (!onUsage(boot, message.fields)) wire.ignore(node, topic, 'the usage is malformed')
    })
  }

  /** Takes a change. Its digest is not compared: the next heartbeat does that, once the change has arrived. */
  #onChange(message: Message, topic: string): void {
    if (!this.#hear(message, topic)) return
    const { exchanges, wire } = this.#ports
    const { node } = message.heartbeat
    const announced = readAnnounced(message.fields.entry)
    if (!announced) wire.ignore(node, topic, 'the entry is malformed')
    else if (announced.entry) exchanges.take(node, announced.entry).catch(noop)
    else exchanges.fetch(node, announced.summary).catch(noop)
  }

  #onPurge(message: Message, topic: string): void {
    if (!this.#hear(message, topic)) return
    const purged = readPurged(message.fields)
    if (purged) this.#ports.onPurged(purged)
    else this.#ports.wire.ignore(message.heartbeat.node, topic, 'the purge is malformed')
  }

  #onWatch(message: Message, topic: string): void {
    this.#takeOfKnown(message, topic, () => this.#ports.onWatch(message.fields))
  }

  /** `service.registry.<node>.digest`: the digests of all buckets, or the summaries in the named ones. */
  #digest(message: Message, uri: string): Fields {
    this.#onRequest(message, uri)
    const { peers, replica } = this.#ports
    const buckets = readList(message.fields.buckets, readBucket)
    if (buckets) return { ...summariesOf(replica, buckets) }
    return {
      ...(message.heartbeat.digest !== replica.digest() && { buckets: replica.buckets() }),
      ...(message.fields.peers === true && { peers: introductionsOf(peers) }),
    }
  }

  /** `service.registry.<node>.fetch`: the named documents. */
  #fetch(message: Message, uri: string): Fields {
    this.#onRequest(message, uri)
    const { log, replica } = this.#ports
    return { ...entriesOf(replica, readList(message.fields.names, readName) ?? [], log) }
  }

  /** `service.registry.<node>.<question>`: what another part of this node answers. */
  #answer(question: Question, message: Message, uri: string): Fields | Promise<Fields> {
    this.#onRequest(message, uri)
    return this.#ports.answers[question]?.(message.fields) ?? {}
  }

  /** A request carries the digest of its sender: what this node lacks is fetched in return. */
  #onRequest(message: Message, uri: string): void {
    if (this.#isClosed) return
    const heard = this.#hear(message, uri, { isRequest: true })
    if (!heard)
      throw new ServiceError('wamp.error.not_authorized', 'the request was received before')
    if (heard === 'heard') this.#compare(message.heartbeat)
  }
}
