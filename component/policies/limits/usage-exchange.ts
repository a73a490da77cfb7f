/**
 * What processes tell each other of the use of the limits that they share, and what they make of what they hear. A process tells
 * of a key the sum of its own use, not the last piece of it: a message that is lost or comes twice changes nothing, as long as a
 * later one arrives.
 */
import { burstMsOf, type Rate, type Slack } from '#component/limits/gcra.ts'

/** Milliseconds from one message of a process to its next one. */
export const tickMs = 500

/** Ticks for which a sum is known: after a longer silence about it, it is not compared with what was heard before. */
const memory = 10
/** How often a sum is told that does not change: so many messages but one may be lost in a row. */
const tellings = 4
/** Use of this part of the rate, divided by the number of processes, is not told: all of it together is a part of the rate only. */
const quietPart = 1 / 4
/** Where a burst takes less time: what processes hear late may be as much more. Milliseconds of the rate. */
const slackMs = 2 * tickMs
/** A sender that was silent for longer begins anew. Milliseconds. */
const silentMs = 15_000
/** Characters of one message; further keys that have changed are told by the next one. */
const maxText = 131_072
/** Of one key in a message, beside its name. */
const itemText = 64
/** Keys that wait to be told, or are told again. */
const maxTold = 100_000

/** The use of one key by this process that may have to be told. */
interface OwnUse {
  /** What its requests have moved the arrival time by; while it is not told, less what the quiet part of the rate has given back. */
  ms: number
  /** When `ms` was computed last, while it is not told. */
  at: number
  /** The tick that told it first, or will; 0: it is not told. */
  first: number
  /** `ms` as it was told last. */
  told: number
  /** How often it was told since it has changed. */
  unchanged: number
}

/** The use of one key of a limit. Milliseconds. */
export interface Bucket {
  /** The theoretical arrival time of all use that is known here. */
  arrival: number
  /** The theoretical arrival time of the use of this process. */
  own: number
  /** undefined: there is nothing to tell. */
  use: OwnUse | undefined
  /** When another process has told a change; undefined: never. */
  heardAt: number | undefined
}

/** The buckets of this process. */
export interface Buckets {
  readonly find: (key: string) => Bucket | undefined
  readonly make: (key: string) => Bucket
}

/** The use of one key by the sender of a message. */
export interface ToldUse {
  readonly key: string
  /** The tick that this sum has begun with. */
  readonly first: number
  /** All that the sender has used since then; milliseconds of the rate. */
  readonly ms: number
  /** The arrival time as the sender knows it, from now; less than 0 where that is over. Milliseconds. */
  readonly aheadMs: number
}

/** What a process tells all others. */
export interface Usage {
  /** Greater by one each {@link tickMs}, whether there is a message or none; the first is 1. */
  readonly tick: number
  readonly used: readonly ToldUse[]
}

/** Another process. */
interface Sender {
  /** The tick of its last message. */
  tick: number
  heardAt: number
  /** What it has told of each key, and when. */
  readonly sums: Map<string, Pick<ToldUse, 'first' | 'ms'> & { readonly tick: number }>
}

/** One for each process. Without others it does nothing. */
export class UsageExchange {
  #others = 0
  #buckets: Buckets = { find: () => undefined, make: noBuckets }
  #tick = 0
  /** The keys that are to be told, in the order in which they have changed. */
  readonly #changed = new Map<string, Bucket>()
  /** The keys that were told, and are told again where there is room. */
  readonly #unchanged = new Map<string, Bucket>()
  readonly #senders = new Map<string, Sender>()

  /** Sets the buckets that what is heard goes into. */
  follow(buckets: Buckets): void {
    this.#buckets = buckets
  }

  /** Sets the number of other processes that are there. */
  set others(count: number) {
    this.#others = count
  }

  /** How far what all processes have used may be beyond a limit; undefined without others. */
  slackOf(rate: Rate): Slack | undefined {
    if (this.#others === 0) return undefined
    return { burstMs: slackMs, debtMs: this.#others * (burstMsOf(rate) + memory * tickMs) }
  }

  /** Counts use of this process. @param ms of the rate; less than 0: it is given back */
  use(key: string, bucket: Bucket, ms: number, rate: Rate, now: number): void {
    if (this.#others === 0) return
    bucket.use ??= { ms: 0, at: now, first: 0, told: 0, unchanged: 0 }
    const { use } = bucket
    use.ms += ms
    if (use.first > 0) {
      this.#change(key, bucket)
      return
    }
    const part = quietPart / (this.#others + 1)
    use.ms = Math.max(use.ms - Math.max(now - use.at, 0) * part, 0)
    use.at = now
    const isHeard = bucket.heardAt !== undefined && now - bucket.heardAt < memory * tickMs
    if (isHeard || use.ms > burstMsOf(rate) * part) this.#begin(key, bucket)
  }

  /** What the others are told now; once each {@link tickMs}. undefined: nothing. */
  tell(now: number): Usage | undefined {
    this.#tick += 1
    if (this.#tick % memory === 0) this.#forget(now)
    const used: ToldUse[] = []
    let room = maxText
    const tell = (key: string, bucket: Bucket, use: OwnUse): void => {
      use.told = use.ms
      used.push({ key, first: use.first, ms: use.ms, aheadMs: bucket.arrival - now })
      room -= key.length + itemText
    }
    const told: [key: string, bucket: Bucket][] = []
    for (const [key, bucket] of this.#changed) {
      if (room <= 0) break
      this.#changed.delete(key)
      if (bucket.use === undefined) continue
      bucket.use.unchanged = 0
      if (bucket.use.ms !== bucket.use.told) tell(key, bucket, bucket.use)
      told.push([key, bucket])
    }
    for (const [key, bucket] of this.#unchanged) {
      if (bucket.use === undefined) continue
      bucket.use.unchanged += 1
      if (bucket.use.unchanged >= tellings) {
        bucket.use = undefined
        this.#unchanged.delete(key)
      } else if (room > 0) tell(key, bucket, bucket.use)
    }
    for (const [key, bucket] of told) this.#unchanged.set(key, bucket)
    return used.length > 0 ? { tick: this.#tick, used } : undefined
  }

  /** Takes in what another process tells. @param sender differs for each start of a process */
  hear(sender: string, { tick, used }: Usage, now: number): void {
    const known = this.#senders.get(sender) ?? { tick: 0, heardAt: now, sums: new Map() }
    this.#senders.set(sender, known)
    // what was overtaken is told again
    if (tick <= known.tick) return
    known.tick = tick
    known.heardAt = now
    for (const told of used) {
      const more = moreOf(known, told)
      known.sums.set(told.key, { first: told.first, ms: told.ms, tick })
      if (more !== 0) this.#advance(told, more, now)
    }
  }

  /** @param more undefined: it is not known how much of the sum is new */
  #advance({ key, aheadMs }: ToldUse, more: number | undefined, now: number): void {
    if (more === undefined && aheadMs <= 0) return
    const bucket = this.#buckets.find(key) ?? this.#buckets.make(key)
    bucket.heardAt = now
    if (more === undefined) bucket.arrival = Math.max(bucket.arrival, now + aheadMs)
    else bucket.arrival = (more > 0 ? Math.max(bucket.arrival, now) : bucket.arrival) + more
    if (bucket.use !== undefined && bucket.use.first === 0) this.#begin(key, bucket)
  }

  #begin(key: string, bucket: Bucket): void {
    if (bucket.use === undefined || this.#changed.size + this.#unchanged.size >= maxTold) return
    bucket.use.first = this.#tick + 1
    this.#change(key, bucket)
  }

  #change(key: string, bucket: Bucket): void {
    this.#unchanged.delete(key)
    this.#changed.set(key, bucket)
  }

  #forget(now: number): void {
    for (const [sender, { heardAt, tick, sums }] of this.#senders) {
      if (Math.abs(now - heardAt) > silentMs) this.#senders.delete(sender)
      for (const [key, sum] of sums) if (sum.tick <= tick - memory) sums.delete(key)
    }
  }
}

/** How much of a sum was not told before; undefined where that is not known. Milliseconds. */
function moreOf({ tick, sums }: Sender, { key, first, ms }: ToldUse): number | undefined {
  const oldest = tick - memory
  const last = sums.get(key)
  if (last?.first === first && last.tick > oldest) return ms - last.ms
  // a sum that has begun within the memory, and is not remembered, was not heard before
  const isNew = first > oldest && (last === undefined || last.first < first)
  return isNew ? ms : undefined
}

function noBuckets(): never {
  throw new Error('the exchange has no buckets')
}
