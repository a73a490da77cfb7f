/** A kept body in the content codings that it was asked for in, within the bounds of the cache. */
import type { KeptCodings } from '#component/gateway/exchange.ts'

/** Of one kept answer. */
export class CodedContent implements KeptCodings {
  /** Whether there is room for what is kept now; undefined: the answer is not stored. */
  admits: (() => boolean) | undefined
  readonly #known = new Map<string, Uint8Array>()
  #bytes = 0

  /** Of all codings. */
  get bytes(): number {
    return this.#bytes
  }

  get(coding: string): Uint8Array | undefined {
    return this.#known.get(coding)
  }

  keep(coding: string, bytes: Uint8Array): void {
    if (this.#known.has(coding)) return
    this.#bytes += bytes.length
    if (this.admits?.()) this.#known.set(coding, bytes)
    else this.#bytes -= bytes.length
  }
}
