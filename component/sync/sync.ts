/** Keeps this gateway's replica equal to those of the others on the component's realm (behaviour: Several nodes). */
import { ServiceError } from '#component/errors.ts'
import type { Log } from '#component/log.ts'
import type { Change } from '#component/replica/entry.ts'
import { untilNextMinute } from '#component/replica/expiry.ts'
import { announceChange } from './changes.ts'
import { Exchanges } from './exchange.ts'
import { CatchUp } from './joining.ts'
import { Listener } from './listener.ts'
import { Namesakes } from './namesakes.ts'
import { OwnState } from './own-state.ts'
import { atTick, Pace } from './pace.ts'
import { Peers } from './peers.ts'
import { type SyncStatus, statusOf } from './status.ts'
import { Strangers } from './strangers.ts'
import type { Fields, Purged } from './sync-messages.ts'
import type { Answers, SyncCounts, SyncPorts } from './sync-ports.ts'
import { topics } from './topics.ts'
import { type Question, Wire } from './wire.ts'

/** Greatest allowed offset of this node's clock from the median of the others. Milliseconds. */
const maxOffsetMs = 30_000

/** The clock of one node. */
class ClockSkew {
  readonly #offsetMs: () => number | undefined
  readonly #log: Log
  #wasSkewed = false

  /** @param offsetMs the median of the others minus this clock; undefined with no others */
  constructor(offsetMs: () => number | undefined, log: Log) {
    this.#offsetMs = offsetMs
    this.#log = log
  }

  /** The problem of this node's clock; undefined while it agrees. */
  get problem(): string | undefined {
    const offset = this.#offsetMs() ?? 0
    if (Math.abs(offset) <= maxOffsetMs) return undefined
    const found = `${Math.round(Math.abs(offset) / 1000)} s ${offset < 0 ? 'ahead of' : 'behind'}`
    return `the clock of this node is ${found} the clocks of the other nodes (at most ${maxOffsetMs / 1000} s are allowed): loads are refused until the clock is set (NTP)`
  }

  /** Logs that the clock has begun to differ, or agrees again. */
  watch(): void {
    const { problem } = this
    if (problem !== undefined && !this.#wasSkewed) this.#log.error(problem)
    if (problem === undefined && this.#wasSkewed)
      this.#log.info('the clock of this node agrees with the other nodes again')
    this.#wasSkewed = problem !== undefined
  }
}

/** Milliseconds that publishing the last heartbeat may take. */
const farewellMs = 1000
/** Milliseconds that the router may take to acknowledge what is told again soon. */
const tellMs = 1000

const noop = () => undefined

const unavailable = (message: string, retryAfter = '5') =>
  new ServiceError('service.error.unavailable', message, { headers: { 'Retry-After': retryAfter } })

/** One for each process. Told of each (re)join of the session; {@link Replica.onLocalChange} is its own. */
export class Sync {
  /** What other parts of this node answer to the others. */
  readonly answers: Answers = {}
  /** Told of kept answers that another node has dropped. */
  onPurged: (purged: Purged) => void = noop
  /** Told of each change that another node has made since this one was started, once it is live here. @param ms since its stamp */
  onLag: (ms: number) => void = noop
  /** Told what another process has used of rate limits. @param boot differs for each start of it @returns whether it can be read */
  onUsage: (boot: string, fields: Fields) => boolean = () => true
  /** Told of what is watched at another node, as it has told it. */
  onWatch: (fields: Fields) => void = noop
  /** For metrics. */
  readonly counts: SyncCounts = { digestMismatches: 0, exchanges: { ok: 0, failed: 0 } }
  readonly #ports: SyncPorts
  readonly #state: OwnState
  readonly #peers: Peers
  readonly #wire: Wire
  readonly #exchanges: Exchanges
  readonly #catchUp: CatchUp
  readonly #listener: Listener
  readonly #pace: Pace
  readonly #strangers: Strangers
  readonly #skew: ClockSkew
  readonly #namesakes: Namesakes
  #isStarted = false
  #isLeft = false
  #isRefreshing = false
  #stopHeartbeat: () => void = noop
  #stopSweep: () => void = noop

  constructor(ports: SyncPorts) {
    const { clock, log, node, replica, session } = ports
    this.#ports = ports
    const ofStore = () => ports.health?.clockOffsetMs
    const peers = new Peers(clock, ofStore, ports.workers?.[0])
    const wire = new Wire(ports, () => state.next(this.#isLeft))
    const { counts } = this
    const pace = new Pace(() => peers.present(), clock.random)
    const state = new OwnState(ports, pace)
    const strangers = new Strangers({ clock, node, pace, peers })
    const exchanges = new Exchanges({
      ...ports,
      counts,
      async ask(peer, request, content) {
        const asksWho = request === 'digest' && strangers.wantsIntroductions(!catchUp.hasLooked)
        const message = await wire.ask(peer, request, {
          ...content,
          ...(asksWho && { peers: true }),
        })
        if (!message.heartbeat.leaving) peers.meet(message.heartbeat)
        strangers.learn(message.fields)
        return message
      },
      onDone: (peer) => {
        peers.exchanged(peer)
        catchUp.judge()
      },
    })
    const namesakes = new Namesakes({
      ...ports,
      boot: state.boot,
      // one that has just come hears at once that the name is taken
      onTaken: () => this.#sendHeartbeat(),
    })
    this.#namesakes = namesakes
    const parts = { ...ports, counts, exchanges, namesakes, pace, peers, strangers, wire }
    const catchUp = new CatchUp(parts)
    this.#catchUp = catchUp
    this.#pace = pace
    this.#state = state
    this.#strangers = strangers
    this.#listener = new Listener({
      ...parts,
      onHeard: () => this.#catchUp.heard(),
      answers: this.answers,
      onUsage: (boot, fields) => this.onUsage(boot, fields),
      onPurged: (purged) => this.onPurged(purged),
      onWatch: (fields) => this.onWatch(fields),
    })
    this.#peers = peers
    // without a router the others are not heard: the clock of the database speaks for them
    const alone = () => (session.isOpen ? undefined : ofStore())
    this.#skew = new ClockSkew(() => peers.clockOffsetMs ?? alone(), log)
    this.#wire = wire
    this.#exchanges = exchanges
    const startedAt = clock.now()
    replica.onLive = (changes) => this.#measure(changes, startedAt)
    replica.onLocalChange = (entries, texts) => {
      // without a session the event is lost: the exchange after the next join replaces it
      if (!session.isOpen) return
      for (const entry of entries) {
        announceChange(wire, log, node, entry, texts.get(entry)).catch(noop)
      }
    }
  }

  /** @param since the start of this node: what it missed before is no lag; milliseconds since the epoch */
  #measure(changes: readonly Change[], since: number): void {
    const { clock, node } = this.#ports
    for (const { stamp } of changes.map(({ entry }) => entry)) {
      const isTheirs = stamp.node !== node && stamp.ms >= since
      if (isTheirs) this.onLag(Math.max(0, clock.now() - stamp.ms))
    }
  }

  /**
   * Subscribes, registers and begins to send heartbeats; where the session is joined, {@link joined} follows. Once.
   * @throws WampError what the router refuses
   */
  async start(): Promise<void> {
    await this.#listener.start()
    this.#isStarted = true
    this.#schedule()
    this.#scheduleSweep()
    if (this.#ports.session.isOpen) await this.joined()
  }

  /**
   * After each (re)join: finds the others and fetches their documents, because WAMP does not deliver missed events.
   * Resolves when all have answered or failed to; never rejects. Before {@link start} it does nothing.
   */
  async joined(): Promise<void> {
    if (!this.#isStarted || this.#isLeft) return
    this.#sendHeartbeat()
    await this.#catchUp.look()
  }

  /** Whether a first exchange was done, or no peer was found; stays true. */
  get isCaughtUp(): boolean {
    return this.#catchUp.isDone
  }

  /** Resolves when {@link isCaughtUp} is true. */
  get caughtUp(): Promise<void> {
    return this.#catchUp.done
  }

  /** Why changes are refused now; undefined while they are accepted. */
  refusal(): ServiceError | undefined {
    const { isStoreShared, replica, session } = this.#ports
    if (this.#isLeft) return unavailable('this node is stopping')
    if (!session.isOpen && !isStoreShared)
      return unavailable('the router is away: the other nodes cannot be told of changes')
    if (replica.isStoreAway) return unavailable('the store is away')
    // the clocks of the others are not known yet: they might refuse documents loaded here
    if (session.isOpen && !this.#catchUp.hasLooked)
      return unavailable('this node is still comparing its documents with the other nodes', '1')
    if (this.#namesakes.isTaken)
      return unavailable(
        'another gateway has the name of this node, and would never serve the change: give each its own name (option "node")',
      )
    const skew = this.#skew.problem
    if (skew === undefined) return undefined
    return new ServiceError('service.error.clock_skew', skew, { headers: { 'Retry-After': '5' } })
  }

  /** Whether another gateway has the name of this node. */
  get isNameTaken(): boolean {
    return this.#namesakes.isTaken
  }

  /** The clock of another node minus that of this one; undefined when it is not there. Milliseconds. */
  clockOffsetOf(node: string): number | undefined {
    return this.#peers.get(node)?.clockOffsetMs
  }

  /** The names of all other processes that are there, those of this gateway included. */
  get processNames(): readonly string[] {
    const { node, workers: own = [] } = this.#ports
    const theirs = this.#peers.present().flatMap(({ workers }) => workers)
    return [...own.filter((name) => name !== node), ...theirs]
  }

  /** The names of the other gateways that are there. */
  get peerNames(): readonly string[] {
    return this.#peers.present().map(({ node }) => node)
  }

  /** The others that do not know all of these features, by name. */
  nodesWithout(features: readonly string[]): readonly string[] {
    const others = this.#peers.present()
    const lacking = others.filter((peer) => features.some((name) => !peer.features.includes(name)))
    return lacking.map(({ node }) => node)
  }

  /** See {@link SyncStatus}; undefined with no others. */
  get clockOffsetMs(): number | undefined {
    return this.#peers.clockOffsetMs
  }

  /**
   * Asks another node, which answers by its {@link answers}.
   * @throws WampError, ServiceError when the node does not answer as it should; at the latest after 5 seconds
   */
  async ask(node: string, question: Question, content: Fields): Promise<Fields> {
    const { fields } = await this.#wire.ask(node, question, content)
    return fields
  }

  /** Tells the others what this process has used of rate limits, or what is watched here. Rejects where the router does not take it. */
  async tell(about: 'usage' | 'watch', fields: Fields): Promise<void> {
    const { node } = this.#ports
    await this.#wire.publish(topics[about], { node }, fields, tellMs)
  }

  /**
   * Tells the other nodes of kept answers that are dropped; a node that is away drops all when it is back.
   * @throws WampError; ExpressionError for too many tags
   */
  async purge({ id, tags }: Purged): Promise<void> {
    const { node } = this.#ports
    await this.#wire.publish(topics.onPurge, { id, node }, { id, ...(tags && { tags }) })
  }

  /** For `service.registry_status`. */
  status(): SyncStatus {
    return statusOf({
      ...this.#ports,
      peers: this.#peers,
      isNameTaken: this.isNameTaken,
      isSkewed: this.#skew.problem !== undefined,
      ignoredMessages: this.#wire.ignoredCount,
    })
  }

  /** Tells the others, cancels running requests and stops, within a second. The session stays open. */
  async leave(): Promise<void> {
    if (this.#isLeft) return
    this.#isLeft = true
    this.#stopHeartbeat()
    this.#stopSweep()
    this.#listener.close()
    this.#catchUp.close()
    this.#exchanges.close()
    this.#wire.close()
    const { node, session } = this.#ports
    if (!this.#isStarted || !session.isOpen) return
    await this.#wire.publish(topics.beat, { node }, {}, farewellMs).catch(noop)
  }

  #sendHeartbeat(): void {
    const { clock, node, session } = this.#ports
    if (!session.isOpen || this.#isLeft || !this.#state.isSpeaker) return
    this.#pace.beat(clock.now())
    // the next one replaces a lost one
    this.#wire.publish(topics.beat, { node }, {}).catch(noop)
  }

  #schedule(): void {
    const { clock } = this.#ports
    this.#stopHeartbeat = clock.after(this.#pace.untilTick(), () => {
      this.#schedule()
      this.#tick().catch(noop)
    })
  }

  /** At full minutes, when the others do it. */
  #scheduleSweep(): void {
    const { clock, replica } = this.#ports
    this.#stopSweep = clock.after(untilNextMinute(clock.now()), () => {
      this.#scheduleSweep()
      replica.sweep().catch(noop)
    })
  }

  async #tick(): Promise<void> {
    this.#catchUp.judge()
    this.#skew.watch()
    const { clock, replica, session } = this.#ports
    // a hanging store must not delay heartbeats
    if (!this.#isRefreshing) {
      this.#isRefreshing = true
      await replica.refresh()
      this.#isRefreshing = false
    }
    const isDue = this.#pace.look(clock.now())
    if (isDue) this.#sendHeartbeat()
    if (!session.isOpen || this.#isLeft || replica.isStoreAway) return
    // where heartbeats come seldom, digests are compared with some of the others only
    const isTold = isDue && this.#state.areHeartbeatsSent(this.#peers)
    const some = isTold && !this.#strangers.areThere ? [] : this.#pace.some(atTick)
    const asked = [...some.map((peer) => peer.node), ...this.#strangers.late()]
    for (const node of asked) this.#exchanges.with(node).catch(noop)
  }
}
