/** What compresses in a process, and its bounds: short bodies in the loop, longer ones in the threads of zlib, streams as they come. */
import type { Readable } from 'node:stream'
import type { KeptCodings } from '#component/gateway/exchange.ts'
import type { Quota } from '#component/limits/quota.ts'
import { codings as all, type CodingName, type Level } from './codings.ts'
import { flushedStream } from './flushed-stream.ts'

/**
 * Up to this size a body is compressed in the loop, by level; bytes. 100 kB of JSON take 0.2 to 0.3 ms there, and twice as
 * much CPU time by way of a thread; text that hardly shrinks takes 3 ms at most.
 */
export const maxInLoop: Readonly<Record<Level, number>> = { fast: 131_072, small: 16_384 }

/** Longer bodies that are compressed at once: the other threads are those of files, names and passwords. */
const atOnce = 2

/** Longer bodies that wait for that. */
const maxWaiting = 32

/** Streams that are compressed at once. */
const maxStreams = 500

/** Compresses. What it has no room for is undefined, and leaves as it is. */
export class Compressor {
  readonly #budget: Pick<Quota, 'tryTake' | 'give'>
  readonly #waiting: (() => void)[] = []
  /** What is compressed now for several requests. */
  readonly #shared = new WeakMap<KeptCodings, Map<CodingName, Promise<Uint8Array | undefined>>>()
  #running = 0
  #streams = 0

  /** @param budget bytes that streams may hold */
  constructor(budget: Pick<Quota, 'tryTake' | 'give'>) {
    this.#budget = budget
  }

  /** Streams that are compressed now. */
  get streams(): number {
    return this.#streams
  }

  /**
   * A whole body.
   * @param codings those of a body that is sent again
   */
  whole(
    content: string | Uint8Array,
    coding: CodingName,
    level: Level,
    codings: KeptCodings | undefined,
  ): Uint8Array | Promise<Uint8Array | undefined> | undefined {
    if (codings === undefined) return this.#compress(content, coding, level)
    const known = codings.get(coding) ?? this.#shared.get(codings)?.get(coding)
    if (known !== undefined) return known
    const made = this.#compress(content, coding, 'small')
    if (!(made instanceof Promise)) {
      if (made !== undefined) codings.keep(coding, made)
      return made
    }
    const shared = this.#shared.get(codings) ?? new Map()
    this.#shared.set(codings, shared)
    const kept = made.then((bytes) => {
      shared.delete(coding)
      if (bytes) codings.keep(coding, bytes)
      return bytes
    })
    shared.set(coding, kept)
    return kept
  }

  /** A body that comes in pieces. @param onOver told of its bytes before and after */
  stream(
    body: Readable,
    coding: CodingName,
    level: Level,
    onOver: (plainBytes: number, bytes: number) => void,
  ): Readable | undefined {
    const { stream, flush, held: ofLevel } = all[coding]
    const held = ofLevel[level]
    if (this.#streams >= maxStreams || !this.#budget.tryTake(held)) return undefined
    this.#streams += 1
    return flushedStream(body, stream(level), flush, (plainBytes, bytes) => {
      this.#streams -= 1
      this.#budget.give(held)
      onOver(plainBytes, bytes)
    })
  }

  #compress(
    content: string | Uint8Array,
    coding: CodingName,
    level: Level,
  ): Uint8Array | Promise<Uint8Array | undefined> | undefined {
    if (content.length <= maxInLoop[level]) return all[coding].now(content, level)
    if (this.#running < atOnce) return this.#inThread(content, coding, level)
    if (this.#waiting.length >= maxWaiting) return undefined
    return new Promise((resolve) => {
      this.#waiting.push(() => resolve(this.#inThread(content, coding, level)))
    })
  }

  async #inThread(
    content: string | Uint8Array,
    coding: CodingName,
    level: Level,
  ): Promise<Uint8Array | undefined> {
    this.#running += 1
    try {
      return await all[coding].later(content, level)
    } catch {
      // there is no memory for it
      return undefined
    } finally {
      this.#running -= 1
      this.#waiting.shift()?.()
    }
  }
}
