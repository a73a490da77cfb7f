/** The pieces of a body put together, in memory that returns to the system at once. */
import { countPassed } from '#component/limits/gc-pressure.ts'

/** Up to this many bytes pieces are kept as they came. */
const few = 65_536
/** The largest block, bytes: the allocator takes blocks of this size from the system, and returns them when they are freed (docs/operations.md, "Stopping"). */
const largest = 1_048_576

/**
 * Gathers a body. The pieces of a large one are copied into blocks, which are freed as soon as they have been used: kept pieces of 64 kB would
 * leave the allocator with free memory between what is in use, which it keeps for good.
 */
export class GatheredBytes {
  readonly #pieces: Buffer[] = []
  readonly #blocks: Buffer[] = []
  /** Bytes that are free at the end of the last block. */
  #room = 0
  #size = 0

  /** Bytes that were added. */
  get size(): number {
    return this.#size
  }

  /** Adds bytes; they may be garbage afterwards. */
  add(piece: Buffer): void {
    this.#size += piece.length
    if (this.#size <= few) {
      this.#pieces.push(piece)
      return
    }
    countPassed(piece.length)
    let rest = piece
    while (rest.length > 0) {
      if (this.#room === 0) this.#addBlock()
      const block = this.#blocks.at(-1) as Buffer
      const copied = rest.copy(block, block.length - this.#room)
      this.#room -= copied
      rest = rest.subarray(copied)
    }
  }

  /** Blocks grow with the body: a client that has sent little takes little. */
  #addBlock(): void {
    this.#room = Math.min(largest, Math.max(few, this.#size))
    this.#blocks.push(Buffer.allocUnsafeSlow(this.#room))
  }

  /** All bytes. Nothing may be added any more. */
  take(): Buffer {
    const [first] = this.#pieces
    if (first?.length === this.#size) return first
    const whole = Buffer.allocUnsafeSlow(this.#size)
    let at = 0
    for (const piece of this.#pieces) at += piece.copy(whole, at)
    for (const block of this.#blocks) {
      at += block.copy(whole, at)
      free(block)
    }
    return whole
  }

  /** Frees the blocks of a body that is refused. To be called instead of {@link take}. */
  drop(): void {
    for (const block of this.#blocks) free(block)
  }
}

/** Frees the memory of a block now, not when V8 collects garbage (ECMA-262, ArrayBuffer.prototype.transfer). */
function free(block: Buffer): void {
  ;(block.buffer as ArrayBuffer).transfer(0)
}
