/** Random ids of traces and spans, cut from digits that are drawn for hundreds of ids at once. */

/** Fills the array with random bytes. */
type Fill = (bytes: Uint8Array) => void

const poolBytes = 6144
const traceDigits = 32
const spanDigits = 16

/** Draws ids; none is all zeros, which no id may be. */
export class RandomIds {
  readonly #fill: Fill
  readonly #bytes = Buffer.alloc(poolBytes)
  #digits = ''
  #at = 0

  constructor(fill: Fill) {
    this.#fill = fill
  }

  /** 32 lower-case hexadecimal digits. */
  traceId(): string {
    return this.#draw(traceDigits)
  }

  /** 16 lower-case hexadecimal digits. */
  spanId(): string {
    return this.#draw(spanDigits)
  }

  #draw(count: number): string {
    for (;;) {
      const end = this.#at + count
      if (end > this.#digits.length) {
        this.#fill(this.#bytes)
        this.#digits = this.#bytes.toString('hex')
        this.#at = 0
        continue
      }
      const id = this.#digits.slice(this.#at, end)
      this.#at = end
      if (id.charCodeAt(0) !== zero || /[^0]/.test(id)) return id
    }
  }
}

/** `0` */
const zero = 0x30
