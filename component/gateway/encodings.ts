/** Keeps the encodings of a value that never changes; small, because thousands of operations have one. */
import type { KeptCodings } from './exchange.ts'

/** The encodings of one value by media type: a linked list, because there are few. */
export class Encodings {
  #type: string | undefined
  #content: string | Uint8Array = ''
  #next: Encodings | undefined

  get(type: string): string | Uint8Array | undefined {
    return this.#type === type ? this.#content : this.#next?.get(type)
  }

  set(type: string, content: string | Uint8Array): void {
    if (this.#type === undefined) {
      this.#type = type
      this.#content = content
      return
    }
    this.#next ??= new Encodings()
    this.#next.set(type, content)
  }
}

/** The content codings of a body that is the same for every request: there are few. */
export class BodyCodings implements KeptCodings {
  readonly #kept = new Map<string, Uint8Array>()

  get(coding: string): Uint8Array | undefined {
    return this.#kept.get(coding)
  }

  keep(coding: string, bytes: Uint8Array): void {
    this.#kept.set(coding, bytes)
  }
}
