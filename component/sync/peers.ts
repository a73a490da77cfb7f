/** The other gateways: which are present, the offsets of their clocks, and which of their messages were received before. */
import type { Clock } from '#component/clock.ts'
import type { Heartbeat, Introduced } from './sync-messages.ts'

/** Milliseconds of silence after which a peer is no longer present, at least. */
const goneMs = 15_000
/** So many heartbeats in a row that do not come are a silence. */
const missed = 3
/** Messages of a peer that may overtake each other. */
const window = 1000

/** A gateway that is there. */
export interface Peer {
  readonly node: string
  readonly boot: string
  /** As of its last message that said it. */
  readonly digest: string
  readonly version: string
  readonly features: readonly string[]
  /** Its next heartbeat follows within this time; milliseconds. */
  readonly everyMs: number
  /** The names of all processes of its gateway, its own included. */
  readonly workers: readonly string[]
  /** The process of its gateway that sends heartbeats, where that is another one. */
  readonly speaker: string | undefined
  /** Its clock minus ours; what the message was under way for makes it less. Milliseconds. */
  readonly clockOffsetMs: number
  /** Milliseconds since the epoch, as the next one. */
  readonly heardAt: number
  readonly exchangedAt: number | undefined
}

interface Known {
  peer: Peer
  /** The last one that was not overtaken. */
  heartbeat: Heartbeat
  /** Greatest number of a message. */
  highest: number
  /** Numbers of the messages that were heard, as far as the window goes back. */
  readonly seen: Set<number>
}

/** A message of a present peer, a repeated one, or one of an unknown sender. */
export type Heard = 'heard' | 'repeated' | 'stranger'

/**
 * The peers that are present. Old messages can be replayed: a peer counts as present once it has answered a request of this
 * node, and after that each of its messages counts once.
 */
export class Peers {
  readonly #clock: Pick<Clock, 'now'>
  readonly #storeOffsetMs: () => number | undefined
  readonly #ownSpeaker: string | undefined
  readonly #known = new Map<string, Known>()
  /** Of all in {@link #known}, in order; undefined: one has come or gone. */
  #names: readonly string[] | undefined
  #lastExchangedAt: number | undefined

  /**
   * @param storeOffsetMs the clock of the database minus ours, where all nodes have one; undefined while it is not known
   * @param ownSpeaker the process that sends the heartbeats of this gateway, where that may be another one
   */
  constructor(
    clock: Pick<Clock, 'now'>,
    storeOffsetMs: () => number | undefined = () => undefined,
    ownSpeaker?: string,
  ) {
    this.#clock = clock
    this.#storeOffsetMs = storeOffsetMs
    this.#ownSpeaker = ownSpeaker
  }

  /** Takes note of an event or a request. */
  hear(heartbeat: Heartbeat): Heard {
    const known = this.#find(heartbeat.node)
    if (known?.peer.boot !== heartbeat.boot) return 'stranger'
    if (heartbeat.seq <= known.highest - window || known.seen.has(heartbeat.seq)) return 'repeated'
    this.#note(known, heartbeat)
    return 'heard'
  }

  /** Takes note of an answer to a request: it is certainly from this peer, and current. */
  meet(heartbeat: Heartbeat): void {
    const known = this.#find(heartbeat.node)
    if (known?.peer.boot === heartbeat.boot) {
      this.#note(known, heartbeat)
      return
    }
    this.#add(heartbeat, this.#clock.now())
  }

  /** Takes note of a peer that another one is in touch with, and vouches for. */
  introduce({ heartbeat, ago }: Introduced): void {
    const heardAt = this.#clock.now() - ago
    const known = this.#find(heartbeat.node)?.peer
    if (known && (known.boot === heartbeat.boot || known.heardAt >= heardAt)) return
    this.#add(heartbeat, heardAt)
  }

  /** What another gateway is told of those that are there. */
  introductions(): Introduced[] {
    const now = this.#clock.now()
    return this.#all().map(({ heartbeat, peer }) => ({
      heartbeat,
      ago: Math.max(0, now - peer.heardAt),
    }))
  }

  /** It has said that it leaves. */
  drop(node: string): void {
    if (this.#known.delete(node)) this.#names = undefined
  }

  /** An exchange with the peer has succeeded. */
  exchanged(node: string): void {
    const exchangedAt = this.#clock.now()
    this.#lastExchangedAt = exchangedAt
    const known = this.#find(node)
    if (known) known.peer = { ...known.peer, exchangedAt }
  }

  /** The time of the last successful exchange with any peer; milliseconds since the epoch. */
  get lastExchangedAt(): number | undefined {
    return this.#lastExchangedAt
  }

  /** A peer that is there. */
  get(node: string): Peer | undefined {
    return this.#find(node)?.peer
  }

  /** All other gateways that are there, by name: of their processes, the ones that send heartbeats. */
  present(): Peer[] {
    const isOther = ({ node, speaker }: Peer) => speaker === undefined && node !== this.#ownSpeaker
    return this.#all()
      .map(({ peer }) => peer)
      .filter(isOther)
  }

  #all(): Known[] {
    this.#names ??= [...this.#known.keys()].sort()
    const now = this.#clock.now()
    return this.#names.map((node) => this.#find(node, now)).filter((known) => known !== undefined)
  }

  /**
   * The median of the others' clocks minus ours, in milliseconds; undefined with no others. Where all share a database, its clock
   * counts like one of theirs: of two nodes at odds the one that agrees with it is right. Of the two in the middle of an
   * even number the one nearer to ours, so that one wrong clock among three stops that node alone.
   */
  get clockOffsetMs(): number | undefined {
    const others = this.present().map(({ clockOffsetMs }) => clockOffsetMs)
    const ofStore = others.length > 0 ? this.#storeOffsetMs() : undefined
    const offsets = [...others, ...(ofStore === undefined ? [] : [ofStore])].sort((a, b) => a - b)
    const low = offsets[(offsets.length - 1) >> 1]
    const high = offsets[offsets.length >> 1]
    if (low === undefined || high === undefined) return undefined
    return Math.abs(low) < Math.abs(high) ? low : high
  }

  #find(node: string, now = this.#clock.now()): Known | undefined {
    const known = this.#known.get(node)
    if (known === undefined || isHeard(known, now)) return known
    const { speaker } = known.peer
    const speaking = speaker === undefined ? undefined : this.#known.get(speaker)
    if (speaking && isHeard(speaking, now)) return known
    this.drop(node)
    return undefined
  }

  #note(known: Known, heartbeat: Heartbeat): void {
    known.seen.add(heartbeat.seq)
    // a message that was overtaken is outdated
    if (heartbeat.seq < known.highest) return
    known.highest = heartbeat.seq
    known.heartbeat = heartbeat
    known.peer = { ...peerOf(heartbeat, this.#clock.now()), exchangedAt: known.peer.exchangedAt }
    for (const seq of known.seen) {
      if (seq > heartbeat.seq - window) break
      known.seen.delete(seq)
    }
  }

  #add(heartbeat: Heartbeat, heardAt: number): void {
    const { node, seq } = heartbeat
    const peer = { ...peerOf(heartbeat, heardAt), exchangedAt: undefined }
    this.#names = undefined
    this.#known.set(node, { peer, heartbeat, highest: seq, seen: new Set([seq]) })
  }
}

/** @param heardAt milliseconds since the epoch */
function peerOf(heartbeat: Heartbeat, heardAt: number): Omit<Peer, 'exchangedAt'> {
  const { node, boot, digest, version, features, every: everyMs, now } = heartbeat
  const { workers = [node], speaker } = heartbeat
  const clockOffsetMs = now - heardAt
  return {
    ...{ node, boot, digest, version, features, everyMs, workers, speaker },
    ...{ clockOffsetMs, heardAt },
  }
}

/**
 * Whether it has said something in time. One that sends no heartbeats is there as long as the one that sends them.
 * @param now milliseconds since the epoch; a clock that was set back must not keep a peer present
 */
const isHeard = ({ peer }: Known, now: number): boolean =>
  Math.abs(now - peer.heardAt) <= silenceOf(peer)

/** How long a peer may say nothing; milliseconds. */
export const silenceOf = ({ everyMs }: Pick<Peer, 'everyMs'>): number =>
  Math.max(goneMs, missed * everyMs)
